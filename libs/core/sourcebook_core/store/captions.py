"""Rows of `corpus.captions`: what a model wrote about a chunk, for the index alone, kept by what it was asked about."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from pgvector import SparseVector

from sourcebook_core.db import Conn
from sourcebook_core.store.chunks import LEX_DIMENSIONS, Slice, indexed_text

BROUGHT = "brought"  # in place of a model's name: a caption that its owner gave


def chunk_hash(lead: str, text: str) -> bytes:
    """What a caption is kept by: the chunk's own words, and the line that goes before them."""
    return hashlib.sha256(indexed_text(lead, text).encode("utf-8", "replace")).digest()


def in_front(heading: str | None, caption: str) -> str:
    """What stands before a chunk in the index: the title of its section, where it has one, and its caption."""
    title = (heading or "").rpartition(" > ")[2].strip()
    return f"{title}\n{caption}" if title else caption


@dataclass(frozen=True, slots=True)
class Captioned:
    """A chunk that may have a caption: what it is kept by, its own words, and the caption."""

    hashed: bytes
    heading: str | None
    text: str
    caption: str | None


@dataclass(frozen=True, slots=True)
class Words:
    """New words of a chunk that has a caption now; `weights` as `chunks.Chunk` has them."""

    chunk_id: UUID
    lexemes: int
    weights: Mapping[int, float]


async def list_of(conn: Conn, source_id: UUID, hashes: Sequence[bytes] | None = None) -> dict[bytes, str]:
    """The last written captions of a source by chunk hash (those of `hashes` alone, where given)."""
    rows = await conn.fetch(
        """
        select distinct on (chunk_hash) chunk_hash, caption from corpus.captions
        where source_id = $1 and ($2::bytea[] is null or chunk_hash = any($2)) order by chunk_hash, created_at desc
        """,
        source_id, list(hashes) if hashes is not None else None,
    )  # fmt: skip
    return {row["chunk_hash"]: row["caption"] for row in rows}


async def written_by(conn: Conn, source_id: UUID, model: str, hashes: Sequence[bytes]) -> set[bytes]:
    """Those of these chunk hashes for which this model wrote a caption, or the owner brought one."""
    rows = await conn.fetch(
        "select chunk_hash from corpus.captions where source_id = $1 and model = any($2) and chunk_hash = any($3)",
        source_id,
        [model, BROUGHT],
        list(hashes),
    )
    return {row["chunk_hash"] for row in rows}


async def insert(conn: Conn, source_id: UUID, hashed: bytes, model: str, caption: str) -> None:
    """Keep a caption. Safe to run twice."""
    await conn.execute(
        "insert into corpus.captions (source_id, chunk_hash, model, caption) values ($1, $2, $3, $4) on conflict do nothing",
        source_id, hashed, model, caption,
    )  # fmt: skip


async def bring(conn: Conn, source_id: UUID, brought: Mapping[bytes, str]) -> int:
    """Keep captions that the source's owner gives, by chunk hash; returns how many are new or changed. Safe to run twice."""
    changed = await conn.fetch(
        """
        insert into corpus.captions (source_id, chunk_hash, model, caption)
        select $1, given.hash, $2, given.caption from unnest($3::bytea[], $4::text[]) as given (hash, caption)
        on conflict (source_id, chunk_hash, model) do update set caption = excluded.caption, created_at = now()
            where captions.caption <> excluded.caption
        returning 1
        """,
        source_id, BROUGHT, list(brought), list(brought.values()),
    )  # fmt: skip
    return len(changed)


async def list_chunks(conn: Conn, source_id: UUID, recipe_id: str) -> list[Captioned]:
    """The chunks of a source's reading in use under a recipe, in order, each with the caption written last for it."""
    rows = await conn.fetch(
        """
        select c.heading, p.lead, substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text
        from sources s join corpus.chunks c on c.reading_id = s.reading_id
        join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        where s.id = $1 and c.recipe_id = $2 order by c.ordinal
        """,
        source_id, recipe_id,
    )  # fmt: skip
    known = await list_of(conn, source_id)
    hashes = [chunk_hash(row["lead"], row["text"]) for row in rows]
    return [Captioned(hashed, row["heading"], row["text"], known.get(hashed)) for hashed, row in zip(hashes, rows, strict=True)]


async def slices(conn: Conn, reading_id: UUID, recipe_id: str, first: int, limit: int) -> list[Slice]:
    """The chunks of a reading from ordinal `first` on, in order, at most `limit`."""
    rows = await conn.fetch(
        """
        select c.id, c.ordinal, substr(p.text, c.start_at + 1, c.end_at - c.start_at) as text, c.language, p.lead, c.heading
        from corpus.chunks c join corpus.passages p on p.reading_id = c.reading_id and p.ordinal = c.passage
        where c.reading_id = $1 and c.recipe_id = $2 and c.ordinal >= $3 order by c.ordinal limit $4
        """,
        reading_id, recipe_id, first, limit,
    )  # fmt: skip
    return [Slice(**dict(row)) for row in rows]


async def set_words(conn: Conn, items: Sequence[Words]) -> None:
    """Give chunks the words that they have with their captions."""
    for one in items:
        sv = SparseVector(dict(one.weights), LEX_DIMENSIONS)
        await conn.execute("update corpus.chunk_lex set sv = $2 where chunk_id = $1", one.chunk_id, sv)
        await conn.execute("update corpus.chunks set lexemes = $2 where id = $1", one.chunk_id, one.lexemes)
