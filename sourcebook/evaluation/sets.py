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
_UNSTORABLE = re.compile("[\0\ud800-\udfff]")
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
    """A question, the documents any of which answers it (none for an unanswerable one), and those that must not be found (S4-40)."""

    qid: str
    question: str
    lang: str
    kind: Kind
    relevant: frozenset[str]
    forbidden: frozenset[str] = frozenset()


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
    if not (folder / "questions.jsonl").is_file():
        raise _unusable(name, "there is no folder of this name with questions.jsonl in it.")
    documents = [
        Document(str(row["doc_id"]), str(row.get("title") or row["doc_id"]), row["text"], row.get("lang"))
        for row in _lines(folder / "corpus.jsonl", "doc_id", "text")
    ]
    known = {document.doc_id for document in documents}
    questions = [_question(row, known, folder) for row in _lines(folder / "questions.jsonl", "qid", "question")]
    about = _about(folder / "set.toml")
    return EvalSet(
        folder.resolve().name, documents, questions, bool(about.get("sealed")), dict(about.get("thresholds", {})),
        frozenset(about.get("diagnostic", ())),
    )  # fmt: skip


def _about(path: Path) -> dict[str, Any]:
    """What set.toml says, where there is one."""
    try:
        about = tomllib.loads(_read(path)) if path.exists() else {}
    except tomllib.TOMLDecodeError as error:
        raise _unusable(str(path), f"it is not TOML: {error}.") from None
    thresholds = about.get("thresholds", {})
    if not isinstance(thresholds, dict) or not all(isinstance(one, int | float) for one in thresholds.values()):
        raise _unusable(str(path), "thresholds must be a table of numbers.")
    if not isinstance(about.get("diagnostic", []), list):
        raise _unusable(str(path), "diagnostic must be a list of thresholds.")
    return about


def quoted_questions(of: EvalSet) -> list[str]:
    """The questions whose words stand in the corpus in their order: they flatter the measurement (S2-46)."""
    corpus = [f" {_plain(document.text)} " for document in of.documents]
    long = [question for question in of.questions if len(_plain(question.question).split()) >= _LEAST_WORDS]
    return [question.qid for question in long if any(f" {_plain(question.question)} " in text for text in corpus)]


def _plain(text: str) -> str:
    return _BLANKS.sub(" ", text).casefold().strip()


def _question(row: dict[str, Any], known: set[str], folder: Path) -> Question:
    relevant, forbidden = (_named(row, field_name, folder) for field_name in ("relevant_doc_ids", "forbidden_doc_ids"))
    kind = row.get("kind", "plain" if relevant else "unanswerable")
    if kind not in KINDS:
        raise _unusable(str(folder), f"question {row['qid']} is of the kind {kind}, which there is not.")
    if (kind == "unanswerable") != (not relevant):
        raise _unusable(str(folder), f"question {row['qid']} must name a document, or be unanswerable.")
    if not relevant | forbidden <= known:
        raise _unusable(str(folder), f"question {row['qid']} names a document that is not in the corpus.")
    if relevant & forbidden:
        raise _unusable(str(folder), f"question {row['qid']} forbids a document that answers it.")
    return Question(str(row["qid"]), row["question"], str(row.get("lang", "en")), kind, relevant, forbidden)


def _named(row: dict[str, Any], name: str, folder: Path) -> frozenset[str]:
    """The documents that a question names under a key, which is a list where it is there."""
    named = row.get(name) or []
    if not isinstance(named, list):
        raise _unusable(str(folder), f"question {row['qid']}: {name} must be a list.")
    return frozenset(str(one) for one in named)


def _lines(path: Path, key: str, text: str) -> Iterator[dict[str, Any]]:
    """The objects of a file, each with a key of its own (a text or number) and a text that can be stored."""
    seen: set[str] = set()
    for number, line in enumerate(_read(path).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):  # of 100,000 brackets
            raise _unusable(str(path), f"line {number} is not JSON.") from None
        if not isinstance(row, dict):
            raise _unusable(str(path), f"line {number} is not an object.")
        missing = [name for name in (key, text) if not row.get(name)]
        if missing:
            raise _unusable(str(path), f"line {number} lacks {', '.join(missing)}.")
        if not isinstance(row[key], str | int) or not isinstance(row[text], str) or _UNSTORABLE.search(row[text]):
            raise _unusable(str(path), f"line {number}: {key} and {text} must be text, without NUL and halves of characters.")
        if str(row[key]) in seen:
            raise _unusable(str(path), f"line {number}: {key} {row[key]} stands twice.")
        seen.add(str(row[key]))
        yield row


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise _unusable(str(path), f"it cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise _unusable(str(path), "it is not UTF-8.") from None


def _unusable(name: str, why: str) -> PermanentError:
    return PermanentError("bad_setting", setting=f"set {name}", why=why)
