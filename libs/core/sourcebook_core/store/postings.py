"""Words term by term (`corpus.postings`): how a scope too large to scan is searched, and how care writes and clears them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from sourcebook_core.db import Conn
from sourcebook_core.store.chunks import Part
from sourcebook_core.store.scopes import Scope, ScopeSource

SETTLE_SECONDS = 3600.0
# A row of `places`, little-endian whatever the machine.
_PLACE = np.dtype([("ordinal", "<i4"), ("weight", "<f4")])
PIECE = 200  # places in a row: an entry of the index must stay below 2,704 bytes
_SENT_HEAD = 12  # bytes of `sparsevec_send` before the indices: dimensions, count, unused; all big-endian


@dataclass(frozen=True, slots=True)
class Lists:
    """The lists of a scope's readings in the order of their sources' ids, and in one row all their chunks: list `at` has the
    places from `starts[at]` on, so that a place's order is the order of source and ordinal."""

    sources: list[ScopeSource]
    ids: NDArray[np.int32]
    starts: NDArray[np.int64]
    count: int

    def source_of(self, place: int) -> tuple[ScopeSource, int]:
        """The source of a place, and the ordinal of the chunk there."""
        at = int(np.searchsorted(self.starts, place, side="right")) - 1
        return self.sources[at], place - int(self.starts[at])


@dataclass(frozen=True, slots=True)
class Held:
    """The chunks of a scope that hold a term: their places in `Lists`, each once and in no order, and the term's weight there."""

    places: NDArray[np.int64]
    weights: NDArray[np.float32]


async def lists_of(conn: Conn, of: Scope) -> Lists | None:
    """The lists of every reading of the scope; None unless each of them has a whole one."""
    row = await conn.fetchrow(
        """
        select count(*) as found, string_agg(int4send(id), ''::bytea order by source_id) as ids,
            string_agg(int4send(chunks), ''::bytea order by source_id) as chunks
        from corpus.posting_lists
        where source_id = any($1) and reading_id = any($2) and recipe_id = $3 and state = 'whole'
        """,
        of.source_ids, of.reading_ids, of.recipe_id,
    )  # fmt: skip
    sources = sorted((source for source in of.sources if source.chunks), key=lambda source: source.id)
    if row is None or not sources or row["found"] != len(sources):
        return None
    sizes = np.frombuffer(row["chunks"], ">i4").astype(np.int64)
    ends = np.cumsum(sizes)
    return Lists(sources, np.frombuffer(row["ids"], ">i4").astype(np.int32), ends - sizes, int(ends[-1]))


async def held_by(conn: Conn, of: Scope, lists: Lists, terms: Sequence[int]) -> dict[int, Held]:
    """For each of these terms (dimensions of `chunk_lex.sv`) that any chunk of the scope holds: where, and with what weight.

    TRAP: the aggregates of one group see its rows in the same order; that alone lets the three be cut alike here.
    """
    rows = await conn.fetch(
        """
        select term, string_agg(int4send(list_id), ''::bytea) as lists,
            string_agg(int4send(length(places) / 8), ''::bytea) as counts, string_agg(places, ''::bytea) as places
        from corpus.postings where term = any($1) and source_id = any($2) group by term
        """,
        list(terms), of.source_ids,
    )  # fmt: skip
    by_id = np.argsort(lists.ids)
    ids = lists.ids[by_id]
    found = {}
    for row in rows:
        of_list = np.frombuffer(row["lists"], ">i4").astype(np.int32)
        near = np.minimum(np.searchsorted(ids, of_list), len(ids) - 1)
        starts = np.where(ids[near] == of_list, lists.starts[by_id[near]], -1)  # -1: another reading or recipe of the same source
        first = np.repeat(starts, np.frombuffer(row["counts"], ">i4"))
        pairs = np.frombuffer(row["places"], _PLACE)
        held = first >= 0
        if held.any():
            found[int(row["term"])] = Held(first[held] + pairs["ordinal"][held], pairs["weight"][held])
    return found


async def chunk_ids(conn: Conn, of: Scope, at: Sequence[tuple[UUID, int]]) -> dict[tuple[UUID, int], UUID]:
    """The ids of chunks by their reading and ordinal, under the scope's recipe."""
    rows = await conn.fetch(
        """
        select c.id, c.reading_id, c.ordinal from unnest($1::uuid[], $2::integer[]) as w(reading_id, ordinal)
        join corpus.chunks c on c.reading_id = w.reading_id and c.recipe_id = $3 and c.ordinal = w.ordinal
        """,
        [reading_id for reading_id, _ in at], [ordinal for _, ordinal in at], of.recipe_id,
    )  # fmt: skip
    return {(row["reading_id"], row["ordinal"]): row["id"] for row in rows}


async def owners_over(conn: Conn, chunks: int, owner_id: UUID | None = None) -> list[UUID]:
    """Owners with more chunks than that, of whom a reading has no whole list; with `owner_id`, that one or nobody."""
    rows = await conn.fetch(
        """
        with large as (
            select owner_id from sources where deleted_at is null and ($2::uuid is null or owner_id = $2)
            group by owner_id having sum(chunks) > $1)
        select l.owner_id from large l where exists (
            select from corpus.unposted u where u.owner_id = l.owner_id) order by 1
        """,
        chunks, owner_id,
    )  # fmt: skip
    return [row["owner_id"] for row in rows]


