"""The gateway's pure parts: numbering of frames, kinds by bytes, names, JSON, the OpenAPI document."""

import io
import subprocess
import sys
from datetime import UTC, datetime
from uuid import UUID, uuid4

import docx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook_core import kinds
from sourcebook_core import settings as core_settings
from sourcebook_core.checks import Citation
from sourcebook_core.errors import SourcebookError
from sourcebook_core.events import CitationSeen, Done, Open, Stage, Token
from sourcebook_core.store.notes import Note
from sourcebook_gateway import body, exported, word_file
from sourcebook_gateway.app import create_app
from sourcebook_gateway.multipart import attachment
from sourcebook_gateway.relay import Frame, Teller, place_of
from sourcebook_gateway.shapes.notes import NoteRead
from sourcebook_gateway.shapes.turns import ConversationWhole, TurnRead

TURN = UUID(int=1)


def _citation(n: int) -> Citation:
    return Citation(
        n=n, source_id=TURN, reading_id=TURN, source_title="Mill", kind="text", chunk_id=TURN, passage=0, page=2, quote="closed"
    )


def _stream(pieces: list[str]) -> list[object]:
    """The events of an answer made of these pieces, a citation after each."""
    events: list[object] = [Open(turn_id=TURN, conversation_id=TURN, passages=1), Stage(name="writing")]
    at = 0
    for n, piece in enumerate(pieces, start=1):
        events += [Token(text=piece, at=at), CitationSeen(citation=_citation(n))]
        at += len(piece)
    return [*events, Done(turn_id=TURN, finish="complete", answer="".join(pieces))]


def _told(events: list[object], last: int) -> list[Frame]:
    teller = Teller(last)
    return [frame for event in events for frame in teller.frames(event)]  # type: ignore[arg-type]


def _text(frames: list[Frame]) -> str:
    return "".join(frame.data["text"] for frame in frames if frame.name == "token")


@given(st.lists(st.text(min_size=1, max_size=9), min_size=1, max_size=12), st.integers(0, 40))
def test_an_answer_broken_off_anywhere_goes_on_without_a_word_twice_or_lost(pieces: list[str], cut: int) -> None:
    events = _stream(pieces)
    whole = _told(events, 0)
    numbers = [frame.number for frame in whole]
    assert numbers == sorted(set(numbers)) and _text(whole) == "".join(pieces)
    seen = whole[: max(1, min(cut, len(whole)))]
    rest = _told(events, seen[-1].number)
    assert _text(seen) + _text(rest) == "".join(pieces)
    assert all(frame.number > seen[-1].number for frame in rest) and rest[-1].name == "done"


def test_a_piece_that_was_told_in_part_is_told_from_there_on() -> None:
    teller = Teller(0)
    assert _text(teller.rest("one two", 0)) == "one two"
    assert _text(teller.frames(Token(text="two three", at=4))) == " three"
    assert teller.frames(Token(text="one", at=0)) == []


def test_only_our_own_numbers_are_places() -> None:
    assert [place_of(given) for given in (None, "", "-1", "x", "1.5", "٣", "9" * 30, "17")] == [0, 0, 0, 0, 0, 0, 0, 17]


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        (b"%PDF-1.7\n", "x", "pdf"), (b"garbage\n%PDF-1.4", "x.txt", "pdf"), (b"# Title", "a.md", "markdown"), (b"hello", "a.txt", "text"),
        (b"hello", "noextension", "text"), (b"BMW is a car maker", "cars.txt", "text"), (b"\xff\xfeh\x00i\x00", "utf16.txt", "text"),
        (b"\xef\xbb\xbfhello", "bom.md", "markdown"), (b"\x00\x00\x00\x00", "nuls.txt", "text"), (b"print('hi')\n", "script.py", "text"),
        (b"<svg onload=alert(1)>", "x.svg", "text"), (b"<!DOCTYPE html><p>", "page", "office"), (b"a;b\n1;2", "t.csv", "office"),
        (b"\x00\x00\x00\x1cftypavif", "x", "image"), (b"\x00\x00\x00\x18ftypM4A ", "x", "audio"), (b"\xff\xfb\x90\x64", "x", "audio"),
        (b"\x89PNG\r\n\x1a\n", "photo.html", "image"), (b"PK\x03\x04" + bytes(26) + b"mimetypeapplication/epub+zip", "x", "office"),
        (b"{\\rtf1", "letter.doc", "office"), (b"Subject: a\nFrom: b\nDate: c\n\nHi", "m", "office"),
    ],
)  # fmt: skip
def test_what_can_be_read_is_known_by_its_bytes(head: bytes, name: str, kind: str) -> None:
    assert kinds.sniff(head, name).kind == kind


@given(st.binary(max_size=200), st.text(max_size=30))
def test_any_bytes_of_any_name_are_a_kind_or_a_named_refusal(head: bytes, name: str) -> None:
    try:
        assert kinds.sniff(head, name).kind in ("pdf", "markdown", "text", "image", "audio", "office")
    except SourcebookError as error:
        assert error.code in ("unsupported_kind", "empty_file")


