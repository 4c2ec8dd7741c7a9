"""A reading made searchable: cut into chunks with their words, then the chunks' vectors, each batch a checkpoint."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import attrgetter
from uuid import UUID

from sourcebook_core import accounting, jobs, log
from sourcebook_core.errors import PermanentError, TransientError, TurnOver
from sourcebook_core.jobs import IndexReading, RebuildSpace
from sourcebook_core.providers import embed
from sourcebook_core.providers.embed import Embedded
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import captions, chunks, indexes, passages, readings, source_work
from sourcebook_core.store.calls import Call
from sourcebook_core.store.chunks import Chunk, Part, Slice
from sourcebook_core.store.indexes import Recipe
from sourcebook_core.store.passages import Passage
from sourcebook_core.store.readings import Reading
from sourcebook_core.store.spaces import Space
from sourcebook_core.text import blocks, chunk, language, lexemes, outline
from sourcebook_ingest.deps import Deps

_log = log.get(__name__)
PASSAGES_AT_ONCE = 32
CHARS_AT_ONCE = 300_000  # about a second of work; a commit is what a crash costs again
LOCAL_BATCH_TEXTS = 8  # a local model may take seconds for a text: a page should see it go on
TITLE_WEIGHT = 3  # S2-13
TITLED = frozenset({"headings", "blocks"})  # chunkers that never cross a heading, so that a chunk has one title
CAPTION_LANGUAGE = "en"  # S0-20
OWN_LANGUAGE_CHARS = 400  # a passage long enough to tell its own language, where a text mixes several


async def cut(deps: Deps, work: IndexReading, reading: Reading, recipe: Recipe) -> int:
    """Write the chunks of a reading with their words; goes on after the last whole batch. Returns how many there are.

    Safe to run twice: the same reading under the same recipe always gives the same chunks.
    """
    async with deps.db.transaction() as conn:
        far = await chunks.how_far(conn, reading.id, recipe.id)
        known = await captions.list_of(conn, work.source_id) if recipe.captions else {}
    ordinal, first = far.chunks, far.passage + 1 if far.chunks else 0
    while True:
        async with deps.db.transaction() as conn:
            ahead = await passages.list_from(conn, reading.id, first, PASSAGES_AT_ONCE + 1)  # a header is told by what follows it
        batch, repeated = ahead[:PASSAGES_AT_ONCE], repeated_headers(ahead)
        if not batch:
            return ordinal
        for group in _groups(batch):
            cut = [one for one in group if one.ordinal not in repeated]
            made = await asyncio.to_thread(cut_passages, cut, recipe, reading.language, ordinal, known)
            ordinal += len(made)
            if made:
                async with jobs.holding(deps.db, work, checkpoint=True) as conn:
                    await chunks.insert_many(conn, reading.id, work.source_id, recipe.id, made)
        first = batch[-1].ordinal + 1


def _groups(batch: Sequence[Passage]) -> Iterator[list[Passage]]:
    """The passages in order, in groups of about `CHARS_AT_ONCE`: one commit each."""
    group: list[Passage] = []
    size = 0
    for passage in batch:
        group.append(passage)
        size += len(passage.text)
        if size >= CHARS_AT_ONCE:
            yield group
            group, size = [], 0
    if group:
        yield group


def repeated_headers(of: Sequence[Passage]) -> set[int]:
    """The passages, by ordinal, that are the header line of a table and nothing else, and whose next passage has rows under it: their
    words stand over every chunk of those rows, and alone they would take a place among what is found. The passage stays in the reading."""
    return {
        head.ordinal for head, rows in pairwise(of) if rows.lead and head.sheet == rows.sheet and not head.lead and head.text == rows.lead
    }


def cut_passages(
    batch: Sequence[Passage], recipe: Recipe, of_reading: str | None, first: int, known: Mapping[bytes, str] | None = None
) -> list[Chunk]:
    """The chunks of passages in order, numbered from `first`; a passage that was not read has none.

    `known`: the captions that were written before, by `captions.chunk_hash`; their words are the chunk's too.
    """
    made: list[Chunk] = []
    for passage in batch:
        if passage.state != "read":
            continue
        spoken = (language.identify(passage.text) if len(passage.text) >= OWN_LANGUAGE_CHARS else None) or of_reading
        heads = outline.outline(passage.text) if recipe.chunker in TITLED else []
        for start, end in ranges(passage.text, recipe):
            text = passage.text[start:end]
            caption = known.get(captions.chunk_hash(passage.lead, text)) if known else None
            front = captions.in_front(passage.heading, caption) if caption else ""
            length, weights = words_of(text, passage.lead, front, title_of(passage.heading, heads, end), spoken, recipe)
            made.append(Chunk(first + len(made), passage.ordinal, start, end, passage.page, passage.heading, spoken, length, weights))
    return made


def title_of(path: str | None, heads: Sequence[outline.Heading], end: int) -> str:
    """The last heading above or in a chunk that ends there, of those in its passage's text, else of the passage's path (S2-13).

    Never the title of the source: a title that a person changes must not make an index wrong.
    """
    place = bisect_left(heads, end, key=attrgetter("start"))
    while place and not heads[place - 1].title:
        place -= 1
    return heads[place - 1].title if place else (path or "").rpartition(" > ")[2]


def words_of(text: str, lead: str, front: str, title: str, spoken: str | None, recipe: Recipe) -> tuple[int, dict[int, float]]:
    """How many words a chunk has, and their weights: its own in its language, those of what stands before it in English, and
    those of its title three times in recipes that cut at headings."""
    weight = TITLE_WEIGHT if recipe.chunker in TITLED else 0
    counted = lexemes.chunk_lexemes(chunks.indexed_text(lead, text), spoken, title, weight, recipe.analyser)
    counts, length = counted.counts, counted.length
    if front:
        before = lexemes.chunk_lexemes(front, CAPTION_LANGUAGE, analyser=recipe.analyser)
        counts, length = dict(Counter(counts) + Counter(before.counts)), length + before.length
    return length, lexemes.document_weights(counts, length, recipe.avgdl)


def ranges(text: str, recipe: Recipe) -> list[chunk.Range]:
    """The half-open ranges into which a recipe cuts a passage. Raises PermanentError `bad_setting` for an unknown chunker."""
    if recipe.chunker == "token_window":
        return chunk.token_window(text, recipe.size, recipe.overlap)
    if recipe.chunker == "headings":
        return chunk.headings(text, recipe.size, recipe.overlap)
    if recipe.chunker == "blocks":
        return blocks.blocks(text, recipe.size)
    raise PermanentError("bad_setting", setting=f"recipe {recipe.id}", why=f"the chunker {recipe.chunker} is not there.")


async def embed_reading(
    deps: Deps, work: IndexReading | RebuildSpace, role: RoleSettings, space: Space, part: Part, total: int | None = None, before: int = 0
) -> None:
    """Embed the chunks of a reading that have no vector in this space yet, batch by batch; with `total` the source shows how far:
    `before` parts of it were done before.

    Safe to run twice: a batch's vectors and the end of its ledger row are one commit. Raises the embedding role's
    TransientError or PermanentError; TurnOver after `turn_s`, so that a book does not keep a page waiting.
    """
    async with deps.db.transaction() as conn:
        done = before + await chunks.count_vectors(conn, part.reading_id, part.recipe_id, space.id)
        is_captioned = (await indexes.get_recipe(conn, part.recipe_id)).captions
    turn_ends = time.monotonic() + deps.settings.jobs.turn_s
    at_once = LOCAL_BATCH_TEXTS if role.provider == "local" else embed.BATCH_TEXTS
    after = -1
    while True:
        async with deps.db.transaction() as conn:
            batch = await chunks.without_vector(conn, part.reading_id, part.recipe_id, space.id, at_once, after)
        if not batch:
            return
        after = batch[-1].ordinal
        call, found = await _vectors(deps, work, role, space, part.source_id, batch, is_captioned)
        done += len(batch)
        async with jobs.holding(deps.db, work, checkpoint=True) as conn:
            source = await source_work.lock(conn, part.source_id)
            if source is None or source.deleted_at is not None:
                return  # deleted while another space was built: nothing of it may come back
            pairs = list(zip(batch, found.vectors, strict=True))
            await chunks.insert_vectors(conn, part.reading_id, part.source_id, part.recipe_id, space.id, pairs)
            units = {"texts": len(batch), "tokens_in": found.tokens, "calls": found.calls}
            await accounting.finish(conn, call, response={}, units=units, cost=deps.prices.cost_of(role, units))
            if total is not None:
                await source_work.progress(conn, part.source_id, "indexing", done, total)
        if total is not None:
            await deps.tell(part.source_id)
        if isinstance(work, IndexReading) and time.monotonic() >= turn_ends:
            raise TurnOver


async def _vectors(
    deps: Deps,
    work: IndexReading | RebuildSpace,
    role: RoleSettings,
    space: Space,
    source_id: UUID,
    batch: Sequence[Slice],
    captioned: bool,
) -> tuple[Call, Embedded]:
    texts = await _indexed(deps, source_id, batch) if captioned else [piece.indexed for piece in batch]
    inputs = accounting.fingerprint([str(space.id), *(str(piece.id) for piece in batch)])
    call = await accounting.begin(deps.db, work, "embed", role, inputs, source_id=source_id, prices=deps.prices)
    try:
        found = await embed.embed_counted(role, texts, mode="passage", languages=[piece.language for piece in batch])
        if len(found.vectors[0]) != space.dimension:
            raise PermanentError("dimension_differs", got=len(found.vectors[0]), want=space.dimension, setting="the embedding space")
    except (TransientError, PermanentError) as error:
        await accounting.fail(deps.db, call, error.code)
        raise
    return call, found


async def _indexed(deps: Deps, source_id: UUID, batch: Sequence[Slice]) -> list[str]:
    """What is embedded of these chunks: title and caption, where one was written, then the chunk."""
    hashes = [captions.chunk_hash(piece.lead, piece.text) for piece in batch]
    async with deps.db.transaction() as conn:
        known = await captions.list_of(conn, source_id, hashes)
    fronts = [
        captions.in_front(piece.heading, known[hashed]) + "\n" if hashed in known else ""
        for piece, hashed in zip(batch, hashes, strict=True)
    ]
    return [front + piece.indexed for front, piece in zip(fronts, batch, strict=True)]


async def load(deps: Deps, work: IndexReading) -> tuple[Reading, Recipe]:
    """The reading and the recipe that this work names. Raises LookupError when either is gone."""
    async with deps.db.transaction() as conn:
        return await readings.get(conn, work.reading_id), await indexes.get_recipe(conn, work.recipe_id)
