"""How sure the line above a quoted answer may sound, from what its search found."""

from __future__ import annotations

from sourcebook_core import profiles
from sourcebook_core.db import Conn
from sourcebook_core.events import ReplyKind
from sourcebook_core.profiles import Profile
from sourcebook_core.store import floors
from sourcebook_core.store.scopes import Scope
from sourcebook_rag.answer import evidence, quoted
from sourcebook_rag.answer.retrieve import Retrieved


async def profile_of(conn: Conn, scope: Scope) -> Profile:
    """The scope's profile, with the thresholds of the reply kinds that were set for its space (S2-33, S2-34)."""
    profile = profiles.get(scope.profile)
    row = await floors.of(conn, scope.profile, scope.space_id) if scope.space_id is not None else None
    if row is None:
        return profile
    measured = {name: getattr(row, name) for name in ("weak_similarity", "clear_lead") if getattr(row, name) is not None}
    return profile.model_copy(update={"reply": profile.reply.model_copy(update=measured)})


def reply_kind(found: Retrieved, profile: Profile) -> ReplyKind:
    """How sure the line may sound, by what passed; a chunk that shares little of the question was not found by words."""
    passing = [one for one in found.candidates if one.kept]
    has_vectors = any(one.similarity is not None for one in found.candidates)
    needed = evidence.needed_share(found.candidates, profile.retrieval)
    by_words = (one for one in passing if one.words_rank and (one.idf_share >= needed or one.has_identifier))
    words = sorted(by_words, key=lambda one: one.words_rank or 0)
    meaning = sorted((one for one in passing if one.meaning_rank), key=lambda one: one.meaning_rank or 0)
    return quoted.reply_kind(
        [(one.chunk_id, one.words_score) for one in words],
        [(one.chunk_id, one.similarity or 0.0) for one in meaning] if has_vectors else None,
        profile.reply,
    )
