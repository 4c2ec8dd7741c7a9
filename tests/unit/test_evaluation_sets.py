"""Question sets that are not what they should be: each is refused by its name, with the line, and never with a traceback."""

import json
from pathlib import Path

import pytest

from sourcebook.evaluation import sets
from sourcebook_core.errors import PermanentError

CORPUS = b'{"doc_id": "a", "text": "The mill closed."}\n'
QUESTIONS = b'{"qid": "1", "question": "When?", "relevant_doc_ids": ["a"]}\n'
DEEP = b"[" * 100_000 + b"]" * 100_000


def refusal(folder: Path, corpus: bytes = CORPUS, questions: bytes = QUESTIONS, about: bytes = b"") -> str:
    for name, content in (("corpus.jsonl", corpus), ("questions.jsonl", questions), ("set.toml", about)):
        (folder / name).write_bytes(content)
    with pytest.raises(PermanentError) as refused:
        sets.load(str(folder))
    assert refused.value.code == "bad_setting"
    return str(refused.value)


@pytest.mark.parametrize(("line", "why"), [
    (b'{"doc_id": "a", "text": ' + DEEP + b"}", "line 2 is not JSON"),
    (b"[1, 2]", "line 2 is not an object"),
    (b"null", "line 2 is not an object"),
    (b'{"doc_id": "b", "text": "\xff"}', "not UTF-8"),
    (b'{"doc_id": "b", "text": {"a": 1}}', "line 2: doc_id and text must be text"),
    (b'{"doc_id": "b", "text": "a\\u0000b"}', "without NUL"),
    (b'{"doc_id": "b", "text": "\\ud800"}', "halves of characters"),
    (b'{"doc_id": NaN, "text": "b"}', "line 2: doc_id"),
    (b'{"doc_id": "a", "text": "b"}', "line 2: doc_id a stands twice"),
])  # fmt: skip
def test_a_document_that_cannot_be_used_is_refused_by_its_line(tmp_path: Path, line: bytes, why: str) -> None:
    assert why in refusal(tmp_path, corpus=CORPUS + line + b"\n")


@pytest.mark.parametrize(("more", "why"), [
    ({"relevant_doc_ids": 5}, "must be a list"),
    ({"relevant_doc_ids": "a"}, "must be a list"),
    ({"relevant_doc_ids": [{"a": 1}]}, "not in the corpus"),
    ({"kind": ["plain"]}, "which there is not"),
    ({"forbidden_doc_ids": "a"}, "forbidden_doc_ids must be a list"),
    ({"forbidden_doc_ids": ["nowhere"]}, "not in the corpus"),
    ({"forbidden_doc_ids": ["a"], "relevant_doc_ids": ["a"]}, "forbids a document that answers it"),
    ({"question": 7}, "must be text"),
])  # fmt: skip
def test_a_question_that_cannot_be_used_is_refused(tmp_path: Path, more: dict[str, object], why: str) -> None:
    assert why in refusal(tmp_path, questions=json.dumps(json.loads(QUESTIONS) | more).encode())


@pytest.mark.parametrize(
    "about", [b"sealed = maybe", b"\xff\xfe", b"thresholds = 3", b'[thresholds]\n"mrr plain" = "x"', b"diagnostic = 5"]
)
def test_a_set_toml_that_cannot_be_used_is_refused(tmp_path: Path, about: bytes) -> None:
    assert "set.toml" in refusal(tmp_path, about=about)


def test_files_that_are_missing_or_no_files_are_named(tmp_path: Path) -> None:
    (tmp_path / "questions.jsonl").write_bytes(QUESTIONS)
    for name in (str(tmp_path), "../../etc", "/etc/hosts"):
        with pytest.raises(PermanentError) as refused:
            sets.load(name)
        assert refused.value.code == "bad_setting"
    (tmp_path / "corpus.jsonl").mkdir()
    with pytest.raises(PermanentError, match="cannot be read"):
        sets.load(str(tmp_path))


def test_a_set_written_on_windows_is_read(tmp_path: Path) -> None:
    for name, content in (("corpus.jsonl", CORPUS), ("questions.jsonl", QUESTIONS)):
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + content.replace(b"\n", b"\r\n"))
    assert [len(sets.load(str(tmp_path)).documents), len(sets.load(str(tmp_path)).questions)] == [1, 1]
