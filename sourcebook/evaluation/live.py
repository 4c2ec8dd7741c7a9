"""Asks a set's questions as people do, and keeps what each answer cited, took and cost. It does not judge what an answer says (S4-42)."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sourcebook.client import Client, Refused
from sourcebook.evaluation import score
from sourcebook.evaluation.report import write_json
from sourcebook.evaluation.sets import Question


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer. `cited`: the documents its marks name, in their order; `first_s` and `total_s`: seconds until the first words and
    the end. What the provider did not tell stays None: tokens that were not counted are not zero (S4-41)."""

    qid: str
    kind: str
    lang: str
    finish: str
    error: str | None = None
    reply_kind: str | None = None
    cited: tuple[str, ...] = ()
    cites_relevant: bool = False
    first_s: float | None = None
    total_s: float = 0.0
    calls: int | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    cost: str | None = None
    prompt: str | None = None


def run(
    client: Client, notebook_id: str, questions: Sequence[Question], sources: Mapping[str, str], say: Callable[[str], None]
) -> list[Answered]:
    """Ask each question in a conversation of its own, which is deleted for good afterwards. `sources`: the document of each source.

    An answer that fails is a row with its error. Raises as the client does for what is no answer.
    """
    found = []
    for number, question in enumerate(questions, 1):
        found.append(_ask(client, notebook_id, question, sources))
        say(f"{number} of {len(questions)}: {found[-1].error or found[-1].finish}")
    return found


def _ask(client: Client, notebook_id: str, question: Question, sources: Mapping[str, str]) -> Answered:
    began, first, end, conversation = time.perf_counter(), None, None, None
    about = (question.qid, question.kind, question.lang)
    try:
        for event in client.events(f"/notebooks/{notebook_id}/ask", {"question": question.question}):
            conversation = event.data.get("conversation_id") or conversation
            if event.name == "token" and first is None:
                first = time.perf_counter() - began
            if event.name in ("done", "error"):
                end = event
        took = time.perf_counter() - began
        if end is None or end.name == "error":
            return Answered(*about, "broken", error=end.data["code"] if end else "interrupted", first_s=first, total_s=took)
        return _told(about, end.data, question, sources, first, took, client.get(f"/turns/{end.data['turn_id']}/why")["prompt"])
    except Refused as refused:
        return Answered(*about, "refused", error=refused.code, total_s=time.perf_counter() - began)
    finally:
        if conversation is not None:
            client.delete(f"/conversations/{conversation}")
            client.delete(f"/trash/{conversation}")


def _told(
    about: tuple[str, str, str],
    done: Mapping[str, Any],
    question: Question,
    sources: Mapping[str, str],
    first: float | None,
    took: float,
    prompt: str | None,
) -> Answered:
    usage = done.get("usage") or {}
    is_counted = bool(usage.get("complete"))
    cited = tuple(dict.fromkeys(sources.get(one["source_id"], one["source_id"]) for one in done["citations"]))
    return Answered(
        *about, done["finish"], None, done.get("reply_kind"), cited, any(one in question.relevant for one in cited), first, took,
        usage.get("llm_calls"), usage.get("prompt_tokens") if is_counted else None,
        usage.get("completion_tokens") if is_counted else None, usage.get("cost"), prompt,
    )  # fmt: skip


def write(found: Sequence[Answered], path: Path) -> None:
    """Keep the answers' rows as JSON."""
    write_json([asdict(one) for one in found], path)


def lines(found: Sequence[Answered]) -> list[str]:
    """The sums for a terminal; of a sum that lacks parts it is told how many."""
    ended = [one for one in found if one.error is None]
    real = [one for one in ended if one.kind != "unanswerable"]
    nothing = [one for one in ended if one.kind == "unanswerable"]
    told = [f"{len(found)} answers, {len(found) - len(ended)} failed"]
    if real:
        told.append(f"cite a document that answers: {sum(one.cites_relevant for one in real)} of {len(real)}")
    if nothing:
        told.append(f"to what nothing answers, without a citation: {sum(not one.cited for one in nothing)} of {len(nothing)}")
    for what, values in (("first words", [one.first_s for one in ended]), ("whole answer", [one.total_s for one in ended])):
        known = [value for value in values if value is not None]
        if known:
            told.append(f"{what}: p50 {score.percentile(known, 0.5):.2f} s, p95 {score.percentile(known, 0.95):.2f} s")
    for what, counts in (("tokens in", [one.tokens_in for one in ended]), ("tokens out", [one.tokens_out for one in ended])):
        told.append(f"{what}: {sum(count or 0 for count in counts)}{_missing(counts)}")
    costs = [one.cost for one in ended]
    return [*told, f"cost: {sum(float(cost or 0) for cost in costs):.4f}{_missing(costs)}"]


def _missing(values: Sequence[object]) -> str:
    unknown = sum(value is None for value in values)
    return f" ({unknown} not told)" if unknown else ""
