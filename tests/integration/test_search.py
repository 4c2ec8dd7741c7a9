"""The scope function and the two ranked lists, on a real Postgres."""

import math
import random
from uuid import UUID, uuid4

import numpy as np
import pytest

from sourcebook_core.db import Conn, Db
from sourcebook_core.errors import SearchRefused
from sourcebook_core.store import scopes, search
from sourcebook_core.store.scopes import Holder
from sourcebook_core.text import lexemes
from tests import rows
from tests.fakes.vectors import beside, words_vector


async def words_of(db: Db, notebook: rows.Notebook, question: str, source_ids: list[UUID] | None = None) -> list[search.Match]:
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, source_ids)
        assert scope
        await scopes.enter(conn, scope)
        return await search.matching(conn, scope, lexemes.question_lexemes(question, scope.languages, "en"))


async def meaning_of(
    db: Db, notebook: rows.Notebook, *questions: list[float], limit: int = 50, source_ids: list[UUID] | None = None
) -> list[search.Near]:
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, source_ids)
        assert scope
        await scopes.enter(conn, scope)
        return await search.nearest(conn, scope, list(questions), limit)


async def test_a_hundred_closer_chunks_that_are_not_granted_leave_the_granted_one(db: Db) -> None:
    question = words_vector("how deep is the lake", 64)
    async with db.transaction() as conn:
        space = await rows.space(conn)
        mine = await rows.notebook(conn, space_id=space)
        near = [beside(question, str(n), 0.99) for n in range(100)]
        await rows.source(conn, mine, [f"lake depth {n}" for n in range(100)], vectors=near, granted=False)
        granted = await rows.source(conn, mine, ["a lake is deep"], vectors=[beside(question, "x", 0.4)])
    assert [n.chunk_id for n in await meaning_of(db, mine, question)] == granted.chunk_ids
    assert [m.chunk_id for m in await words_of(db, mine, "lake")] == granted.chunk_ids


