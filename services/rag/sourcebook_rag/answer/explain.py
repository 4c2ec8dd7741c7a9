"""How passages were found and dropped, as `GET /turns/{id}/why` and a search tell it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sourcebook_core.text import lexemes
from sourcebook_rag.answer import outcome, reasons
from sourcebook_rag.answer.evidence import Candidate
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.retrieve import Retrieved

SHOWN = 50  # candidates kept for "How it was found" (api.md section 8)
_SIGNS = re.compile(r"[\W_]+")


def after_prompt(retrieved: Retrieved, prompt: Sequence[Passage]) -> Retrieved:
    """The same with what became of the chosen ones: joined to a neighbour's passage, or left out because the prompt was full.

    `prompt` are the passages that were given. Of a model that is given sentences, a passage of which none was given is cut too.
    """
    given = {passage.chunk.id for passage in prompt}
    candidates = [
        _placed(one, retrieved, given, prompt) if one.kept and one.chunk_id in retrieved.chunks else one for one in retrieved.candidates
    ]
    return replace(retrieved, candidates=candidates)


def _placed(one: Candidate, retrieved: Retrieved, given: set[Any], prompt: Sequence[Passage]) -> Candidate:
    if one.chunk_id in given:
        return one
    chunk = retrieved.chunks[one.chunk_id]
    for other in (passage.chunk for passage in prompt):
        is_there = (other.reading_id, other.passage) == (chunk.reading_id, chunk.passage)
        if is_there and other.start_at <= chunk.start_at and chunk.end_at <= other.end_at:
            return reasons.joined(one)
    return reasons.cut(one)


def why(
    question: str,
    language: str | None,
    retrieved: Retrieved,
    frequencies: Mapping[str, int] | None,
    degraded: Sequence[str],
    prompt: str | None,
) -> dict[str, Any]:
    """Everything that decided which passages were handed over, for the turn's row.

    `frequencies` is by word in how many chunks of the scope it stands; None when it could not be counted.
    """
    scope = retrieved.scope
    shown = [one for one in retrieved.candidates[:SHOWN] if one.chunk_id in retrieved.chunks]
    ids = {one.chunk_id for one in shown}
    return {
        "question": question,
        "language": language,
        "words": words(question, frequencies),
        "scope": {"sources": len(scope.sources), "chunks": scope.chunks, "chosen": scope.is_chosen},
        "mode": retrieved.mode,
        "k": sum(part.k for part in retrieved.parts),
        "floor": retrieved.floor,
        "recipe": scope.recipe_id,
        "model": scope.model,
        "pools": pools(retrieved),
        "candidates": [told(one, retrieved) for one in shown],
        "near_misses": [str(one) for one in retrieved.near_misses() if one in ids],
        "degraded": list(degraded),
        "prompt": prompt,
    }


def words(question: str, frequencies: Mapping[str, int] | None) -> list[dict[str, Any]]:
    """Each word of the question once, then names and numbers as wholes (as they were typed), with the number of chunks in scope
    that hold it; null for one that was left out (a stop word), or where nothing was counted."""
    counted = frequencies or {}
    typed = {_SIGNS.sub("", lexemes.fold(name)): name for name in lexemes.identifiers_in(question)}  # "e4417" was typed as "E-4417"
    return [{"word": typed.get(word, word), "chunks": counted.get(word)} for word in dict.fromkeys([*lexemes.words(question), *counted])]


def pools(retrieved: Retrieved) -> list[dict[str, Any]]:
    """What each pool of evidence gave, and how far it covers the question; empty without pools (S4-14 to S4-20)."""
    found = []
    for part in retrieved.parts:
        if part.name:
            kept = sum(one.kept for one in retrieved.candidates if one.pool == part.name)
            found.append({"name": part.name, "k": part.k, "kept": kept, "coverage": outcome.bucket(kept), "is_evidence": part.is_evidence})
    return found


def told(one: Candidate, retrieved: Retrieved) -> dict[str, Any]:
    """A candidate with its words, as the page and programs see it."""
    passage = retrieved.passage(one)
    chunk, source = passage.chunk, passage.source
    return {
        "chunk_id": str(chunk.id),
        "source_id": str(source.id),
        "source_title": source.title,
        "kind": source.kind,
        "reading_id": str(chunk.reading_id),
        "passage": chunk.passage,
        "start": chunk.start_at,
        "end": chunk.end_at,
        "page": chunk.page,
        "heading": chunk.heading,
        "text": chunk.text,
        "words_rank": one.words_rank,
        "words_score": round(one.words_score, 3),
        "idf_share": round(one.idf_share, 3),
        "meaning_rank": one.meaning_rank,
        "similarity": round(one.similarity, 4) if one.similarity is not None else None,
        "fused_rank": one.fused_rank,
        "fused_score": round(one.fused_score, 5),
        "needed": retrieved.needed.get(one.pool),
        "pool": one.pool or None,
        "kept": one.kept,
        "reason": one.reason,
        "why": one.why,
    }