async def list_unposted(conn: Conn, owner_id: UUID, limit: int) -> list[Part]:
    """Readings of an owner that are cut and in use and have no whole list, at most `limit`."""
    rows = await conn.fetch(
        "select distinct source_id, reading_id, recipe_id from corpus.unposted where owner_id = $1 order by 1, 2, 3 limit $2",
        owner_id, limit,
    )  # fmt: skip
    return [Part(**dict(row)) for row in rows]


async def write_batch(conn: Conn, part: Part, limit: int) -> int:
    """Write the next `limit` chunks of a reading into its list, begun when there is none; returns how many there were.

    Fewer than `limit`: the list is whole. Safe to run twice: a list knows how far it is, in the commit of its postings.
    """
    # Waits for whoever deletes or changes words of this reading just now (`corpus.end_postings`), and sees what they did.
    await conn.execute("select pg_advisory_xact_lock(hashtextextended($1::uuid || $2::text, 0))", part.reading_id, part.recipe_id)
    await conn.execute(
        """
        insert into corpus.posting_lists (source_id, reading_id, recipe_id) values ($1, $2, $3)
        on conflict (reading_id, recipe_id) where state <> 'gone' do nothing
        """,
        part.source_id, part.reading_id, part.recipe_id,
    )  # fmt: skip
    row = await conn.fetchrow(
        "select id, chunks, state from corpus.posting_lists where reading_id = $1 and recipe_id = $2 and state <> 'gone' for update",
        part.reading_id, part.recipe_id,
    )  # fmt: skip
    if row is None or row["state"] == "whole":
        return 0
    rows = await conn.fetch(
        """
        select c.ordinal, sparsevec_send(l.sv) as sent from corpus.chunks c join corpus.chunk_lex l on l.chunk_id = c.id
        where c.reading_id = $1 and c.recipe_id = $2 and c.ordinal >= $3 and c.ordinal < $3 + $4 order by c.ordinal
        """,
        part.reading_id, part.recipe_id, row["chunks"], limit,
    )  # fmt: skip
    await conn.copy_records_to_table(
        "postings", schema_name="corpus", columns=["term", "list_id", "source_id", "places"],
        records=[(term, row["id"], part.source_id, places) for term, places in by_term([(r["ordinal"], r["sent"]) for r in rows])],
    )  # fmt: skip
    state = "whole" if len(rows) < limit else "building"
    await conn.execute("update corpus.posting_lists set chunks = chunks + $2, state = $3 where id = $1", row["id"], len(rows), state)
    return len(rows)


def by_term(sent: Sequence[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """Chunks (ordinal and `sparsevec_send` of their words) turned round: terms ascending, each with its `places`, in pieces."""
    indices, weights, lengths = [], [], []
    for _, raw in sent:
        count = int.from_bytes(raw[4:8], "big")
        lengths.append(count)
        indices.append(np.frombuffer(raw, ">i4", count, _SENT_HEAD))
        weights.append(np.frombuffer(raw, ">f4", count, _SENT_HEAD + 4 * count))
    if not sum(lengths):
        return []
    terms = np.concatenate(indices).astype(np.int32)
    order = np.argsort(terms, kind="stable")  # so that ordinals stay in their order within a term
    terms = terms[order]
    pairs = np.empty(len(terms), _PLACE)
    pairs["ordinal"] = np.repeat(np.array([ordinal for ordinal, _ in sent], dtype=np.int32), lengths)[order]
    pairs["weight"] = np.concatenate(weights).astype(np.float32)[order]
    edges = [0, *(np.flatnonzero(np.diff(terms)) + 1).tolist(), len(terms)]
    raw, size = pairs.tobytes(), _PLACE.itemsize
    pieces = ((start, min(start + PIECE, b)) for a, b in pairwise(edges) for start in range(a, b, PIECE))
    return [(int(terms[a]), raw[a * size : b * size]) for a, b in pieces]


async def settle(conn: Conn) -> None:
    """Let searches read the index of new postings alone, and the planner know of them; `conn` must be outside any transaction."""
    await conn.execute("vacuum (analyze) corpus.postings", timeout=SETTLE_SECONDS)
    await conn.execute("vacuum (analyze) corpus.posting_lists", timeout=SETTLE_SECONDS)


async def delete_gone(conn: Conn, limit: int) -> int:
    """Clear postings of lists that ended, at most `limit` rows; returns how many went. Fewer than `limit`: the lists went too."""
    count: int = await conn.fetchval(
        """
        with batch as (
            select p.ctid from corpus.postings p where p.list_id in (select id from corpus.posting_lists where state = 'gone') limit $1),
        gone as (delete from corpus.postings where ctid = any(array(select ctid from batch)) returning 1)
        select count(*) from gone
        """,
        limit,
    )
    if count < limit:
        await conn.execute(
            "delete from corpus.posting_lists l where state = 'gone' and not exists (select from corpus.postings p where p.list_id = l.id)"
        )
    return count