@given(st.text(max_size=400))
def test_a_shown_name_is_short_visible_and_no_path(given_name: str) -> None:
    name = kinds.clean_name(given_name)
    assert 0 < len(name.encode("utf-8", "replace")) <= 255 and "/" not in name and "\\" not in name and name.isprintable()
    header = attachment(name)
    assert header.isascii() and "\r" not in header and "\n" not in header and header.count('"') == 2


@given(st.binary(max_size=300))
def test_any_bytes_are_json_or_a_refusal(raw: bytes) -> None:
    try:
        body.parse(raw)
    except SourcebookError as error:
        assert error.status in (400, 422)


def test_a_transcript_numbers_its_footnotes_through() -> None:
    facts = {
        "conversation_id": TURN, "notebook_id": TURN, "question": "When?", "status": "done", "answer": "In 1968 [1].", "in_history": True,
        "created_at": "2026-01-01T00:00:00Z", "citations": [_citation(1)],
    }  # fmt: skip
    turns = [TurnRead.model_validate({"id": uuid4(), **facts}) for _ in range(2)]
    whole = ConversationWhole(
        id=TURN, notebook_id=TURN, title="Mill", created_at=turns[0].created_at, updated_at=turns[0].created_at, turns=turns
    )
    told = exported.markdown(whole.title, exported.of_conversation(whole))
    assert "In 1968 [^1]." in told and "In 1968 [^2]." in told and "[^2]: Mill, page 2: “closed”" in told


def test_a_note_that_leaves_says_what_is_yours_and_what_has_no_source() -> None:
    text, before = "- In 1968 [^1].\n\nIt was sold. I saw it [^1]. So it goes.", "- In 1968 [^1].\n\nIt was sold. So it goes."
    row = Note(
        id=TURN, notebook_id=TURN, turn_id=TURN, source_id=None, title="Mill", text=text, kept=before,
        citations=[_citation(1)], created_at=datetime.now(UTC), updated_at=datetime.now(UTC), uncited=["It was sold.", "It burned."],
    )  # fmt: skip
    note = NoteRead.of(row)
    told = ["Yours, not checked: “I saw it.”", "No source given: “It was sold.”"]
    sections = exported.of_note(note, row.uncited)
    assert [list(section.checked) for section in sections] == [told]
    words = [paragraph.text for paragraph in docx.Document(io.BytesIO(word_file.written("Mill", sections))).paragraphs]
    assert all(one in words and f"> {one}" in exported.note_markdown(note, row.uncited) for one in told)
    assert "Yours" not in exported.note_words(note) and "[^1]: Mill" in exported.note_words(note)


def test_a_letter_says_which_version_it_is_and_what_the_checks_found_wanting() -> None:
    answer = "- **Closed** in 1969 [1].\n\nIt was sold."
    statements = [{"start": 0, "end": 25, "cited": [1], "status": "number_differs"}, {"start": 27, "end": 39, "status": "uncited"}]
    checks = {"citations_valid": True, "numbers_grounded": False, "statements": statements, "found": 0, "total": 2}
    facts = {
        "conversation_id": TURN, "notebook_id": TURN, "question": "When?", "status": "done", "answer": answer, "in_history": True,
        "created_at": "2026-01-01T00:00:00Z", "citations": [_citation(1)],
    }  # fmt: skip
    first = TurnRead.model_validate({"id": uuid4(), **facts})
    again = TurnRead.model_validate({"id": uuid4(), **facts, "replaces": first.id, "checks": checks})
    whole = ConversationWhole(
        id=TURN, notebook_id=TURN, title="Mill", created_at=first.created_at, updated_at=first.created_at, turns=[first, again]
    )
    sections = exported.of_conversation(whole)
    assert [section.heading for section in sections] == ["When? (version 1 of 2)", "When? (version 2 of 2)"]
    told = ["Checked: 0 of 2 statements found in the sources.", "Number differs: “**Closed** in 1969.”", "No source given: “It was sold.”"]
    assert [list(section.checked) for section in sections] == [[], told]
    assert all(f"> {one}" in exported.markdown("Mill", sections) for one in told)
    words = [paragraph.text for paragraph in docx.Document(io.BytesIO(word_file.written("Mill", sections))).paragraphs]
    assert [one for one in words if one in told] == told


def test_every_field_of_the_document_is_described() -> None:
    document = create_app(core_settings.load({})).openapi()
    bare = [
        f"{name}.{field}"
        for name, schema in document["components"]["schemas"].items()
        for field, told in schema.get("properties", {}).items()
        if not told.get("description")
    ]
    bare += [
        f"{path} {parameter['name']}"
        for path, operations in document["paths"].items()
        for operation in operations.values()
        for parameter in operation.get("parameters", [])
        if not parameter.get("description")
    ]
    assert bare == []


def test_a_gateway_starts_without_the_sdk_of_a_face_that_may_never_be_asked() -> None:
    script = "import sys, sourcebook_gateway.__main__; print([name for name in ('mcp', 'openai') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
