"""What a search may see: holders, grants, floors, and the second wall behind them, on a real Postgres."""

from uuid import UUID, uuid4

from sourcebook_core.db import Conn, Db
from sourcebook_core.store import chunks, explained, floors, grants, postings, scopes, search
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import lexemes
from tests import rows
from tests.fakes.vectors import beside, words_vector


async def assistant(conn: Conn, owner_id: UUID, profile: str = "persona") -> Holder:
    """A new assistant; nothing is given to it."""
    made = Holder("assistant", uuid4())
    await conn.execute(
        "insert into assistants (id, owner_id, name, profile, recipe_id) values ($1, $2, 'Ada', $3, $4)",
        made.id,
        owner_id,
        profile,
        rows.RECIPE,
    )
    return made


async def scope_of(db: Db, holder: Holder, person_id: UUID, source_ids: list[UUID] | None = None) -> Scope:
    async with db.snapshot() as conn:
        found = await scopes.of(conn, holder, person_id, source_ids)
    assert found is not None
    return found


async def lists(db: Db, scope: Scope, question: str, vector: list[float] | None = None) -> tuple[list[UUID], list[UUID]]:
    """What both lists give, behind the second wall."""
    async with db.snapshot() as conn:
        await scopes.enter(conn, scope)
        near = await search.nearest(conn, scope, [vector] if vector else [])
        words = await search.matching(conn, scope, lexemes.question_lexemes(question, scope.languages, "en"))
    return [one.chunk_id for one in near], [one.chunk_id for one in words]


async def test_a_new_assistant_has_no_document_and_a_paused_one_is_kept_and_not_searched(db: Db) -> None:
    # S3-14: given, paused, not given; absence is not given, whatever the notebook of the same owner holds.
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        bot = await assistant(conn, mine.owner_id)
        one, two = [await rows.source(conn, mine, [f"the lake is deep {name}"]) for name in ("here", "there")]
    assert (await scope_of(db, bot, mine.owner_id)).granted == ()
    async with db.transaction() as conn:
        for source in (one, two):
            await grants.give(conn, bot.id, source.id, mine.owner_id, holder="assistant")
    given = await scope_of(db, bot, mine.owner_id)
    assert set(given.source_ids) == {one.id, two.id} and given.notebook_id is None and given.profile == "persona"
    async with db.transaction() as conn:
        await grants.give(conn, bot.id, one.id, mine.owner_id, "paused", holder="assistant")
    assert (await lists(db, await scope_of(db, bot, mine.owner_id), "lake"))[1] == two.chunk_ids
    assert set((await scope_of(db, Holder("notebook", mine.id), mine.owner_id)).source_ids) == {one.id, two.id}
    async with db.transaction() as conn:
        assert await conn.fetchval("select state from grants where holder_id = $1 and source_id = $2", bot.id, one.id) == "paused"
        await grants.give(conn, bot.id, one.id, mine.owner_id, holder="assistant")
        assert await grants.take(conn, bot.id, two.id, holder="assistant")
    assert (await lists(db, await scope_of(db, bot, mine.owner_id), "lake"))[1] == one.chunk_ids


async def test_a_hundred_closer_chunks_that_an_assistant_was_not_given_leave_the_one_it_was(db: Db) -> None:
    # S3-15: isolation is in the statement; what is not granted never fills a place.
    question = words_vector("how deep is the lake", 64)
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn))
        near = [beside(question, str(n), 0.99) for n in range(100)]
        await rows.source(conn, mine, [f"lake depth {n}" for n in range(100)], vectors=near)
        given = await rows.source(conn, mine, ["a lake is deep"], vectors=[beside(question, "x", 0.4)])
        bot = await assistant(conn, mine.owner_id)
        await grants.give(conn, bot.id, given.id, mine.owner_id, holder="assistant")
    scope = await scope_of(db, bot, mine.owner_id)
    assert await lists(db, scope, "lake", question) == (given.chunk_ids, given.chunk_ids)
    async with db.snapshot() as conn:
        await scopes.enter(conn, scope)
        assert await explained.frequencies(conn, scope, lexemes.question_lexemes("depth of a lake", {"en"}, "en"), 9) == {
            "depth": 0,
            "lake": 1,
        }
        assert await explained.beginning(conn, scope, ["dep"], 50) == []


