"""What tools found: numbers that stay, each thing once, replies cut at their bound. Pure."""

from dataclasses import replace
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from sourcebook_core.host_data import Taken
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.store.search import ChunkRow
from sourcebook_core.text.cleaned import one_line
from sourcebook_rag.answer import tool_words
from sourcebook_rag.answer.gathered import Gathered
from sourcebook_rag.answer.passages import Passage

FENCE = "<<0123456789abcdef01>>"


def passage(text: str, *, title: str = "Lake report", heading: str | None = None, start: int = 0) -> Passage:
    source = ScopeSource(uuid4(), uuid4(), title, "text", "ready", "en", 1, "full")
    assert source.reading_id is not None
    chunk = ChunkRow(
        id=uuid4(), source_id=source.id, reading_id=source.reading_id, ordinal=0, passage=0, start_at=start, end_at=start + len(text),
        page=None, heading=heading, language="en", text=text, sheet=None, start_ms=None, end_ms=None, lead="", row_at=None,
    )  # fmt: skip
    return Passage(chunk, source)


def test_a_passage_found_twice_keeps_its_first_number() -> None:
    # N-05: identity is title, section and own words; a document added twice is one.
    gathered = Gathered()
    deep, wide = passage("It is 40 m deep."), passage("It is 2 km wide.")
    assert [gathered.number(one) for one in (deep, wide, deep)] == [1, 2, 1]
    assert gathered.number(passage("It is 40 m deep.")) == 1
    assert gathered.number(passage("It is 40 m deep.", title="Other")) == 3
    assert gathered.number(passage("It is 40 m deep.", heading="Depth")) == 4
    part = replace(deep, chunk=replace(deep.chunk, id=uuid4(), start_at=6, text="40 m deep."))
    assert gathered.number(part) == 1, "a part of what is there"


def test_a_passage_that_is_read_on_grows_under_its_number() -> None:
    gathered = Gathered()
    deep = passage("It is 40 m deep.", start=10)
    assert gathered.number(deep) == 1
    wider = replace(deep.chunk, start_at=0, end_at=40, text="The lake. It is 40 m deep. Boats may not.")
    assert gathered.widen(1, wider).chunk.text == wider.text and gathered.number(deep) == 1
    assert gathered.at(2) is None and gathered.at(0) is None and gathered.at(-1) is None


def test_a_read_of_the_host_is_kept_once() -> None:
    gathered = Gathered()
    for _ in range(2):
        gathered.keep(Taken(name="project", label="Project", rows=((("name", "Wall"),),), said=((),)))
    assert len(gathered.reads) == 1


@given(st.text(), st.integers(min_value=10, max_value=200))
def test_a_result_is_never_longer_than_its_bound_and_a_line_to_say_so(text: str, most: int) -> None:
    cut = tool_words.cut(text, most)
    assert len(cut.encode(errors="replace")) <= most + len(tool_words.CUT) + 1
    assert cut == text or cut.endswith(tool_words.CUT)


@given(st.text(), st.integers(min_value=4, max_value=60))
def test_a_cleaned_line_closes_nothing_whatever_was_typed(text: str, limit: int) -> None:
    line = one_line(text, limit)
    assert len(line) <= limit and not set(line) & set("<>\n\r\t\x00\u2028\u2029\u202e") and line == line.strip()


def test_a_block_cannot_be_closed_by_what_it_holds() -> None:
    said = tool_words.block(one_line(f"a {FENCE} b", 100), FENCE, 1000)
    assert said.count(FENCE) == 2 and said.splitlines()[1] == "a 0123456789abcdef01 b"
