"""R6, R8, R9, R17: scopes above what is scanned, several who ask at once, and many tenants beside; a million chunks with SCALE=1."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.db import Conn, Db
from sourcebook_core.store import chunks, postings, scopes, search, vector_index
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_rag.worker import warm_up
from tests import rows
from tests.load import corpus
from tests.load.bench import Bench
from tests.load.corpus import CHUNKS, DIMENSION, Corpus, Model
from tests.load.figures import Figure, median, ms, percentile, ratio
from tests.load.synthetic import Synthetic

SCAN = 10**9  # chunks up to which everything is scanned
CLIENTS, SEARCHES = 8, 12
SPREAD_ROUNDS = 20
MILLION_DIMENSION = 128  # so that the graph of a million is made within minutes
POSTING_INDEXES = ("postings_of_term", "postings_of_list")


@dataclass
class Tenants:
    """A database with notebooks of given sizes and one that holds all, and terms of their chunks to ask for."""

    made: Corpus
    drawn: Synthetic
    notebooks: dict[str, rows.Notebook] = field(default_factory=dict)
    terms: dict[str, list[NDArray[np.int64]]] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)

    async def scope(self, conn: Conn, name: str) -> Scope:
        """What a search in a notebook sees, its second wall closed."""
        notebook = self.notebooks[name]
        found = await scopes.of(conn, Holder("notebook", notebook.id), notebook.owner_id, None)
        assert found is not None
        await scopes.enter(conn, found)
        return found


async def filled(bench: Bench, seed: int, sizes: dict[str, int], *, dimension: int = DIMENSION, posted: Sequence[str] = ()) -> Tenants:
    """Notebooks of so many sources, each of a person of its own, and `all`, which is granted every one."""
    db = await Db.open(bench.settings(), size=CLIENTS + 2)
    of = Tenants(await corpus.empty(db, seed=seed, model=Model(), dimension=dimension), Synthetic(seed, dimension))
    defined = await _without_indexes(db) if posted else []
    for name, sources in sizes.items():
        of.notebooks[name] = await of.made.notebook(title=name)
        of.terms[name] = await of.drawn.pour(of.made, of.notebooks[name], sources, posted=name in posted)
        of.sizes[name] = CHUNKS * sources
    of.notebooks["all"] = await of.made.notebook(title="all")
    of.sizes["all"] = sum(of.sizes.values())
    of.terms["all"] = [one for terms in of.terms.values() for one in terms]
    await db.pool.execute(
        """
        insert into grants (holder_kind, holder_id, source_id, added_by)
        select 'notebook', $1, source_id, $2 from grants on conflict do nothing
        """,
        of.notebooks["all"].id, of.notebooks["all"].owner_id,
    )  # fmt: skip
    for definition in defined:
        await db.pool.execute(definition, timeout=3600)
    await of.made.settle()
    return of


async def _without_indexes(db: Db) -> list[str]:
    """Drop the indexes of postings for a while; returns how to make them again."""
    defined = [await db.pool.fetchval("select pg_get_indexdef($1::regclass)", f"corpus.{name}") for name in POSTING_INDEXES]
    for name in POSTING_INDEXES:
        await db.pool.execute(f"drop index corpus.{name}")
    return defined


async def post_all(of: Tenants) -> float:
    """Write the postings of everybody as care does; returns the seconds."""
    began = time.monotonic()
    async with of.made.db.transaction() as conn:
        found = await conn.fetch("select distinct source_id, reading_id, recipe_id from corpus.unposted order by 1")
    for row in found:
        async with of.made.db.transaction() as conn:
            await postings.write_batch(conn, chunks.Part(*row), 1000)
    took = time.monotonic() - began
    await of.made.settle()
    return took


async def index_all(of: Tenants) -> float:
    """Make the index by meaning as care does; returns the seconds."""
    began = time.monotonic()
    async with of.made.db.outside() as conn:
        space_id = of.made.space_id
        await vector_index.build(conn, space_id, of.drawn.dimension, await vector_index.count(conn, space_id))
    return time.monotonic() - began


async def timed(
    of: Tenants, name: str, ways: Sequence[int], ask: Callable[[Conn, Scope, int], Awaitable[object]], rounds: int
) -> list[list[float]]:
    """The seconds of `ask(conn, scope, exact_chunks)` for each way, one right after the other, `rounds` times."""
    took: list[list[float]] = [[] for _ in ways]
    async with of.made.db.snapshot() as conn:
        scope = await of.scope(conn, name)
        for _ in range(rounds + 1):
            for place, way in enumerate(ways):
                began = time.perf_counter()
                await ask(conn, scope, way)
                took[place].append(time.perf_counter() - began)
    return [one[1:] for one in took]


async def words_beside_scan(of: Tenants, name: str, rounds: int = 20) -> Figure:
    """R6: postings beside the scan of the same scope, the same questions."""
    questions = iter([question for question in (of.drawn.question(of.terms[name]) for _ in range(rounds + 1)) for _ in range(2)])

    async def ask(conn: Conn, scope: Scope, way: int) -> None:
        assert await search.matching(conn, scope, next(questions), exact_chunks=way)

    ours, scan = await timed(of, name, (0, SCAN), ask, rounds)
    what = f"BM25 by postings, {of.sizes[name]} chunks, beside the scan"
    return Figure(f"R6-{name}", what, ratio(ours, scan), 0.15, "<=", _p(ours), _p(scan))


async def meaning_beside_scan(of: Tenants, name: str, rounds: int = 20) -> list[Figure]:
    """R8: recall of 50 of the index against the scan, never fewer rows; and the time beside it."""
    vectors = of.drawn.vectors(rounds + 1).tolist()
    asked = iter([vector for vector in vectors for _ in range(2)])
    found: list[list[UUID]] = []

    async def ask(conn: Conn, scope: Scope, way: int) -> None:
        found.append([near.chunk_id for near in await search.nearest(conn, scope, [next(asked)], exact_chunks=way)])

    ours, scan = await timed(of, name, (0, SCAN), ask, rounds)
    pairs = list(zip(found[::2], found[1::2], strict=True))
    assert all(len(mine) >= len(exact) for mine, exact in pairs)
    recall = float(np.mean([len({*mine} & {*exact}) / len(exact) for mine, exact in pairs]))
    what = f"nearest by the index, {of.sizes[name]} chunks"
    return [
        Figure(f"R8-{name}", f"{what}, recall of 50", recall, 0.95, ">="),
        Figure(f"R8t-{name}", f"{what}, beside the scan", ratio(ours, scan), None, "<=", _p(ours), _p(scan)),
    ]


async def hybrid(of: Tenants, name: str) -> float:
    """One whole search as an answer makes it, its scope included; returns its seconds."""
    vector, question = of.drawn.vectors(1)[0].tolist(), of.drawn.question(of.terms[name])
    began = time.perf_counter()
    async with of.made.db.snapshot() as conn:
        scope = await of.scope(conn, name)
        near = await search.nearest(conn, scope, [vector])
        matches = await search.matching(conn, scope, question)
        known = {one.chunk_id for one in near}
        await search.similarities(conn, scope, [one.chunk_id for one in matches if one.chunk_id not in known], [vector])
    return time.perf_counter() - began


async def clients(of: Tenants, name: str) -> Figure:
    """R9: the p95 of a search with eight who ask all the time, beside one, in a process that was warmed up as a rag worker is.

    A full collection of all that a process has loaded takes a tenth of a second, and all eight wait for it: those are 8 of 96.
    """
    warm_up()

    async def one() -> list[float]:
        return [await hybrid(of, name) for _ in range(SEARCHES)]

    await asyncio.gather(*(one() for _ in range(CLIENTS)))  # eight connections are opened before anything is measured
    alone = [took for _ in range(3) for took in await one()]
    together = [took for found in await asyncio.gather(*(one() for _ in range(CLIENTS))) for took in found]
    value = percentile(together, 0.95) / percentile(alone, 0.95)
    what = f"search p95 at {of.sizes[name]} chunks, {CLIENTS} at once beside one"
    return Figure("R9", what, value, 5, "<=", _p(together), _p(alone))


async def tenants_beside(many: Tenants, few: Tenants, name: str, rounds: int = 120) -> Figure:
    """R17: the p95 of the same search over the same own data in a database with ten times more of others', in turns."""
    more, less = [], []
    for _ in range(rounds + 3):
        more.append(await hybrid(many, name))
        less.append(await hybrid(few, name))
    more, less = more[3:], less[3:]
    others = f"{many.sizes['all']:,} beside {few.sizes['all']:,} in the table"
    value = percentile(more, 0.95) / percentile(less, 0.95)
    return Figure(f"R17-{name}", f"search p95 of {many.sizes[name]} chunks, {others}", value, 1.3, "<=", _p(more), _p(less))