async def test_an_assistant_is_its_owners_alone_and_a_deleted_one_nobodys(db: Db) -> None:
    async with db.transaction() as conn:
        mine, other = await rows.notebook(conn), await rows.notebook(conn)
        bot = await assistant(conn, mine.owner_id)
        assert await scopes.of(conn, bot, other.owner_id, None) is None
        assert await scopes.of(conn, Holder("notebook", bot.id), mine.owner_id, None) is None
        assert await scopes.of(conn, Holder("assistant", mine.id), mine.owner_id, None) is None
        assert await scopes.of(conn, bot, mine.owner_id, None) is not None
        await conn.execute("update assistants set deleted_at = now() where id = $1", bot.id)
        assert await scopes.of(conn, bot, mine.owner_id, None) is None


async def test_an_unlinked_or_trashed_source_and_one_that_is_not_searchable_are_out_at_once(db: Db) -> None:
    # S1-38: read again in the snapshot that is searched.
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        kept, unlinked, trashed, unread = [await rows.source(conn, mine, [f"the lake {n}"]) for n in range(4)]
    before = await scope_of(db, Holder("notebook", mine.id), mine.owner_id)
    assert len(before.sources) == 4
    async with db.transaction() as conn:
        await grants.take(conn, mine.id, unlinked.id)
        await conn.execute("update sources set deleted_at = now() where id = $1", trashed.id)
        await conn.execute("update corpus.indexes set state = 'building' where reading_id = $1", unread.reading_id)
    async with db.snapshot() as conn:
        now = await scopes.again(conn, before)
    assert now is not None and now.source_ids == [kept.id]
    assert (await lists(db, now, "lake"))[1] == kept.chunk_ids


async def test_an_empty_scope_finds_nothing_anywhere(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, dimension=2))
        made = await rows.source(conn, mine, ["the lake is deep"], vectors=[[1.0, 0.0]])
    holder = Holder("notebook", mine.id)
    for empty in (
        await scope_of(db, holder, mine.owner_id, []),
        (await scope_of(db, holder, mine.owner_id)).narrowed({"technology": ["SPR"]}),
        (await scope_of(db, holder, mine.owner_id)).in_languages({"de"}),
    ):
        assert await lists(db, empty, "lake", [1.0, 0.0]) == ([], [])
        async with db.snapshot() as conn:
            await scopes.enter(conn, empty)
            assert await search.chunk_rows(conn, empty, made.chunk_ids) == {}
            assert await explained.sections(conn, empty, made.chunk_ids) == {}
            assert await conn.fetchval("select count(*) from corpus.chunks") == 0


async def test_without_the_setting_the_search_role_sees_no_row_and_meets_no_error(db: Db) -> None:
    async with db.transaction() as conn:
        await rows.source(conn, await rows.notebook(conn), ["the lake is deep"])
    for value in (None, ""):
        async with db.snapshot() as conn:
            await conn.execute("set local role sourcebook_search")
            if value is not None:
                await conn.execute("select set_config('sourcebook.sources', $1, true)", value)
            for table in ("readings", "passages", "indexes", "chunks", "chunk_lex", "chunk_vec"):
                assert await conn.fetchval(f"select count(*) from corpus.{table}") == 0, table


async def test_the_second_wall_is_a_condition_on_the_index_of_sources(db: Db) -> None:
    """What the policy adds must not cost a scan of everybody's chunks."""
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        made = await rows.source(conn, mine, ["the lake is deep"])
        await conn.execute(
            """
            insert into corpus.chunk_lex select gen_random_uuid(), md5(i::text)::uuid, $1, $2, j, '{1:1}/1000000000'::sparsevec
            from generate_series(1, 200) as a(i), generate_series(1, 20) as b(j)
            """,
            made.reading_id, rows.RECIPE,
        )  # fmt: skip
        await conn.execute("analyze corpus.chunk_lex")
    scope = await scope_of(db, Holder("notebook", mine.id), mine.owner_id)
    async with db.snapshot() as conn:
        await scopes.enter(conn, scope)
        plan = "\n".join(row[0] for row in await conn.fetch("explain select chunk_id from corpus.chunk_lex"))
    assert "chunk_lex_source_id_idx" in plan and "Index Cond: (source_id = ANY" in plan, plan


