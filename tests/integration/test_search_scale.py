"""Scopes too large to scan: postings and the index by meaning give what the scans give, and are written, killed and cleared by care."""

import random
from collections.abc import Sequence
from uuid import UUID, uuid4

import numpy as np
import pytest
from pgvector import HalfVector

from sourcebook_core import jobs
from sourcebook_core import settings as core_settings
from sourcebook_core.db import Conn, Db
from sourcebook_core.jobs import IndexVectors, PurgeDeleted
from sourcebook_core.settings import EXACT_CHUNKS, Settings
from sourcebook_core.store import postings, recipes, scopes, search, trash, vector_index
from sourcebook_core.store.chunks import Part
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import lexemes
from sourcebook_ingest.bulk import notice
from tests import rows
from tests.ingest_rig import Library, library
from tests.load.prose import Prose
from tests.rig import PATIENT, Processes, until

SCAN = 10**9
WORDS = "lake river depth water survey mill bridge boats fishing reeds shores sandy stones deeper rivers lakes surveyed bridges".split()


async def entered(conn: Conn, notebook: rows.Notebook) -> Scope:
    scope = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, None)
    assert scope
    await scopes.enter(conn, scope)
    return scope


async def post(db: Db, batch: int = 1000) -> None:
    """Write every posting there is to write, in batches, each in a transaction of its own."""
    async with db.transaction() as conn:
        parts = [Part(*row) for row in await conn.fetch("select distinct source_id, reading_id, recipe_id from corpus.unposted")]
    for part in parts:
        written = batch
        while written == batch:
            async with db.transaction() as conn:
                written = await postings.write_batch(conn, part, batch)


async def make_index(db: Db, space_id: UUID, dimension: int) -> None:
    async with db.outside() as conn:
        await vector_index.build(conn, space_id, dimension, 1000)


async def matching(db: Db, notebook: rows.Notebook, question: str, exact_chunks: int) -> list[search.Match]:
    async with db.snapshot() as conn:
        scope = await entered(conn, notebook)
        asked = lexemes.question_lexemes(question, scope.languages, "en")
        return await search.matching(conn, scope, asked, exact_chunks=exact_chunks)


async def nearest(
    db: Db, notebook: rows.Notebook, *questions: Sequence[float], exact_chunks: int = 0, limit: int = 50
) -> list[search.Near]:  # fmt: skip
    async with db.snapshot() as conn:
        return await search.nearest(conn, await entered(conn, notebook), list(questions), limit, exact_chunks=exact_chunks)


async def poured(conn: Conn, notebook: rows.Notebook, vectors: np.ndarray, sources: int) -> None:
    """Sources with the same number of chunks each: only what a search by meaning reads, written straight into the tables."""
    each = len(vectors) // sources
    for place in range(sources):
        source_id, reading_id = uuid4(), uuid4()
        await rows.bare_source(conn, notebook, source_id, reading_id, each)
        await conn.executemany(
            "insert into corpus.chunk_vec values (gen_random_uuid(), $1, $2, $3, $4, $5, $6)",
            [
                (source_id, reading_id, rows.RECIPE, notebook.space_id, at, vectors[place * each + at].tolist())
                for at in range(each)
            ],
        )  # fmt: skip


async def counted(db: Db) -> dict[str, int]:
    async with db.transaction() as conn:
        found = await conn.fetchrow(
            """
            select (select count(*) from corpus.posting_lists where state = 'whole') as whole,
                (select count(*) from corpus.posting_lists where state = 'gone') as gone,
                (select count(*) from corpus.postings) as postings,
                (select coalesce(sum(length(places) / 8), 0) from corpus.postings) as places
            """
        )
    assert found
    return dict(found)


@pytest.mark.parametrize("seed", range(3))
async def test_postings_and_the_scan_give_the_same_fifty_on_random_grants(db: Db, seed: int) -> None:
    draw, prose = random.Random(seed), Prose(seed)
    texts: list[str] = []
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        for _ in range(6):
            topic = prose.topic()
            some = [prose.text(draw.randint(40, 80), topic) for _ in range(draw.randint(1, 30))]
            some = [f"{text} {' '.join(draw.choices(WORDS, k=draw.randint(0, 6)))}" for text in some]
            some += some[:2]  # the same words twice: equal scores
            is_granted = draw.random() < 0.7
            await rows.source(conn, mine, some, granted=is_granted)
            texts += some if is_granted else []
    await post(db, batch=draw.choice([3, 7, 1000]))
    questions = [prose.question(draw.choice(texts)) for _ in range(8)] if texts else []
    questions += [" ".join(draw.choices(WORDS, k=4)) for _ in range(6)] + ["xyzzy plugh", "the of and"]
    for question in questions:
        scan, ours = await matching(db, mine, question, SCAN), await matching(db, mine, question, 0)
        assert ours == scan, question