async def large_scopes(bench: Bench) -> list[Figure]:
    """R6, R8, R9 and R17 on two databases of 200,000 and 20,000 chunks."""
    sources = {"2k": 20, "10k": 100, "rest": 1880}
    many = await filled(bench, 6, sources, posted=tuple(sources))
    few = await filled(bench, 6, {"2k": 20, "10k": 100, "rest": 80})
    try:
        figures = [await clients(many, "10k"), await tenants_beside(many, few, "2k"), await tenants_beside(many, few, "10k")]
        figures.append(await words_beside_scan(many, "all"))
        await index_all(many)
        return [*figures, *await meaning_beside_scan(many, "all")]
    finally:
        await many.made.db.close()
        await few.made.db.close()


async def million(bench: Bench) -> list[Figure]:
    """A million chunks: scopes of 2,000 to all of them, beside a table of a tenth (`make bench SCALE=1`)."""
    figures: list[Figure] = []

    def tell(*found: Figure) -> None:
        figures.extend(found)
        for figure in found:
            print(f"  {time.strftime('%H:%M:%S')} {figure.line()}", flush=True)

    few = await filled(bench, 7, {"2k": 20, "20k": 200, "rest": 780}, dimension=MILLION_DIMENSION)
    began = time.monotonic()
    sources = {"200k": 2000, "2k": 20, "20k": 200, "rest": 7780}
    many = await filled(bench, 7, sources, dimension=MILLION_DIMENSION, posted=("200k",))
    try:
        tell(Figure("S-load", "seconds to load a million chunks, postings of 200,000", time.monotonic() - began, None, "<="))
        await sizes(many)
        for name in ("2k", "20k"):
            tell(await tenants_beside(many, few, name))
        tell(await words_beside_scan(many, "200k"))
        for name in ("2k", "20k", "200k", "all"):
            tell(await _spread(many, name))
        tell(Figure("S-post", "seconds for care to write the postings of the other 800,000", await post_all(many), None, "<="))
        tell(await words_beside_scan(many, "all", 8), await _spread(many, "all"))
        tell(Figure("S-near", "seconds to make the index by meaning of a million vectors", await index_all(many), None, "<="))
        for name, rounds in (("200k", 20), ("all", 8)):
            tell(*await meaning_beside_scan(many, name, rounds))
            tell(await _spread(many, name))
        await sizes(many)
        return figures
    finally:
        await many.made.db.close()
        await few.made.db.close()


async def _spread(of: Tenants, name: str) -> Figure:
    """How long a whole search of one notebook takes."""
    took = [await hybrid(of, name) for _ in range(SPREAD_ROUNDS + 2)][2:]
    what = f"search p95 in ms, {of.sizes[name]:,} of {of.sizes['all']:,} chunks in scope"
    return Figure(f"S-{name}", what, percentile(took, 0.95) * 1000, None, "<=", _p(took))


async def sizes(of: Tenants) -> None:
    """Print how large the tables and their indexes are."""
    found = await of.made.db.pool.fetch(
        """
        select c.relname as name, pg_table_size(c.oid) as own, pg_indexes_size(c.oid) as indexes from pg_class c
        join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'corpus' and c.relkind = 'r' order by 2 desc limit 5
        """
    )
    for row in found:
        print(f"    {row['name']}: {row['own'] / 1e6:.0f} MB and indexes of {row['indexes'] / 1e6:.0f} MB", flush=True)


def _p(took: Sequence[float]) -> str:
    return f"p50 {ms(median(took))}, p95 {ms(percentile(took, 0.95))}"