async def test_the_floor_is_that_of_the_profile_in_the_space_in_use(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn, space_id=await rows.space(conn, floor=0.3))
        bot = await assistant(conn, mine.owner_id)
    assert mine.space_id is not None
    assert (await scope_of(db, Holder("notebook", mine.id), mine.owner_id)).floor == 0.3  # not the 0.30000001 of a real
    async with db.transaction() as conn:
        await floors.put(conn, "persona", mine.space_id, floor=0.6, weak_similarity=None, clear_lead=None)
    assert (await scope_of(db, bot, mine.owner_id)).floor == 0.6
    assert (await scope_of(db, Holder("notebook", mine.id), mine.owner_id)).floor == 0.3
    assert (await scope_of(db, bot, mine.owner_id)).model == "fake-embed"


async def test_a_scope_is_narrowed_by_the_fields_its_profile_looks_at_and_carries_no_others(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        bot = await assistant(conn, mine.owner_id, "product")
        made = [await rows.source(conn, mine, ["the chip"], granted=False) for _ in range(3)]
        metas = ({"technology": ["SPR", "BLI"], "secret": "x"}, {"technology": "spr "}, {"secret": "x"})
        for source, meta in zip(made, metas, strict=True):
            await conn.execute("update sources set meta = $2 where id = $1", source.id, meta)
            await grants.give(conn, bot.id, source.id, mine.owner_id, holder="assistant")
    scope = await scope_of(db, bot, mine.owner_id)
    told = {source.id: dict(source.meta) for source in scope.sources}
    assert [told[source.id] for source in made] == [{"technology": ["SPR", "BLI"]}, {"technology": "spr "}, {}]
    assert set(scope.narrowed({"technology": ["SPR"]}).source_ids) == {made[0].id, made[1].id}
    assert scope.narrowed({"technology": ["bli"]}).source_ids == [made[0].id]
    assert scope.narrowed({"technology": []}).source_ids == []


async def test_an_index_that_an_assistant_is_cut_by_is_in_use(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        made = await rows.source(conn, mine, ["the lake"])
        await conn.execute("update notebooks set recipe_id = 'headings-500-50-a1' where id = $1", mine.id)
        assert await conn.fetchval("select count(*) from corpus.unused_indexes") == 1
        bot = await assistant(conn, mine.owner_id)
        await grants.give(conn, bot.id, made.id, mine.owner_id, holder="assistant")
        assert await conn.fetchval("select count(*) from corpus.unused_indexes") == 0


async def test_sections_are_heading_paths_and_passages_where_there_are_none(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        made = await rows.source(conn, mine, ["one", "two", "three", "four"])
        await conn.execute("update corpus.passages set heading = 'Use > Add' where reading_id = $1 and ordinal < 2", made.reading_id)
    scope = await scope_of(db, Holder("notebook", mine.id), mine.owner_id)
    async with db.snapshot() as conn:
        await scopes.enter(conn, scope)
        found = await explained.sections(conn, scope, made.chunk_ids)
    assert [found[one][1] for one in made.chunk_ids] == ["Use > Add", "Use > Add", 2, 3]


async def test_frequencies_of_a_large_scope_come_from_postings_and_are_the_same(db: Db) -> None:
    async with db.transaction() as conn:
        mine = await rows.notebook(conn)
        made = [await rows.source(conn, mine, [f"the lake is deep {n}", f"lakes {n}", "a hut"]) for n in range(3)]
    scope = await scope_of(db, Holder("notebook", mine.id), mine.owner_id)
    asked = lexemes.question_lexemes("deep lakes, huts and a mountain", scope.languages, "en", scope.analyser)

    async def counted(exact_chunks: int) -> dict[str, int] | None:
        async with db.snapshot() as conn:
            await scopes.enter(conn, scope)
            return await explained.frequencies(conn, scope, asked, exact_chunks)

    assert await counted(0) is None
    by_scan = await counted(9)
    assert by_scan is not None and {by_scan[word] for word in ("deep", "lakes", "huts", "mountain")} == {3, 6, 0}
    async with db.transaction() as conn:
        for source in made:
            while await postings.write_batch(conn, chunks.Part(source.id, source.reading_id, rows.RECIPE), 2):
                pass
    assert await counted(0) == by_scan