async def test_with_one_reading_that_has_no_postings_the_scan_answers(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        await rows.source(conn, mine, ["the lake is deep"])
    await post(db)
    async with db.transaction() as conn:
        fresh = await rows.source(conn, mine, ["the lake is new"])
        scope = await scopes.of(conn, Holder("notebook", mine.id), mine.owner_id, None)
        assert scope and await postings.lists_of(conn, scope) is None
    assert fresh.chunk_ids[0] in [match.chunk_id for match in await matching(db, mine, "lake", 0)]
    await post(db)
    async with db.transaction() as conn:
        assert await postings.lists_of(conn, scope) is not None


async def test_postings_of_others_cannot_be_read_behind_the_second_wall(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        source = await rows.source(conn, mine, ["the lake is deep"])
        await rows.source(conn, await rows.notebook(conn), ["the lake of others"])
    await post(db)
    async with db.snapshot() as conn:
        await entered(conn, mine)
        for table in ("postings", "posting_lists"):
            assert {row[0] for row in await conn.fetch(f"select source_id from corpus.{table}")} == {source.id}


async def test_words_that_change_or_go_end_their_postings_in_the_same_transaction(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        one, two, three = [await rows.source(conn, mine, [f"the lake {name}"] * 3) for name in ("anna", "berta", "clara")]
    await post(db)
    assert (await counted(db))["whole"] == 3
    async with db.transaction() as conn:
        await conn.execute("update corpus.chunk_lex set sv = '{1:1}/1000000000' where chunk_id = $1", one.chunk_ids[0])
        assert await trash.delete_corpus_batch(conn, two.id, 1) == 1
    found = await counted(db)
    assert (found["whole"], found["gone"]) == (1, 2)
    assert len(await matching(db, mine, "lake", 0)) == 7, "by a scan, for one changed"
    async with db.transaction() as conn:
        await conn.execute("delete from grants where source_id <> $1", three.id)
        await conn.execute("update notebooks set recipe_id = 'token_window-420-50-a1'")
        while await recipes.delete_unused(conn, 100):
            pass
        while await postings.delete_gone(conn, 2) == 2:
            pass
        left = await conn.fetch("select distinct source_id from corpus.postings")
        assert three.id not in [row[0] for row in left]
    assert (await counted(db))["gone"] == 0


async def test_care_writes_postings_for_those_with_many_chunks_only_and_goes_on_where_it_was_killed(
    environment: dict[str, str], processes: Processes
) -> None:
    environment |= {"SOURCEBOOK_EXACT_SCAN_CHUNKS": "6"}
    processes.environment |= environment
    settings = core_settings.load(environment)
    db = await Db.open(settings)
    try:
        async with db.transaction() as conn:
            large, small = await rows.notebook(conn), await rows.notebook(conn)
            await rows.source(conn, large, [f"the lake {number}" for number in range(4)])
            await rows.source(conn, large, [f"the deep river {number}" for number in range(4)])
            await rows.source(conn, small, ["a small lake"])
            await notice(conn, settings)
            await notice(conn, settings)
            assert await conn.fetchval("select array_agg(owner_id) from jobs where kind = 'post_words'") == [large.owner_id]
        killed = processes.start("ingest", FAULT_AT="postings.written")
        await until(lambda: killed.is_at("postings.written"), 60, "the first list")
        killed.kill()
        assert (await counted(db))["whole"] == 1
        processes.start("ingest", **PATIENT)
        await until(lambda: _has_ended(db, "post_words"), 60, "the postings")
        found = await counted(db)
        assert found["whole"] == 2 and found["places"] == await _words_in(db, large)
        assert await matching(db, large, "deep lake", 0) == await matching(db, large, "deep lake", SCAN)
    finally:
        await db.close()


async def _has_ended(db: Db, kind: str) -> bool:
    async with db.transaction() as conn:
        found: bool = await conn.fetchval("select exists (select from jobs where kind = $1 and state = 'done')", kind)
    return found


async def _words_in(db: Db, notebook: rows.Notebook) -> int:
    async with db.transaction() as conn:
        found = await conn.fetch(
            "select l.sv from corpus.chunk_lex l join sources s on s.id = l.source_id where s.owner_id = $1", notebook.owner_id
        )
    return sum(len(row["sv"].indices()) for row in found)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 0.01])
async def test_the_index_by_meaning_finds_what_the_scan_finds_in_scopes_of_every_size(db: Db, share: float) -> None:
    draw = np.random.default_rng(3)
    into = draw.normal(size=(12, 48))
    vectors = (draw.normal(size=(4000, 12)) @ into).astype(np.float16).astype(np.float32)
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=48))
        other = rows.Notebook((await rows.notebook(conn)).id, mine.owner_id, mine.space_id)
        await conn.execute("update notebooks set owner_id = $1", mine.owner_id)
        cut = int(len(vectors) * share)
        await poured(conn, mine, vectors[:cut], sources=4)
        if share < 1:
            await poured(conn, other, vectors[cut:], sources=4)
        await conn.execute("analyze corpus.chunk_vec")
    await make_index(db, mine.space_id or uuid4(), 48)
    asked = [(draw.normal(size=12) @ into).tolist() for _ in range(12)]
    limit = min(50, cut)
    recalls = []
    for question, again in zip(asked, asked[1:] + asked[:1], strict=True):
        for questions in ([question], [question, again]):
            exact = [near.chunk_id for near in await nearest(db, mine, *questions, exact_chunks=SCAN, limit=limit)]
            ours = await nearest(db, mine, *questions, limit=limit)
            assert len(ours) == len(exact) == limit
            assert [near.similarity for near in ours] == sorted((near.similarity for near in ours), reverse=True)
            recalls.append(len({near.chunk_id for near in ours} & {*exact}) / limit)
    assert float(np.mean(recalls)) >= 0.95
    async with db.snapshot() as conn:
        scope = await entered(conn, mine)
        from_index = await vector_index.nearest(conn, scope, [HalfVector(np.array(asked[0]))], limit)
        assert (from_index is None) == (share < vector_index.SMALLEST_PART), "a small part is scanned"
        assert await conn.fetchval("select current_setting('enable_sort')") == "on"


