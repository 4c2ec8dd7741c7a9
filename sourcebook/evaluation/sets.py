"""Question sets: documents, questions with the documents that answer them, and the rules a set has to keep."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args

from sourcebook_core.errors import PermanentError

Kind = Literal["plain", "exact", "vague", "otherlang", "unanswerable"]
KINDS: tuple[Kind, ...] = get_args(Kind)
OWN_SETS = Path(__file__).parents[2] / "evals" / "sets"
_BLANKS = re.compile(r"[\W_]+")
_LEAST_WORDS = 4  # a shorter question ("What is it?") may stand in any text by chance


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a set."""

    doc_id: str
    title: str
    text: str
    lang: str | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the documents any of which answers it; none for an unanswerable one."""

    qid: str
    question: str
    lang: str
    kind: Kind
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class EvalSet:
    """A set by its name. A sealed one is never tuned on: opening it needs a rule written before.

    A threshold in `diagnostic` is a known gap: it is told and fails nothing (S4-40).
    """

    name: str
    documents: list[Document]
    questions: list[Question]
    is_sealed: bool = False
    thresholds: dict[str, float] = field(default_factory=dict)
    diagnostic: frozenset[str] = frozenset()

    @property
    def gating(self) -> frozenset[str]:
        """The thresholds that fail a run."""
        return frozenset(self.thresholds) - self.diagnostic


def load(name: str) -> EvalSet:
    """The set in a folder, or by its name under `evals/sets/`; unknown keys of its lines are ignored.

    Files: corpus.jsonl, questions.jsonl, and set.toml with `sealed`, `diagnostic` and `[thresholds]` where there is one. Raises
    PermanentError `bad_setting` naming the file and line that cannot be used.
    """
    folder = Path(name) if Path(name).is_dir() else OWN_SETS / name
    if not (folder / "questions.jsonl").exists():
        raise _unusable(name, "there is no folder of this name with questions.jsonl in it.")
    documents = [
        Document(str(row["doc_id"]), str(row.get("title") or row["doc_id"]), str(row["text"]), row.get("lang"))
        for row in _lines(folder / "corpus.jsonl", ("doc_id", "text"))
    ]
    known = {document.doc_id for document in documents}
    questions = [_question(row, known, folder) for row in _lines(folder / "questions.jsonl", ("qid", "question"))]
    about = tomllib.loads((folder / "set.toml").read_text("utf-8")) if (folder / "set.toml").exists() else {}
    return EvalSet(
        folder.resolve().name, documents, questions, bool(about.get("sealed")), dict(about.get("thresholds", {})),
        frozenset(about.get("diagnostic", ())),
    )  # fmt: skip


def quoted_questions(of: EvalSet) -> list[str]:
    """The questions whose words stand in the corpus in their order: they flatter the measurement (S2-46)."""
    corpus = [f" {_plain(document.text)} " for document in of.documents]
    long = [question for question in of.questions if len(_plain(question.question).split()) >= _LEAST_WORDS]
    return [question.qid for question in long if any(f" {_plain(question.question)} " in text for text in corpus)]


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).casefold().strip()


def _question(row: dict[str, Any], known: set[str], folder: Path) -> Question:
    relevant = frozenset(str(one) for one in row.get("relevant_doc_ids") or ())
    kind = row.get("kind", "plain" if relevant else "unanswerable")
    if kind not in KINDS:
        raise _unusable(str(folder), f"question {row['qid']} is of the kind {kind}, which there is not.")
    if (kind == "unanswerable") != (not relevant):
        raise _unusable(str(folder), f"question {row['qid']} must name a document, or be unanswerable.")
    if not relevant <= known:
        raise _unusable(str(folder), f"question {row['qid']} names a document that is not in the corpus.")
    return Question(str(row["qid"]), str(row["question"]), str(row.get("lang", "en")), kind, relevant)


def _lines(path: Path, needed: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                raise _unusable(str(path), f"line {number} is not JSON.") from None
            missing = [name for name in needed if not row.get(name)]
            if missing:
                raise _unusable(str(path), f"line {number} lacks {', '.join(missing)}.")
            yield row


def _unusable(name: str, why: str) -> PermanentError:
    return PermanentError("bad_setting", setting=f"set {name}", why=why)
