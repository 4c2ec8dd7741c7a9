"""How sure the line above a quoted answer may sound, from what its search found."""

from __future__ import annotations

from sourcebook_core import profiles
from sourcebook_core.events import ReplyKind
from sourcebook_core.profiles import Profile
from sourcebook_core.store.scopes import Scope
from sourcebook_core.text import lexemes
from sourcebook_rag.answer import evidence, quoted
from sourcebook_rag.answer.evidence import Candidate
from sourcebook_rag.answer.retrieve import Retrieved


def profile_of(scope: Scope) -> Profile:
    """The scope's profile with its holder's overrides, and the thresholds that were set for its space (S2-33, S2-34)."""
    profile = profiles.of(scope.profile, scope.settings.get("profile"))
    told = {"weak_similarity": scope.weak_similarity, "clear_lead": scope.clear_lead}
    measured = {name: number for name, number in told.items() if number is not None}
    return profile.model_copy(update={"reply": profile.reply.model_copy(update=measured)})


def reply_kind(found: Retrieved, profile: Profile, question: str) -> ReplyKind:
    """How sure the line may sound, by what passed: what lies under the floor was not found by meaning, what shares little of the
    question was not found by words. Never sure of a passage that lacks a name or number of the question (S2-36)."""
    made = {source.id for source in found.scope.sources if source.is_made and not found.scope.is_one_source}
    kept = [one for one in found.candidates if one.kept]
    passing = [one for one in kept if one.source_id not in made]
    if kept and not passing:  # only what was made from sources: near, and no evidence like one
        return "weak"
    has_vectors = any(one.similarity is not None for one in found.candidates)
    needed = evidence.needed_share(found.candidates, profile.retrieval)
    by_words = (one for one in passing if evidence.says_enough(one, needed))
    words = sorted(by_words, key=lambda one: one.words_rank or 0)
    by_meaning = (one for one in passing if one.meaning_rank and (found.floor is None or (one.similarity or 0.0) >= found.floor))
    meaning = sorted(by_meaning, key=lambda one: one.meaning_rank or 0)
    if len(meaning) == 1:  # its lead is over the next passage, also over one that was left out
        others = [one for one in found.candidates if one.similarity is not None and one.chunk_id != meaning[0].chunk_id]
        meaning += sorted(others, key=lambda one: -(one.similarity or 0.0))[:1]
    kind = quoted.reply_kind(
        [(one.chunk_id, _word_score(one, profile.reply.weak_words)) for one in words],
        [(one.chunk_id, one.similarity or 0.0) for one in meaning] if has_vectors else None,
        profile.reply,
        is_best_of_module=found.is_best_of_module,
    )
    if kind == "none" and passing:  # enough only by both together: nothing to be sure of
        return "weak"
    surest = (meaning or words)[:1]
    return "several" if kind == "clear" and not all(_holds_names(found, one, question) for one in surest) else kind


def _word_score(one: Candidate, weak_words: float) -> float:
    """A name or number of the question that stands in the chunk is no weak word, however short the question."""
    return max(one.words_score, weak_words) if one.has_identifier else one.words_score


def _holds_names(found: Retrieved, one: Candidate, question: str) -> bool:
    chunk = found.chunks.get(one.chunk_id)
    text = lexemes.fold(f"{chunk.heading or ''}\n{chunk.lead}\n{chunk.text}") if chunk is not None else ""
    return all(lexemes.fold(name) in text for name in lexemes.identifiers_in(question))
