"""The pure parts of the model clients."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook_core.providers.embed import word_count
from sourcebook_core.providers.failures import retry_after
from sourcebook_core.providers.thinking import NeverEnded, Visible, visible
from sourcebook_core.providers.trial import CASES, is_right


@given(st.text(alphabet="ab <>/think\n", max_size=60), st.lists(st.integers(1, 7), max_size=30))
def test_how_a_stream_is_cut_never_changes_a_plain_answer(text: str, cuts: list[int]) -> None:
    answer = "Answer: " + text.replace("</think>", "").replace("</thinking>", "")
    shows, shown, rest = Visible(), "", answer
    for cut in cuts:
        shown += shows.feed(rest[:cut])
        rest = rest[cut:]
    assert shown + shows.feed(rest) + shows.close() == answer


@given(st.text(alphabet="ab \n", max_size=20), st.lists(st.integers(1, 5), max_size=30))
def test_how_a_stream_is_cut_never_shows_thinking(thought: str, cuts: list[int]) -> None:
    reply = f" <think>{thought}</think>\n\nIt is so."
    shows, shown, rest = Visible(), "", reply
    for cut in cuts:
        shown += shows.feed(rest[:cut])
        rest = rest[cut:]
    assert shown + shows.feed(rest) + shows.close() == "It is so."


def test_a_whole_reply_loses_its_thinking() -> None:
    assert visible("Hm, well.</think>So it is.") == "So it is."
    assert visible("<thinking>Hm.</thinking>So it is.") == "So it is."
    assert visible("So it is.") == "So it is."
    with pytest.raises(NeverEnded):
        visible("<think>Hm, well")


@pytest.mark.parametrize(
    ("text", "count"), [("Kolik stojí?", 2), ("How much is the fish", 5), ("图书馆在哪里", 3), ("東京 tower", 2), ("", 0)]
)
def test_words_are_counted_in_every_script(text: str, count: int) -> None:
    assert word_count(text) == count


def test_a_wish_to_wait_is_seconds_or_a_date() -> None:
    assert retry_after({"retry-after": "2.5"}) == 2.5
    assert retry_after({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}) == 0
    assert retry_after({"retry-after": "soon"}) is None
    assert retry_after({}) is None


def test_an_answer_is_right_when_it_cites_its_source_alone() -> None:
    mill = CASES[0]
    assert is_right("The mill was closed in 1968 [2].", mill)
    assert not is_right("The mill was closed in 1968.", mill)
    assert not is_right("The mill was closed in 1968 [1][2].", mill)
    assert not is_right("It was closed long ago [2].", mill)
    bus = CASES[2]
    assert not is_right("The one of source [4] [1].", bus)