async def test_both_lists_of_a_large_scope_are_read_by_their_indexes_behind_the_second_wall(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=3))
        assert mine.space_id
        await many_sources(conn, mine, 300, each=10, vector="[1,0,%s]")
    await post(db)
    await make_index(db, mine.space_id, 3)
    await db.pool.execute("insert into corpus.postings select i, 0, gen_random_uuid(), '' from generate_series(1, 5000) as a(i)")
    await db.pool.execute("analyze corpus.chunk_vec")
    async with db.outside() as conn:
        await postings.settle(conn)
    async with db.snapshot() as conn:
        scope = await entered(conn, mine)
        found = await conn.fetch(
            "explain select list_id, places from corpus.postings where term = any($1) and source_id = any($2)",
            [lexemes.dimension("lake")], scope.source_ids[:30],
        )  # fmt: skip
        assert "Index Only Scan using postings_of_term" in "\n".join(row[0] for row in found)
    async with db.transaction() as conn:
        scope = await entered(conn, mine)
        assert await vector_index.nearest(conn, scope, [HalfVector([1.0, 0.0, 0.0])], 50)
        # Counted in this transaction; the index alone knows, for the planner is told only while the search runs.
        await conn.execute("reset role")
        name = f"corpus.{vector_index.name_of(mine.space_id)}"
        used = await conn.fetchval("select pg_stat_get_xact_numscans($1::text::regclass)", name)
        assert used == 1


