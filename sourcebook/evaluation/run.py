"""Runs a set through a server: its documents become sources of a notebook, its questions go through the search of the product."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from sourcebook.client import Client
from sourcebook.evaluation import score
from sourcebook.evaluation.sets import Document, EvalSet, Question
from sourcebook_core.errors import PermanentError
from sourcebook_core.text.operators import without_operators

ARMS = ("words", "meaning", "merged")  # what each list alone would have given, and what the product gives
DEPTH = 50
Say = Callable[[str], None]
_SAY_EVERY = 100
_POLL_S = 3.0


@dataclass(frozen=True, slots=True)
class Row:
    """One question with its words: the place of the first relevant document in each arm (None: not found), how many passages were handed
    over, the best cosine of all and of a relevant document, the seconds of the search, how sure a quoted answer would sound, and
    whether what must not be found stands among the first five (None: the question forbids nothing)."""

    qid: str
    kind: str
    lang: str
    ranks: dict[str, int | None]
    handed_over: int
    best_similarity: float | None
    relevant_similarity: float | None
    seconds: float
    reply_kind: str | None = None
    question: str = ""
    has_forbidden: bool | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """A whole run, as it is kept in JSON."""

    set_name: str
    at: str
    documents: int
    recipe: dict[str, Any]
    degraded: list[str]
    rows: list[Row]

    def as_json(self) -> dict[str, Any]:
        """With the table of every arm and kind, how right the sure answers are, and p50 and p95 of a search in seconds."""
        seconds = [row.seconds for row in self.rows]
        took = {f"p{share}": score.percentile(seconds, share / 100) for share in (50, 95)}
        return {**asdict(self), "table": table(self.rows), "clear": clear_ones(self.rows), "seconds": took}


def run(client: Client, of: EvalSet, say: Say, *, limit: int | None = None, keep: bool = True) -> Report:
    """Search every question (the first `limit` of each kind) and rank what came.

    The notebook is kept for the next run unless told otherwise, for its documents are then known and cost nothing. Raises as
    the client does.
    """
    notebook, sources = prepared(client, of, say)
    made = _measured(client, notebook, of.name, first_of_each(of.questions, limit), sources, say)
    if not keep:
        remove(client, notebook["id"], list(sources))
    return made


def prepared(client: Client, of: EvalSet, say: Say) -> tuple[dict[str, Any], dict[str, str]]:
    """The notebook of a set, its documents read, and the document of each of its sources."""
    notebook = _notebook(client, of)
    sources = _add(client, notebook["id"], of.documents, of.name, say)
    _wait(client, notebook["id"], say)
    return notebook, sources


def run_notebook(client: Client, notebook: dict[str, Any], say: Say, *, limit: int | None = None) -> Report:
    """Search a notebook's own test questions over its sources as they are; a source that is gone counts as not found.

    Raises as `of_notebook` and the client do.
    """
    questions, sources = of_notebook(client, notebook, say)
    return _measured(client, notebook, notebook["title"], first_of_each(questions, limit), sources, say)


def of_notebook(client: Client, notebook: dict[str, Any], say: Say) -> tuple[list[Question], dict[str, str]]:
    """A notebook's own test questions, and its sources, each as the document that it is.

    Raises PermanentError `bad_setting` for a notebook without test questions.
    """
    known = list(client.everything(f"/notebooks/{notebook['id']}/questions"))
    questions = [
        Question(one["id"], one["question"], one["language"] or "", one["kind"], frozenset(one["source_ids"]))
        for one in known
        if one["source_ids"] or one["kind"] == "unanswerable"
    ]
    if len(questions) < len(known):
        say(f"{len(known) - len(questions)} questions are left out: what answered them was deleted for good.")
    if not questions:
        raise PermanentError(
            "bad_setting",
            setting=f"notebook {notebook['title']}",
            why="it has no test questions yet; make some under its unanswered questions.",
        )
    return questions, {one["id"]: str(one["id"]) for one in client.everything(f"/notebooks/{notebook['id']}/sources", limit=200)}


def _measured(
    client: Client, notebook: dict[str, Any], name: str, questions: Sequence[Question], sources: dict[str, str], say: Say
) -> Report:
    rows: list[Row] = []
    degraded: set[str] = set()
    for number, question in enumerate(questions, 1):
        row, missing = _ask(client, notebook["id"], question, sources)
        rows.append(row)
        degraded |= missing
        if number % _SAY_EVERY == 0:
            say(f"{number} questions")
    at = datetime.now(UTC).isoformat(timespec="seconds")
    return Report(name, at, len(sources), dict(notebook["recipe"]), sorted(degraded), rows)


def table(rows: Sequence[Row]) -> dict[str, dict[str, dict[str, float]]]:
    """By arm and kind (and `all`): questions (those with an answer, where there are any), recall@1/3/5, MRR; of unanswerable ones
    how many were refused, and of those that forbid documents how many kept them out."""
    kinds = [*dict.fromkeys(row.kind for row in rows), "all"]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for arm in ARMS:
        found[arm] = {}
        for kind in kinds:
            mine = [row for row in rows if kind in (row.kind, "all")]
            answerable = [row.ranks[arm] for row in mine if row.kind != "unanswerable"]
            refusable = [row for row in mine if row.kind == "unanswerable"]
            refused = {"refused": sum(not row.handed_over for row in refusable) / len(refusable)} if refusable and arm == "merged" else {}
            kept_out = _kept_out(mine) if arm == "merged" else {}
            found[arm][kind] = {"questions": float(len(answerable) or len(refusable)), **score.of_ranks(answerable), **refused, **kept_out}
    return found


def _kept_out(rows: Sequence[Row]) -> dict[str, float]:
    forbidding = [row.has_forbidden for row in rows if row.has_forbidden is not None]
    return {"kept_out": forbidding.count(False) / len(forbidding)} if forbidding else {}


def clear_ones(rows: Sequence[Row]) -> dict[str, int]:
    """Of the questions whose quoted answer would sound sure: how many have what answers them first, or among the first five, or
    are wrong; and to how many there is no answer (S2-36)."""
    clear = [row for row in rows if row.reply_kind == "clear"]
    answerable = [row.ranks["merged"] for row in clear if row.kind != "unanswerable"]
    first, five = (sum(score.is_hit(rank, cut) for rank in answerable) for cut in (1, score.CUTS[-1]))
    wrong, to_nothing = len(answerable) - five, len(clear) - len(answerable)
    return {"clear": len(clear), "first": first, "five": five - first, "wrong": wrong, "none": to_nothing}


def first_of_each(questions: Sequence[Question], limit: int | None) -> list[Question]:
    """The first `limit` questions of each kind and language, all without one."""
    taken: dict[tuple[str, str], int] = {}
    chosen = []
    for question in questions:
        group = (question.kind, question.lang)
        taken[group] = taken.get(group, 0) + 1
        if limit is None or taken[group] <= limit:
            chosen.append(question)
    return chosen


def title_of(of: EvalSet) -> str:
    """The title of the notebook that holds a set's documents."""
    return f"Evaluation: {of.name}"


