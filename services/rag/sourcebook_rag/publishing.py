"""Publishing an assistant: its test questions are searched with the draft first, as `sourcebook eval run --notebook` searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sourcebook_core import jobs, log, roles
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import PublishAssistant
from sourcebook_core.profiles import Profile
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import assistants, questions, scopes, spaces
from sourcebook_core.store.questions import TestQuestion
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import language
from sourcebook_rag.answer import embedding, seek, sureness
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps

_log = log.get(__name__)
MOST = 200  # test questions that are searched, the newest: about a minute with a slow embedding model
Outcome = Mapping[str, Any]


async def publish_assistant(work: PublishAssistant, deps: Deps) -> None:
    """Search the test questions, compare with what was found at the publication before, and publish where that is wanted.

    What was searched is what is published, also if the draft changed meanwhile. The job's result: `{as_before, changed, right,
    total, published, questions: [{question_id, was_right, is_right}]}`. Safe to run twice: questions that were embedded are not
    paid again. Raises PermanentError `not_found`.
    """
    run, holder = Run(work, deps), Holder("assistant", work.assistant_id)
    async with jobs.holding(deps.db, work) as conn:
        scope = await scopes.of(conn, holder, work.person_id, None)
        if scope is None:
            raise PermanentError("not_found")
        asked = [one for one in await questions.list_for_holder(conn, holder, MOST) if one.can_be_judged]
        profile, space = sureness.profile_of(scope), await spaces.find_in_use(conn)
        in_force = await roles.effective_roles(conn, deps.settings)
    is_by_meaning = profile.retrieval.mode != "lexical"
    role = embedding.role_of_space(space, in_force["embedding"], scope) if is_by_meaning else None
    found = {one.id: await _search(run, scope, profile, role, one) for one in asked}
    told = compared(asked, found)
    told["published"] = work.when == "always" or (work.when == "as_before" and not told["changed"])
    async with jobs.finishing(deps.db, work, told) as conn:
        await assistants.keep_check(conn, holder.id, {name: value for name, value in told.items() if name != "questions"})
        if told["published"]:
            await assistants.publish(conn, holder.id, scope.profile, scope.settings)
            await questions.keep_outcomes(conn, found)
    _log.info("assistant.checked", assistant_id=str(holder.id), total=told["total"], changed=told["changed"], published=told["published"])


async def _search(run: Run, scope: Scope, profile: Profile, role: RoleSettings | None, asked: TestQuestion) -> Outcome:
    """What one question finds: whether that is right, and the first source."""
    spoken = asked.language or language.identify(asked.question)
    async with jobs.holding(run.deps.db, run.work) as conn:
        question = await embedding.begin(conn, run, scope, asked.question, spoken, role, None)
    embedded = await embedding.embed_question(run, question)
    found = await seek.find(run, scope, question, embedded, profile.retrieval)
    async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
        await embedding.settle(conn, embedded)
    kept = [one.source_id for one in found.candidates if one.kept]
    if asked.kind == "unanswerable":
        return {"is_right": not kept or sureness.reply_kind(found, profile, asked.question) == "none", "first": None}
    return {"is_right": bool(set(kept) & set(asked.source_ids)), "first": str(kept[0]) if kept else None}


def compared(asked: Sequence[TestQuestion], found: Mapping[UUID, Outcome]) -> dict[str, Any]:
    """How many questions found what they found before, and those that did not. One that was never searched is as before when it
    is right."""
    changed = []
    for one in asked:
        now, before = found[one.id], one.outcome
        if now["is_right"] if before is None else before == now:
            continue
        was_right = bool(before["is_right"]) if before is not None else None
        changed.append({"question_id": str(one.id), "was_right": was_right, "is_right": now["is_right"]})
    return {
        "as_before": len(asked) - len(changed), "changed": len(changed), "right": sum(one["is_right"] for one in found.values()),
        "total": len(asked), "questions": changed,
    }  # fmt: skip