async def test_care_makes_the_index_anew_where_one_was_left_half_made_and_drops_it_with_its_space(environment: dict[str, str]) -> None:
    settings = core_settings.load(environment | {"SOURCEBOOK_EXACT_SCAN_CHUNKS": "10"})
    async with library(settings, working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=3))
            assert mine.space_id
            await poured(conn, mine, np.eye(3, dtype=np.float32)[np.arange(20) % 3], sources=2)
        await make_index(lib.deps.db, mine.space_id, 3)
        async with lib.deps.db.transaction() as conn:
            await notice(conn, settings)
            assert not await conn.fetchval("select count(*) from jobs where kind = 'index_vectors'"), "it is there"
        async with lib.deps.db.outside() as conn:
            await vector_index.drop(conn, mine.space_id)
            # What is left of a build that fails: a name and no use.
            await conn.execute("insert into corpus.chunk_vec select gen_random_uuid(), source_id, reading_id, recipe_id, space_id, 99,"
                               " '[1]' from corpus.chunk_vec limit 1")  # fmt: skip
            with pytest.raises(Exception, match="expected 3 dimensions"):
                await vector_index.build(conn, mine.space_id, 3, 20)
            await conn.execute("delete from corpus.chunk_vec where ordinal = 99")
            left = await vector_index.find(conn, mine.space_id)
            assert left and not left.is_valid
        assert len(await nearest(lib.deps.db, mine, [1, 0, 0], limit=5)) == 5, "by a scan"
        async with lib.deps.db.transaction() as conn:
            await notice(conn, settings)
            await notice(conn, settings)
        async with lib.run():
            await until(lambda: _is_valid(lib, mine.space_id), 30, "the index")
            async with lib.deps.db.transaction() as conn:
                await conn.execute("update spaces set state = 'retired'")
                await jobs.insert(conn, PurgeDeleted(), once="now")
            await until(lambda: _has_ended(lib.deps.db, "purge_deleted"), 30, "the care")
        assert not await lib.all("select 1 from pg_class where relname like 'chunk_vec_near%'")


async def _is_valid(lib: Library, space_id: UUID | None) -> bool:
    assert space_id
    async with lib.deps.db.transaction() as conn:
        index = await vector_index.find(conn, space_id)
    return index is not None and index.is_valid


async def test_two_workers_make_the_same_index_one_after_the_other(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=3))
            assert mine.space_id
            await poured(conn, mine, np.eye(3, dtype=np.float32), sources=1)
            job = await jobs.insert(conn, IndexVectors(space_id=mine.space_id))
        async with lib.deps.db.outside() as conn:
            assert await vector_index.try_lock(conn, mine.space_id)
            async with lib.run():
                await until(lambda: _waits(lib, job), 30, "the second to come back later")
            assert not await _is_valid(lib, mine.space_id)
            await vector_index.unlock(conn, mine.space_id)


async def _waits(lib: Library, job: UUID) -> bool:
    return bool(await lib.all("select 1 from jobs where id = $1 and state = 'queued' and attempt > 0", job))


async def test_what_is_deleted_for_good_leaves_no_postings(settings: Settings) -> None:
    async with library(settings, working=False) as lib:
        async with lib.deps.db.transaction() as conn:
            mine = await rows.notebook(conn)
            gone = await rows.source(conn, mine, ["the lake is deep", "the river is wide"])
            kept = await rows.source(conn, mine, ["the lake stays"])
        await post(lib.deps.db)
        async with lib.deps.db.transaction() as conn:
            await conn.execute("update sources set deleted_at = '-infinity' where id = $1", gone.id)
            await jobs.insert(conn, PurgeDeleted(), once="now")
        async with lib.run():
            await until(lambda: _has_ended(lib.deps.db, "purge_deleted"), 30, "the care")
        for table in ("postings", "posting_lists"):
            assert {row["source_id"] for row in await lib.all(f"select source_id from corpus.{table}")} == {kept.id}


async def test_a_search_tells_when_the_settings_of_the_index_are_not_what_they_should_be(db: Db) -> None:
    async with db.transaction() as conn:
        assert await vector_index.is_safe(conn)
    async with db.transaction() as conn:
        await conn.execute("select '[1]'::halfvec")
        with pytest.raises(Exception, match=r"hnsw\.iterative_scan"):
            await conn.execute("select set_config('hnsw.iterative_scan', 'relaxed', true)")
    assert vector_index.is_new_enough("0.8.4") and vector_index.is_new_enough("0.10.0")
    assert not vector_index.is_new_enough("0.8.3") and not vector_index.is_new_enough("0.7")


