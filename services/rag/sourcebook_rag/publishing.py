"""Publishing an assistant: its test questions are searched with the draft first, as answers and the evaluation search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from sourcebook_core import jobs, log
from sourcebook_core.errors import PermanentError
from sourcebook_core.jobs import PublishAssistant
from sourcebook_core.store import assistants, calls, questions, scopes
from sourcebook_core.store.questions import TestQuestion
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_rag.answer import begin, embedding, prepare, sureness
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps

_log = log.get(__name__)
MOST = 200  # test questions that are searched, the newest: about a minute with a slow embedding model
Outcome = Mapping[str, Any]


async def publish_assistant(work: PublishAssistant, deps: Deps) -> None:
    """Search the test questions, compare with what was found at the publication before, and publish where that is wanted.

    What was searched is what is published: a draft that changes meanwhile is refused. The job's result: `{as_before, changed, right,
    total, published, questions: [{question_id, was_right, is_right}]}`. Safe to run twice: questions that were embedded are not
    paid again. Raises PermanentError `not_found`, `conflict`, and the error of a model that the profile cannot do without.
    """
    run, holder = Run(work, deps), Holder("assistant", work.assistant_id)
    async with jobs.holding(deps.db, work) as conn:
        draft = await scopes.of(conn, holder, work.person_id, None)
        if draft is None:
            raise PermanentError("not_found")
        asked = [one for one in await questions.list_for_holder(conn, holder, MOST) if one.can_be_judged]
    found = {one.id: await _search(run, draft, one) for one in asked}
    told = compared(asked, found)
    told["published"] = work.when == "always" or (work.when == "as_before" and not told["changed"])
    async with jobs.finishing(deps.db, work, told) as conn:
        # Whoever changes the draft and publishes it while this runs gets this job: it must not put the draft of before in use for them.
        _check_same(await scopes.of(conn, holder, work.person_id, None), draft)
        await calls.forget_responses(conn, work.claim.job_id)  # words of questions, which may be deleted for good later
        await assistants.keep_check(conn, holder.id, {name: value for name, value in told.items() if name != "questions"})
        if told["published"]:
            await assistants.publish(conn, holder.id, draft.profile, draft.settings)
            await questions.keep_outcomes(conn, found)
    _log.info("assistant.checked", assistant_id=str(holder.id), total=told["total"], changed=told["changed"], published=told["published"])


def _check_same(now: Scope | None, draft: Scope) -> None:
    if now is None:
        raise PermanentError("not_found")
    if (now.profile, now.settings) != (draft.profile, draft.settings):
        raise PermanentError("conflict", why="the draft was changed while its test questions were searched. Publish again.")


async def _search(run: Run, draft: Scope, one: TestQuestion) -> Outcome:
    """What one question finds, by the one way to the passages of an answer: whether that is right, and the first source."""
    async with jobs.holding(run.deps.db, run.work) as conn:
        asked = await begin.read(conn, run.deps.settings, begin.unkept(one.id, draft.holder, draft.person_id, one.question, {}))
        if asked is None:
            raise PermanentError("not_found")
        _check_same(asked.scope, draft)
        prepared = await prepare.prepare(conn, run, asked)
    asked, found, embedded = await prepare.searched(run, asked, prepared)
    async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
        await embedding.settle(conn, embedded)
    kept = [candidate.source_id for candidate in found.candidates if candidate.kept]
    if one.kind == "unanswerable":
        return {"is_right": not kept or sureness.reply_kind(found, asked.profile, asked.search_text) == "none", "first": None}
    return {"is_right": bool(set(kept) & set(one.source_ids)), "first": str(kept[0]) if kept else None}


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
