"""Passages of what was said, and what is no speech."""

import pytest

from sourcebook_core import waves
from sourcebook_core.providers.speech import Segment, Transcript
from sourcebook_ingest.read import spoken


def transcript(*segments: tuple[float, float, str]) -> Transcript:
    made = tuple(Segment(round(start * 1000), round(end * 1000), text) for start, end, text in segments)
    return Transcript("".join(one.text for one in made), "en", made, None)


def test_a_passage_ends_with_a_sentence_once_it_has_half_a_minute_and_never_lasts_over_a_minute() -> None:
    said = [(10.0 * place, 10.0 * place + 10, f" part {place}{'.' if place == 3 else ''}") for place in range(12)]
    made = spoken.passages(transcript(*said), first=5, start_ms=0, end_ms=120_000)
    assert [(one.ordinal, one.start_ms, one.end_ms) for one in made] == [(5, 0, 40_000), (6, 40_000, 100_000), (7, 100_000, 120_000)]
    assert made[0].text == "part 0 part 1 part 2 part 3.\n"
    assert made[0].meta == {"words": 8, "heard_ms": 120_000}


def test_one_long_segment_stays_one_passage_and_times_end_with_the_recording() -> None:
    made = spoken.passages(transcript((0.0, 200.0, "All at once.")), first=0, start_ms=1000, end_ms=90_000)
    assert [(one.start_ms, one.end_ms) for one in made] == [(1000, 90_000)]


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (("Hello", "there."), "Hello there."),
        ((" Hello", " there."), "Hello there."),
        (("湖は", "深い。"), "湖は深い。"),
        (("深い。", "OK"), "深い。OK"),
    ],
)
def test_parts_are_joined_as_their_script_is_written(parts: tuple[str, ...], text: str) -> None:
    said = transcript(*((float(place), place + 1.0, part) for place, part in enumerate(parts)))
    assert spoken.passages(said, first=0, start_ms=0, end_ms=9000)[0].text == text + "\n"


def test_a_transcript_is_kept_with_its_call_and_read_from_there() -> None:
    for kept in (transcript((0.0, 1.5, "Hi.")), Transcript("Hi.", None, None, 2.0)):
        assert Transcript.from_json(kept.to_json()) == kept


NOTHING = [
    "", "...", "♪♪♪", "you", "You. You. You.", "Thank you for watching!", "Thank you. Bye.", "no " * 8, "Sous-titrage ST' 501",
    "谢谢观看",
           "I am here. " * 20, "ha ha ha ha ha ha ha ha ha"]  # fmt: skip
SOMETHING = ["No, no, no.", "Thank you for the report on the lake.", "One two three four five six seven eight nine.", "Lake. Lake. Lake.",
             "We went to the lake and we went to the lake and we swam.", "湖は深いです。", "Yes."]  # fmt: skip


def test_repetitions_and_stock_phrases_alone_say_nothing() -> None:
    assert [text for text in NOTHING if not spoken.says_nothing(text)] == []
    assert [text for text in SOMETHING if spoken.says_nothing(text)] == []


def test_a_step_is_cut_in_the_middle_of_the_quiet() -> None:
    rate = 16_000
    loud = b"\x00\x20\x00\xe0" * (rate // 2)  # a second of a harsh tone
    quiet = bytes(2 * rate)
    samples = loud * 4 + quiet + loud * 3 + quiet[:rate] + loud * 2
    cut = waves.quiet_cut(samples, rate, 10.0) / (2 * rate)
    assert 8.0 < cut < 8.5  # the last quiet of the second half
    assert waves.quiet_cut(loud * 3, rate, 10.0) == 6 * rate  # less than a step is one
    assert 5.0 <= waves.quiet_cut(loud * 10, rate, 10.0) / (2 * rate) <= 10.0  # nowhere quiet: somewhere in the second half
    assert waves.quiet_cut(b"", rate, 10.0) == 0