def _notebook(client: Client, of: EvalSet) -> dict[str, Any]:
    title = title_of(of)
    known = next((one for one in client.everything("/notebooks") if one["title"] == title), None)
    made: dict[str, Any] = known or client.post("/notebooks", {"title": title})
    return made


def _add(client: Client, notebook_id: str, documents: Sequence[Document], set_name: str, say: Say) -> dict[str, str]:
    """The set's documents as sources: doc_id by source id. One that is known by its external id and content is not sent again."""
    prefix = f"eval:{set_name}:"
    known = {
        str(one["external_id"]).removeprefix(prefix): one["id"]
        for one in client.everything(f"/notebooks/{notebook_id}/sources", limit=200)
        if str(one["external_id"] or "").startswith(prefix) and one["status"] != "failed"
    }
    sources = {}
    for number, document in enumerate(documents, 1):
        source_id = known.get(document.doc_id)
        if source_id is None:
            body = {"title": document.title[:300], "text": document.text, "external_id": f"{prefix}{document.doc_id}"[:300]}
            source_id = client.post(f"/notebooks/{notebook_id}/sources", body)["items"][0]["source"]["id"]
        sources[source_id] = document.doc_id
        if number % (10 * _SAY_EVERY) == 0:
            say(f"{number} documents")
    return sources


def _wait(client: Client, notebook_id: str, say: Say) -> None:
    """Wait until every document is ready or has failed; a large set takes hours with a small embedding model."""
    last = None
    while True:
        counts = client.get(f"/notebooks/{notebook_id}")["source_counts"]
        if counts["working"] != last:
            last = counts["working"]
            say(f"{counts['ready']} of {counts['total']} documents are ready")
        if not last:
            break
        time.sleep(_POLL_S)
    if counts["failed"]:
        say(f"{counts['failed']} documents were not read; questions about them count as missed.")


def _ask(client: Client, notebook_id: str, question: Question, sources: dict[str, str]) -> tuple[Row, set[str]]:
    began = time.perf_counter()
    found = client.post(f"/notebooks/{notebook_id}/search", {"query": as_asked(question.question), "k": DEPTH, "every": True})
    seconds = time.perf_counter() - began
    items = found["items"]
    by_arm = {
        "words": _ordered(items, "words_rank"),
        "meaning": _ordered(items, "meaning_rank"),
        "merged": [item for item in items if item["kept"]],
    }
    ranks = {arm: score.first_hit([sources.get(item["source_id"], "") for item in by_arm[arm]], question.relevant) for arm in ARMS}
    forbidden = score.first_hit([sources.get(item["source_id"], "") for item in by_arm["merged"]], question.forbidden)
    near = [(item["similarity"], sources.get(item["source_id"], "")) for item in items if item["similarity"] is not None]
    row = Row(
        question.qid, question.kind, question.lang, ranks, len(by_arm["merged"]), max((cosine for cosine, _ in near), default=None),
        max((cosine for cosine, doc_id in near if doc_id in question.relevant), default=None), seconds, found.get("reply_kind"),
        question.question, score.is_hit(forbidden, score.CUTS[-1]) if question.forbidden else None,
    )  # fmt: skip
    return row, set(found["degraded"])


def as_asked(question: str) -> str:
    """A question without quotation marks and stars: a search takes them for operators, asking does not."""
    return without_operators(question) or question


def _ordered(items: Sequence[dict[str, Any]], rank: str) -> list[dict[str, Any]]:
    return sorted((item for item in items if item[rank] is not None), key=lambda item: int(item[rank]))


def remove(client: Client, notebook_id: str, source_ids: Sequence[str]) -> None:
    """Delete a set's notebook and sources for good."""
    for source_id in source_ids:
        client.delete(f"/sources/{source_id}")
        client.delete(f"/trash/{source_id}")
    client.delete(f"/notebooks/{notebook_id}")
    client.delete(f"/trash/{notebook_id}")