async def test_ten_thousand_sources_in_one_notebook_are_searched_and_none_is_granted_twice(db: Db) -> None:
    count = 10_000
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=2))
        await many_sources(conn, mine, count, each=1)
        first = await conn.fetchval("select source_id from corpus.chunk_lex where ordinal = 0 limit 1")
        await rows.grant(conn, mine, first)
    async with db.transaction() as conn:
        with pytest.raises(Exception, match="duplicate key"):
            await conn.execute(
                "insert into grants (holder_kind, holder_id, source_id, added_by) values ('notebook', $1, $2, $3)",
                mine.id, first, mine.owner_id,
            )  # fmt: skip
    async with db.snapshot() as conn:
        scope = await entered(conn, mine)
        assert (len(scope.sources), scope.chunks) == (count, count)
    async with db.transaction() as conn:  # what ten thousand commits of care would write: ordinal 0 with weight 1.5
        await conn.execute(
            """
            insert into corpus.posting_lists (source_id, reading_id, recipe_id, chunks, state)
            select source_id, reading_id, recipe_id, 1, 'whole' from corpus.chunk_lex
            """
        )
        await conn.execute(
            "insert into corpus.postings select $1, id, source_id, '\\x000000000000c03f' from corpus.posting_lists",
            lexemes.dimension("lake"),
        )
    assert len(await nearest(db, mine, [1, 0], exact_chunks=SCAN)) == 50
    scan = await matching(db, mine, "lake", SCAN)
    assert len(scan) == 50 and await matching(db, mine, "lake", 0) == scan


async def test_sources_of_no_one_and_two_hundred_thousand_chunks_are_searched_as_far_as_they_are_indexed(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=2))
        await rows.bare_source(conn, mine, uuid4(), uuid4(), 0)
        await conn.execute("update corpus.indexes set state = 'building'")
        single = await rows.source(conn, mine, ["a small lake"])
        await many_sources(conn, mine, 1, each=200_000)
        for table in ("chunks", "chunk_lex", "chunk_vec"):
            await conn.execute(f"analyze corpus.{table}")
    await post(db, batch=50_000)
    async with db.snapshot() as conn:
        scope = await entered(conn, mine)
        assert sorted((source.chunks, source.searchable) for source in scope.granted) == [(0, "none"), (1, "words"), (200_000, "full")]
        assert scope.chunks == 200_001
    by_meaning = await nearest(db, mine, [1, 0], exact_chunks=EXACT_CHUNKS)
    assert len(by_meaning) == 50 and single.id not in [near.source_id for near in by_meaning]
    scan, ours = await matching(db, mine, "small lake", SCAN), await matching(db, mine, "small lake", EXACT_CHUNKS)
    assert ours == scan and scan[0].chunk_id == single.chunk_ids[0] and len(scan) == 50


async def many_sources(conn: Conn, of: rows.Notebook, sources: int, each: int, vector: str = "[1,%s]") -> None:
    """So many sources of so many chunks that all say "lake", by statements over all of them."""
    lake = f"{{{lexemes.dimension('lake') + 1}:1.5}}/1000000000"
    made = "(select i, md5('s' || i)::uuid as id, md5('r' || i)::uuid as reading from generate_series(1, $1) as a(i)) s"
    chunked = f"{made}, generate_series(0, $2 - 1) as b(j)"
    named = "(lpad(to_hex(i), 8, '0') || lpad(to_hex(j), 24, '0'))::uuid"  # ascending, so that indexes grow at one end
    for statement, more in (
        (f"insert into sources (id, owner_id, added_by, kind, title, status, language, chunks, reading_id)"
         f" select id, $3, $3, 'text', 'Lake', 'ready', 'en', $2, reading from {made}", [each, of.owner_id]),
        (f"insert into grants (holder_kind, holder_id, source_id, added_by)"
         f" select 'notebook', $2, id, $3 from {made}", [of.id, of.owner_id]),
        (f"insert into corpus.readings (id, source_id, number, fingerprint, state) select reading, id, 1, 'f', 'closed' from {made}", []),
        (f"insert into corpus.indexes (id, reading_id, source_id, recipe_id, space_id, state, chunks)"
         f" select gen_random_uuid(), reading, id, $2, $3, 'full', $4 from {made}", [rows.RECIPE, of.space_id, each]),
        (f"insert into corpus.chunks (id, source_id, reading_id, recipe_id, ordinal, passage, start_at, end_at)"
         f" select {named}, id, reading, $3, j, 0, 0, 1 from {chunked}", [each, rows.RECIPE]),
        (f"insert into corpus.chunk_lex select {named}, id, reading, $3, j, $4::text::sparsevec from {chunked}", [each, rows.RECIPE, lake]),
        (f"insert into corpus.chunk_vec select {named}, id, reading, $3, $4, j, format('{vector}', j % 7)::halfvec from {chunked}",
         [each, rows.RECIPE, of.space_id]),
    ):  # fmt: skip
        await conn.execute(statement, sources, *more)
