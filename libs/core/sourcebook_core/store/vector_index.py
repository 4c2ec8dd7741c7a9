"""The index by meaning (HNSW) of a space: how a scope too large to scan is searched, and its making and dropping for care.

Each space has a partial index of its own on `corpus.chunk_vec`, over `e::halfvec(N)`; Postgres's catalogue is the only record of it.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import lru_cache
from uuid import UUID

from pgvector import HalfVector

from sourcebook_core import log
from sourcebook_core.db import Conn, is_at_least
from sourcebook_core.store.scopes import Scope

_log = log.get(__name__)
# 0.8.2 to 0.8.4 mended an overflow while building, and graphs broken by vacuum (performance section 2).
SAFE_VERSION = (0, 8, 4)
EF_SEARCH = 100
# A smaller part of a space is scanned: an index walked with a filter is slower than that, and loses rows (docs/adr/exact-scans.md).
SMALLEST_PART = 0.20
# Of the walk's order, which is only nearly right, so many times the wished rows are taken and put in order.
OVERTAKE = 2
MOST_BUILD_MB = 2000  # a graph that does not fit is built many times slower; taken only as it grows
BUILD_SECONDS = 6 * 3600.0


@dataclass(frozen=True, slots=True)
class VectorIndex:
    """An index in the catalogue. `vectors`: how many it held when it was last counted. Not `is_valid`: being made, or left over."""

    is_valid: bool
    vectors: float
    pgvector: str


def name_of(space_id: UUID) -> str:
    """What a space's index is called."""
    return f"chunk_vec_near_{space_id.hex}"


async def is_safe(conn: Conn) -> bool:
    """Whether pgvector is new enough for this index to be trusted, and takes the settings of a search as they were meant.

    A bad value, or a name that an older version does not know, is no error in Postgres: so they are set and read back.
    """
    if not is_new_enough(await installed(conn)):
        return False
    await conn.execute("select '[1]'::halfvec <=> '[1]'::halfvec")  # loads the library, which knows the names
    await _set(conn)
    return await _end(conn)


async def installed(conn: Conn) -> str:
    """The version of pgvector in this database, as "0.8.6"."""
    version: str = await conn.fetchval("select extversion from pg_extension where extname = 'vector'")
    return version


def is_new_enough(version: str) -> bool:
    """Whether a version of pgvector ("0.8.6") is one whose indexes are trusted."""
    return is_at_least(version, SAFE_VERSION)


async def find(conn: Conn, space_id: UUID) -> VectorIndex | None:
    """The index of a space, if it has one, made or in the making."""
    row = await conn.fetchrow(
        """
        select x.indisvalid and x.indisready as is_valid, c.reltuples::float8 as vectors,
            (select extversion from pg_extension where extname = 'vector') as pgvector
        from pg_class c join pg_index x on x.indexrelid = c.oid join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'corpus' and c.relname = $1
        """,
        name_of(space_id),
    )
    return VectorIndex(**dict(row)) if row is not None else None


async def nearest(conn: Conn, of: Scope, questions: Sequence[HalfVector], limit: int) -> list[tuple[UUID, UUID, int, float]] | None:
    """Chunk, source, ordinal and cosine of the nearest chunks, in no order, at most `limit` for each question vector.

    None where a scan has to do: there is no index, the scope is a small part of it, or it gave fewer rows than asked for.
    """
    if of.space_id is None:
        return None
    index, size = await find(conn, of.space_id), of.chunks
    if index is None or not index.is_valid or not is_new_enough(index.pgvector):
        _tell_scanned(of.space_id)
        return None
    if size < SMALLEST_PART * index.vectors:
        return None
    await _set(conn)
    sql = _NEAREST.replace("DIMENSION", str(questions[0].dimensions()))
    best: dict[UUID, tuple[UUID, UUID, int, float]] = {}
    fewest = limit
    for question in questions:
        rows = await conn.fetch(sql, of.source_ids, of.reading_ids, of.recipe_id, of.space_id, question, OVERTAKE * limit)
        fewest = min(fewest, len(rows))
        for row in rows:
            similarity = 1.0 - row["d"]
            if row["chunk_id"] not in best or best[row["chunk_id"]][3] < similarity:
                best[row["chunk_id"]] = (row["chunk_id"], row["source_id"], row["ordinal"], similarity)
    if not await _end(conn) or fewest < limit:
        _log.warning("search.fell_short", space_id=str(of.space_id), rows=fewest, limit=limit, scope=size)
        return None
    return list(best.values())


@lru_cache(maxsize=1000)
def _tell_scanned(space_id: UUID) -> None:
    """Once a process: a scan is right, and slow for a scope of this size."""
    _log.info("search.scanned_meaning", space_id=str(space_id))


