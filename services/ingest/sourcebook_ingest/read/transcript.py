"""What a vision model's reply is worth: its text without the marks of the prompt, or why it is no text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core.providers.vision import Transcribed, WordPlace
from sourcebook_core.text.scripts import has_visible

NO_TEXT = "NO_LEGIBLE_TEXT"  # as the prompts say
_DESCRIPTION = re.compile(r"^[ \t*#]*=== ?DESCRIPTION ?===[ \t*#]*$", re.MULTILINE)
_FENCED = re.compile(r"\A```[a-z]*\n(.*?)\n?```\Z", re.DOTALL)
# A loop is a tail that says the same at least so often and is at least so long; columns of equal figures stay below it.
_PERIOD_CHARS, _LOOP_CHARS, _LOOP_TIMES = 200, 400, 20
_FEW_BEFORE = 40  # characters before a loop that are no text of a page
_SAME_WORDS = 12
_REFUSAL_CHARS = 400
# A refusal opens like one, speaks of the picture, and denies; all three, for a page may well begin "Sorry".
_OPENS = re.compile(
    r"^\W*(?:i['’]?m (?:really |very |not |un)?(?:sorry|able)|sorry|i apologi[sz]e|unfortunately|i can(?:not|['’]t)"
    r"|i am (?:not |un)able|as an ai"
    r"|es tut mir leid|tut mir leid|leider|ich kann|entschuldigung|je suis désolée?|désolée?|malheureusement|je ne peux"
    r"|lo siento|no puedo|mi dispiace|non posso|lamento|não posso|desculpe)\b",
    re.IGNORECASE,
)
_DENIES = re.compile(
    r"\b(?:can(?:not|['’]t)|could(?:n['’]t| not)|unable|not able|won['’]t|nicht|keine?n?|ne peux|pas|no puedo|non posso|não)\b",
    re.IGNORECASE,
)
_OF_PICTURE = re.compile(
    r"\b(?:image|picture|photo|page|document|text|transcri\w*|content|bild\w*|seite|dokument|inhalt|imagen?|página|texto|immagine|pagina|testo)\b",
    re.IGNORECASE,
)
REFUSED = "The picture reader answered that it cannot read it."
REPEATED = "The picture reader only repeated the same words over and over."


@dataclass(frozen=True, slots=True)
class Seen:
    """A picture's text: its transcription and, from `description_at` on, a description of it.

    `boxes` belong to the upright picture, which is the one that was sent, turned clockwise by `turned` degrees; None where
    they are not known. `doubt` says in words why the reply is no text; there is none then. `is_cut`: the end is missing.
    """

    text: str
    boxes: list[list[float]] | None = None
    turned: int = 0
    description_at: int | None = None
    is_cut: bool = False
    doubt: str | None = None


def judged(found: Transcribed, *, with_description: bool = False) -> Seen:
    """The text that a reply holds; blank when it says that there is none.

    A reply whose words have places comes from text recognition: it is taken as it stands. Any other may be fenced, refuse,
    or run into a loop, which must not become text of the source.
    """
    if found.unreadable and not has_visible(found.text):
        return Seen("", doubt=f"It is written in a script that the picture reader does not know ({found.unreadable}).")
    if found.words is not None:
        before = len(found.text) - len(found.text.lstrip())
        return Seen(found.text.strip(), _upright(found.words, found.turned, before), found.turned)
    text = found.text.strip()
    text = fenced.group(1).strip() if (fenced := _FENCED.match(text)) else text
    transcription, description = _parts(text) if with_description else (text, "")
    transcription = "" if transcription.startswith(NO_TEXT) else transcription.removesuffix(NO_TEXT).rstrip()
    if is_refusal(transcription):
        return Seen("", doubt=REFUSED)
    whole, is_loop = without_loop(transcription)
    if is_loop and not has_visible(whole):
        return Seen("", doubt=REPEATED)
    text = f"{whole}\n\n{description}" if whole and description else whole or description
    return Seen(text, None, found.turned, len(text) - len(description) if description else None, found.is_cut or is_loop)


def is_refusal(text: str) -> bool:
    """Whether a short reply says that the model will not or cannot read the picture, instead of what stands in it."""
    return len(text) <= _REFUSAL_CHARS and all((_OPENS.match(text), _DENIES.search(text), _OF_PICTURE.search(text)))


def without_loop(text: str) -> tuple[str, bool]:
    """The text with a loop at its end said once, "" when it is nothing but a loop; and whether there was one."""
    words = text.casefold().split()
    if len(words) >= _SAME_WORDS and len(set(words)) == 1:
        return "", True
    for period in range(1, _PERIOD_CHARS + 1):
        start = len(text)
        while start > period and text[start - 1] == text[start - 1 - period]:
            start -= 1
        length = len(text) - start + period
        unit = text[len(text) - period :]
        if length >= max(_LOOP_CHARS, _LOOP_TIMES * period) and any(char.isalnum() for char in unit):
            begin = max(start - period, 0)
            return ("" if begin < _FEW_BEFORE else text[: begin + period].rstrip()), True
    return text, False


def _parts(text: str) -> tuple[str, str]:
    found = list(_DESCRIPTION.finditer(text))
    if not found:
        return text, ""
    return text[: found[-1].start()].strip(), text[found[-1].end() :].strip()


def _upright(words: Sequence[WordPlace], turned: int, before: int) -> list[list[float]]:
    found: list[list[float]] = []
    for start, end, *corners in words:
        (ax, ay), (bx, by) = _turn(corners[0], corners[1], turned), _turn(corners[2], corners[3], turned)
        box = [min(ax, bx), min(ay, by), max(ax, bx), max(ay, by)]
        if start >= before:
            found.append([start - before, end - before, *(round(edge, 5) for edge in box)])
    return found


def _turn(x: float, y: float, degrees: int) -> tuple[float, float]:
    """Where a point of a picture stands when the picture is turned clockwise."""
    return {0: (x, y), 90: (1 - y, x), 180: (1 - x, 1 - y), 270: (y, 1 - x)}[degrees]
