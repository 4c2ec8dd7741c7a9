"""The tasks of a rag worker, each safe to run twice."""

from __future__ import annotations

from typing import Any

from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError
from sourcebook_core.jobs import AnswerTurn, MakeGuide, PlanAnswer, PublishAssistant, SearchNotebook, Task, TestModel, task
from sourcebook_core.store import turns
from sourcebook_rag import guide, plan, publishing, search, trial
from sourcebook_rag.answer import commit, turn
from sourcebook_rag.deps import Deps


async def _turn_failed(conn: Conn, work: AnswerTurn, error: SourcebookError) -> None:
    """The turn of a job that gave up or was cancelled ends too; what was written of it is kept."""
    found = await turns.get(conn, work.turn_id)
    if found.status in ("queued", "running"):
        await commit.write_failure(conn, work.turn_id, commit.failed(error), found.answer)


@task(AnswerTurn, failed=_turn_failed)
async def answer_turn(work: AnswerTurn, deps: Deps) -> None:
    """Answer one turn; see `answer.turn.answer`."""
    await turn.answer(work, deps)


@task(SearchNotebook, attempts=2)
async def search_notebook(work: SearchNotebook, deps: Deps) -> None:
    """Search without a model that writes; the job's result has the ranked chunks."""
    await search.search_notebook(work, deps)


@task(PlanAnswer, attempts=2)
async def plan_answer(work: PlanAnswer, deps: Deps) -> None:
    """Everything of an answer but its writing; see `plan.plan_answer`."""
    await plan.plan_answer(work, deps)


@task(TestModel, attempts=1)
async def test_model(work: TestModel, deps: Deps) -> None:
    """Make a few real calls to a model as given; the job's result says how it did."""
    await trial.test_model(work, deps)


@task(PublishAssistant, attempts=3)
async def publish_assistant(work: PublishAssistant, deps: Deps) -> None:
    """Search an assistant's test questions with its draft, and publish it; see `publishing.publish_assistant`."""
    await publishing.publish_assistant(work, deps)


@task(MakeGuide, attempts=2)
async def make_guide(work: MakeGuide, deps: Deps) -> None:
    """Make the guide of a notebook; see `guide.make_guide`."""
    await guide.make_guide(work, deps)


TASKS: list[Task[Any]] = [answer_turn, search_notebook, make_guide, plan_answer, test_model, publish_assistant]