# The type's length must stand in the text for the planner to know the index again; it is a number of ours.
_NEAREST = """
    select chunk_id, source_id, ordinal, e::halfvec(DIMENSION) <=> $5 as d from corpus.chunk_vec
    where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and space_id = $4
    order by e::halfvec(DIMENSION) <=> $5 limit $6
"""


async def _set(conn: Conn) -> None:
    """For the rest of this transaction, or until `_end`: walk on until enough rows pass the filter, in the index's order."""
    await conn.execute(
        """
        select set_config('hnsw.iterative_scan', 'relaxed_order', true), set_config('hnsw.ef_search', $1, true),
            set_config('enable_sort', 'off', true)
        """,
        str(EF_SEARCH),
    )


async def _end(conn: Conn) -> bool:
    """Let the planner sort again; whether the settings were those that `_set` meant."""
    row = await conn.fetchrow(
        """
        select set_config('enable_sort', 'on', true), current_setting('hnsw.iterative_scan', true) as scan,
            current_setting('hnsw.ef_search', true) as ef
        """
    )
    return row is not None and (row["scan"], row["ef"]) == ("relaxed_order", str(EF_SEARCH))


async def count(conn: Conn, space_id: UUID) -> int:
    """How many chunks have their vector in a space, as its indexes say."""
    found: int = await conn.fetchval(
        "select coalesce(sum(chunks), 0) from corpus.indexes where space_id = $1 and state = 'full'", space_id
    )  # fmt: skip
    return found


async def try_lock(conn: Conn, space_id: UUID) -> bool:
    """Whether this session, and nobody else, may make or drop the space's index until it unlocks or its connection ends.

    A worker that was killed leaves its session at work in Postgres for a while: then this is False.
    """
    got: bool = await conn.fetchval("select pg_try_advisory_lock(hashtextextended($1, 1))", name_of(space_id))
    return got


async def unlock(conn: Conn, space_id: UUID) -> None:
    """Give up what `try_lock` took."""
    await conn.execute("select pg_advisory_unlock(hashtextextended($1, 1))", name_of(space_id))


@asynccontextmanager
async def locked(conn: Conn, space_id: UUID) -> AsyncIterator[bool]:
    """Whether `try_lock` got the lock, which is given up at the end of the block."""
    got = await try_lock(conn, space_id)
    try:
        yield got
    finally:
        if got:
            await unlock(conn, space_id)


def build_mb(vectors: int, dimension: int) -> int:
    """The memory for a graph: two bytes a number, and about 500 for a vector's neighbours (m 16), with a fifth to spare."""
    return min(MOST_BUILD_MB, 64 + int(vectors * (2 * dimension + 500) * 1.2 / 1e6))


async def build(conn: Conn, space_id: UUID, dimension: int, vectors: int) -> None:
    """Make a space's index beside all reading and writing, which takes minutes; `conn` must be outside any transaction.

    By one process: with more, pgvector needs its memory in /dev/shm, which containers keep small.
    """
    made = await conn.fetchval(
        """
        select format('create index concurrently %I on corpus.chunk_vec using hnsw ((e::halfvec(%s)) halfvec_cosine_ops)'
            ' with (m = 16, ef_construction = 64) where space_id = %L', $1::text, $2::integer, $3::uuid)
        """,
        name_of(space_id), dimension, space_id,
    )  # fmt: skip
    await conn.execute("select set_config('maintenance_work_mem', $1, false)", f"{build_mb(vectors, dimension)}MB")
    await conn.execute("select set_config('max_parallel_maintenance_workers', '0', false)")
    try:
        await conn.execute(made, timeout=BUILD_SECONDS)
    finally:
        await conn.execute("reset maintenance_work_mem")
        await conn.execute("reset max_parallel_maintenance_workers")


async def drop(conn: Conn, space_id: UUID) -> None:
    """Drop a space's index, also one that was left half made; `conn` must be outside any transaction."""
    dropped = await conn.fetchval("select format('drop index concurrently if exists corpus.%I', $1::text)", name_of(space_id))
    await conn.execute(dropped, timeout=BUILD_SECONDS)


async def of_no_space(conn: Conn) -> list[UUID]:
    """Spaces that have an index and are retired or gone."""
    rows = await conn.fetch(
        """
        select substr(c.relname, length('chunk_vec_near_') + 1)::uuid as id
        from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where n.nspname = 'corpus' and c.relkind = 'i' and c.relname like 'chunk\\_vec\\_near\\_%'
            and not exists (
                select from spaces s where s.state <> 'retired' and c.relname = 'chunk_vec_near_' || replace(s.id::text, '-', ''))
        """
    )
    return [row["id"] for row in rows]
