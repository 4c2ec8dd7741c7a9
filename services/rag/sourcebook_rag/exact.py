"""Searches for texts that hold what was typed: phrases and beginnings of words."""

from __future__ import annotations

from sourcebook_core.errors import PermanentError
from sourcebook_core.profiles import Retrieval
from sourcebook_core.store import explained, scopes, search
from sourcebook_rag.answer import retrieve
from sourcebook_rag.answer.parts import Part
from sourcebook_rag.answer.retrieve import Found, Retrieved
from sourcebook_rag.answer.run import Run
from sourcebook_rag.typed import Typed, holds

LOOKED_THROUGH = 200  # the best by words, and as many by beginnings
# Words alone, every place counts, and what a person asked for word by word is shown from made documents too.
_KNOBS = Retrieval(
    mode="lexical", list_depth=LOOKED_THROUGH, fused_depth=LOOKED_THROUGH, floor_on="nothing", generated_slots=LOOKED_THROUGH
)


async def find(run: Run, of: scopes.Scope, typed: Typed, language: str | None, k: int) -> Retrieved:
    """The chunks that hold every phrase and beginning, best first by their words, with their texts.

    No index knows how words begin, or has words that carry no content: where the scope may be scanned, its texts are; in a larger
    one, the best by words are looked through. Raises PermanentError `not_found`.
    """
    exact_chunks = run.deps.settings.exact_scan_chunks
    async with run.deps.db.snapshot() as conn:
        scope = await scopes.enter_again(conn, of)
        if scope is None:
            raise PermanentError("not_found")
        asked = scope.words_of(typed.words, language)
        matches = {one.chunk_id: one for one in await search.matching(conn, scope, asked, LOOKED_THROUGH, exact_chunks=exact_chunks)}
        if scope.chunks <= exact_chunks:
            starts = typed.beginnings or (typed.phrases if not asked.words else ())  # a text must hold them all
            matches = {one.chunk_id: one for one in await explained.beginning(conn, scope, starts, LOOKED_THROUGH)} | matches
        rows = await search.chunk_rows(conn, scope, list(matches))
    held = [one for one in matches.values() if one.chunk_id in rows and holds(typed, rows[one.chunk_id].text)]
    found = retrieve.retrieve([Found(Part("", scope, k), [], held)], scope, _KNOBS, None)
    found.chunks.update({one.chunk_id: rows[one.chunk_id] for one in held})
    if scope.pending:
        run.without("indexing")
    return found
