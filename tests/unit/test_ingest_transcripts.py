"""What of a vision model's reply becomes text: marks of the prompt go, refusals and loops never get in, places stay right."""

import pytest

from sourcebook_core.providers.vision import Transcribed
from sourcebook_ingest.read import transcript


def judged(text: str, *, described: bool = False) -> transcript.Seen:
    return transcript.judged(Transcribed(text, None, 0, False), with_description=described)


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I cannot read the text in this image.", "I can't assist with transcribing this picture.",
        "Unfortunately, I am unable to make out the content.", "Es tut mir leid, ich kann den Text auf diesem Bild nicht lesen.",
        "Je suis désolé, je ne peux pas lire cette image.", "Lo siento, no puedo leer el texto de la imagen.",
    ],
)  # fmt: skip
def test_a_refusal_is_no_text(text: str) -> None:
    assert judged(text).doubt == transcript.REFUSED and judged(text).text == ""


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, closed today. The mill opens again on Tuesday at nine.", "I cannot swim, said the miller, and went to the lake.",
        "Leider ist die Mühle geschlossen.", "Unfortunately the flood took the bridge. "
        + "The page tells more of it, and of what could not be saved. " * 10,
    ],
)  # fmt: skip
def test_a_page_that_only_begins_like_a_refusal_is_text(text: str) -> None:
    seen = judged(text)
    assert (seen.text, seen.doubt) == (text.strip(), None)


def test_a_reply_that_is_a_loop_is_no_text_and_a_loop_at_the_end_is_said_once() -> None:
    for loop in ("mill " * 300, "The mill of Lindow. " * 60, "a" * 900):
        assert judged(loop).doubt == transcript.REPEATED
    page = "The mill of Lindow was closed in 1968, and its wheel was sold to Torgau two years later.\n"
    seen = judged(page + "It turned and turned. " * 50)
    assert seen.text.startswith(page) and seen.text.count("turned. It") <= 1 and seen.is_cut


@pytest.mark.parametrize(
    "text",
    [
        "Contents\nThe mill ........................................................................................ 4\nThe lake ....... 9",
        "Name: " + "_" * 900,
        "0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n0 0 0 0 0 0\n1 0 0 0 0 0\n0 0 0 0 0 0", "no no no no",
    ],
)  # fmt: skip
def test_dots_lines_and_columns_of_noughts_are_no_loop(text: str) -> None:
    assert judged(text) == transcript.Seen(text)


def test_marks_of_the_prompt_and_fences_are_taken_off() -> None:
    assert judged("NO_LEGIBLE_TEXT").text == judged("NO_LEGIBLE_TEXT.\n").text == ""
    assert judged("```\nThe mill.\n```").text == judged("```text\nThe mill.\n```").text == "The mill."
    assert judged("  The mill.  \n").text == "The mill."


def test_a_description_follows_the_transcription_and_its_place_is_known() -> None:
    seen = judged("Mill Road 4\n=== DESCRIPTION ===\nA street sign on a wall.", described=True)
    assert seen.text == "Mill Road 4\n\nA street sign on a wall."
    assert seen.description_at is not None and seen.text[seen.description_at :] == "A street sign on a wall."
    alone = judged("NO_LEGIBLE_TEXT\n\n**=== DESCRIPTION ===**\nA lake.", described=True)
    assert (alone.text, alone.description_at) == ("A lake.", 0)
    assert judged("Description: 4 wheels", described=True) == transcript.Seen("Description: 4 wheels")
    assert judged("NO_LEGIBLE_TEXT\n=== DESCRIPTION ===", described=True).text == ""


@pytest.mark.parametrize(
    ("turned", "box"), [(0, [0.1, 0.2, 0.3, 0.25]), (90, [0.75, 0.1, 0.8, 0.3]), (180, [0.7, 0.75, 0.9, 0.8]), (270, [0.2, 0.7, 0.25, 0.9])]
)
def test_places_are_those_of_the_upright_picture_and_of_the_text_that_is_kept(turned: int, box: list[float]) -> None:
    found = Transcribed("\n mill pond \n", [(2, 6, 0.1, 0.2, 0.3, 0.25), (7, 11, 0.1, 0.2, 0.3, 0.25)], turned, False)
    seen = transcript.judged(found)
    assert seen.text == "mill pond" and seen.boxes == [[0, 4, *box], [5, 9, *box]]


def test_a_script_that_the_reader_does_not_know_is_told_and_is_not_blank() -> None:
    seen = transcript.judged(Transcribed("", [], 0, False, unreadable="Cyrillic"))
    assert seen.doubt is not None and "Cyrillic" in seen.doubt