async def test_a_paused_deleted_or_unread_source_is_not_in_the_scope(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        kept = await rows.source(conn, mine, ["the lake is deep"])
        paused = await rows.source(conn, mine, ["the lake is paused"])
        await rows.grant(conn, mine, paused.id, "paused")
        deleted = await rows.source(conn, mine, ["the lake is gone"])
        await conn.execute("update sources set deleted_at = now() where id = $1", deleted.id)
        unread = await rows.source(conn, mine, ["the lake is unread"], status="reading")
        await conn.execute("update sources set reading_id = null where id = $1", unread.id)
        scope = await scopes.of(conn, Holder("notebook", mine.id), mine.owner_id, None)
    assert scope and scope.source_ids == [kept.id]
    assert [source.id for source in scope.pending] == [unread.id]
    assert [m.source_id for m in await words_of(db, mine, "lake")] == [kept.id]


async def test_a_foreign_notebook_has_no_scope_and_an_empty_choice_finds_nothing(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        source = await rows.source(conn, mine, ["the lake is deep"])
        other = await rows.notebook(conn)
        foreign = await rows.source(conn, other, ["the lake of others"])
        assert await scopes.of(conn, Holder("notebook", mine.id), other.owner_id, None) is None
    assert await words_of(db, mine, "lake", []) == []
    assert await words_of(db, mine, "lake", [foreign.id]) == []
    assert [m.source_id for m in await words_of(db, mine, "lake", [source.id, foreign.id])] == [source.id]


async def test_behind_the_second_wall_nothing_else_can_be_read(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        source = await rows.source(conn, mine, ["the lake is deep"])
        await rows.source(conn, await rows.notebook(conn), ["the lake of others"])
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", mine.id), mine.owner_id, None)
        assert scope
        await scopes.enter(conn, scope)
        assert await conn.fetchval("select count(*) from corpus.passages") == 1
        assert await conn.fetchval("select source_id from corpus.chunk_lex") == source.id
    for table in ("people", "sources", "turns"):
        with pytest.raises(SearchRefused) as refused:
            async with db.snapshot() as conn:
                await scopes.enter(conn, scope)
                await conn.fetchval(f"select count(*) from {table}")
        assert "permission denied" in str(refused.value.__cause__)


async def test_while_a_source_is_read_anew_only_its_current_reading_is_found(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        source = await rows.source(conn, mine, ["the old lake"])
        fresh = uuid4()
        await rows.reading(conn, mine, source, fresh, ["the fresh lake"], number=2)
    old, new = source.chunk_ids
    assert [m.chunk_id for m in await words_of(db, mine, "lake")] == [old]
    async with db.transaction() as conn:
        await conn.execute("update sources set reading_id = $2 where id = $1", source.id, fresh)
    assert [m.chunk_id for m in await words_of(db, mine, "lake")] == [new]


@pytest.mark.parametrize("seed", range(6))
async def test_the_exact_scan_equals_numpy_on_random_grants(db: Db, seed: int) -> None:
    draw, random_of = np.random.default_rng(seed), random.Random(seed)
    held: dict[UUID, np.ndarray] = {}
    async with db.transaction() as conn:
        space = await rows.space(conn, dimension=16)
        mine = await rows.notebook(conn, space_id=space)
        for _ in range(12):
            vectors = draw.normal(size=(random_of.randint(1, 20), 16)).astype(np.float16).astype(np.float32)
            granted = random_of.random() < 0.5
            made = await rows.source(conn, mine, ["x y"] * len(vectors), vectors=vectors.tolist(), granted=granted)
            if granted:
                held |= dict(zip(made.chunk_ids, vectors, strict=True))
    question = draw.normal(size=16).astype(np.float16).astype(np.float32)
    expected = {chunk: float(vector @ question / np.linalg.norm(vector) / np.linalg.norm(question)) for chunk, vector in held.items()}
    best = sorted(expected, key=lambda chunk: -expected[chunk])[:20]
    found = await meaning_of(db, mine, question.tolist(), limit=20)
    assert [n.chunk_id for n in found] == best
    assert all(math.isclose(n.similarity, expected[n.chunk_id], abs_tol=1e-5) for n in found)


async def test_of_two_vectors_of_a_short_question_the_nearer_one_counts(db: Db) -> None:
    first, second = [1.0, 0.0], [0.0, 1.0]
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=2))
        made = await rows.source(conn, mine, ["a", "b", "c"], vectors=[[1.0, 0.1], [0.1, 1.0], [-1.0, -1.0]])
    found = await meaning_of(db, mine, first, second)
    assert {n.chunk_id for n in found[:2]} == set(made.chunk_ids[:2])
    assert found[0].similarity > 0.99 and found[1].similarity > 0.99


async def test_bm25_equals_the_formula_with_frequencies_counted_in_the_scope(db: Db) -> None:
    texts = ["deep lake water", "lake shore", "deep sea", "mountain hut", "lake lake lake depth"]
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        made = await rows.source(conn, mine, texts)
        await rows.source(conn, mine, ["deep deep deep"] * 30, granted=False)
    found = await words_of(db, mine, "deep lake")
    n, df_deep, df_lake = 5, 2, 3
    counts = [lexemes.chunk_lexemes(text, "en") for text in texts]

    def score(place: int) -> float:
        weights = lexemes.document_weights(counts[place].counts, counts[place].length, rows.AVGDL)
        parts = (("deep", df_deep), ("lake", df_lake))
        return sum(math.log(1 + (n - df + 0.5) / (df + 0.5)) * weights.get(lexemes.dimension(word), 0.0) for word, df in parts)

    expected = sorted((place for place in range(5) if score(place) > 0), key=lambda place: -score(place))
    assert [m.chunk_id for m in found] == [made.chunk_ids[place] for place in expected]
    assert all(math.isclose(m.score, score(place), rel_tol=1e-5) for m, place in zip(found, expected, strict=True))
    assert found[0].idf_share == 1.0


async def test_a_question_of_stop_words_or_signs_finds_nothing_by_words(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        await rows.source(conn, mine, ["the lake is deep"])
    for question in ("the of and", "& | ! :* ' \\", "❤️"):
        assert await words_of(db, mine, question) == []


async def test_both_lists_read_the_narrow_tables_by_their_source(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=3))
        made = await rows.source(conn, mine, ["the lake is deep"], vectors=[[1, 0, 0]])
        await fill(conn, made.reading_id, mine.space_id)
    async with db.snapshot() as conn:
        scope = await scopes.of(conn, Holder("notebook", mine.id), mine.owner_id, None)
        assert scope
        await scopes.enter(conn, scope)
        for table in ("chunk_vec", "chunk_lex"):
            plan = await conn.fetch(
                f"explain select chunk_id from corpus.{table} where source_id = any($1) and reading_id = any($2)",
                scope.source_ids, scope.reading_ids,
            )  # fmt: skip
            text = "\n".join(row[0] for row in plan)
            assert f"{table}_source_id_idx" in text, text


async def fill(conn: Conn, reading_id: UUID, space_id: UUID | None) -> None:
    """Many rows of other sources, so that the planner has a choice."""
    await conn.execute(
        """
        insert into corpus.chunk_vec select gen_random_uuid(), md5(i::text)::uuid, $1, $2, $3, j, '[1,0,0]'::halfvec
        from generate_series(1, 200) as a(i), generate_series(1, 20) as b(j)
        """,
        reading_id, rows.RECIPE, space_id,
    )  # fmt: skip
    await conn.execute(
        """
        insert into corpus.chunk_lex select gen_random_uuid(), md5(i::text)::uuid, $1, $2, j, '{1:1}/1000000000'::sparsevec
        from generate_series(1, 200) as a(i), generate_series(1, 20) as b(j)
        """,
        reading_id, rows.RECIPE,
    )  # fmt: skip
    await conn.execute("analyze corpus.chunk_vec")
    await conn.execute("analyze corpus.chunk_lex")
