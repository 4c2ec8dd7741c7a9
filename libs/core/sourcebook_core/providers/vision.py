"""Pictures read by a vision model: one chat completion with one image, from any OpenAI-compatible endpoint."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sourcebook_core.providers import chat, failures, request
from sourcebook_core.providers.chat import Usage
from sourcebook_core.providers.thinking import NeverEnded, visible
from sourcebook_core.settings import RoleSettings
from sourcebook_core.text import decode

# A page set small holds about 1,200 words; in German, Greek or Japanese a word is three tokens and more.
PAGE_TOKENS = 8000
_TURNS = (0, 90, 180, 270)
_SCRIPT_CHARS = 40
WordPlace = tuple[int, int, float, float, float, float]


@dataclass(frozen=True, slots=True)
class Transcribed:
    """What a model read in a picture; `text` is blank when text recognition found none.

    `words` are [start, end, x0, y0, x1, y1]: code points of `text` and places in 0..1 from the top left of the picture as it
    was sent; None where the model does not tell them. `turned` is by how many degrees clockwise the picture must be turned
    to stand upright. `is_cut`: the reply ended at its greatest length. `unreadable` names a script that stands in the picture
    and that the model does not know.
    """

    text: str
    words: list[WordPlace] | None
    turned: int
    is_cut: bool
    usage: Usage | None = None
    unreadable: str | None = None


async def transcribe(role: RoleSettings, jpeg: bytes, prompt: str, *, language: str | None = None) -> Transcribed:
    """What the role's model reads in a picture (JPEG), asked with `prompt`; one billed call. `language` is a hint, as two letters.

    `words`, `turned` and `unreadable` are our extension of the reply's message, which the local model server gives. Raises
    TransientError or PermanentError (`failures`); a reply that ends inside the model's thinking, that a filter withheld, or
    that is blank and has no `words`, is `model_bad_reply`, whose fact `usage` says what it cost.
    """
    picture = {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64," + base64.b64encode(jpeg).decode()}}
    fields = {
        "model": role.model,
        "messages": [{"role": "system", "content": prompt}, {"role": "user", "content": [picture]}],
        "temperature": role.temperature,
        "max_tokens": max(role.max_tokens, PAGE_TOKENS),
        "reasoning_effort": role.reasoning_effort,
        **role.options,
    }
    found = await request.post(role, chat.PATH, fields, {"X-Language": language} if language else None)
    choice = chat.first_choice(found)
    usage, finish = chat.usage_of(found), str(choice.get("finish_reason") or "stop")
    message = choice.get("message")
    message = message if isinstance(message, Mapping) else {}
    given = str(message.get("content") or "")
    try:
        said = visible(given)
    except NeverEnded:
        raise failures.bad_reply(role, "it ended inside the model's thinking.", **_billed(usage)) from None
    text = decode.clean(said)[0]
    if finish == "content_filter":
        raise failures.bad_reply(role, "its filter withheld the text.", **_billed(usage))
    if not text.strip() and not isinstance(message.get("words"), list):  # the prompt asks for a word also where there is no text
        why = "it used its whole length for thinking." if finish == "length" else "it is empty."
        raise failures.bad_reply(role, why, **_billed(usage))
    # Places count in the reply as it was sent: they hold only where nothing was taken out of it.
    words = _words(message.get("words"), len(text)) if said == given else None
    turned, script = message.get("turned"), message.get("unreadable")
    unreadable = decode.clean(script[:_SCRIPT_CHARS])[0] if isinstance(script, str) and script else None
    return Transcribed(text, words, turned if turned in _TURNS else 0, finish == "length", usage, unreadable)


def _billed(usage: Usage | None) -> dict[str, Any]:
    return {"usage": {"prompt_tokens": usage.prompt_tokens, "completion_tokens": usage.completion_tokens} if usage else None}


def _words(given: Any, length: int) -> list[WordPlace] | None:
    """The words' places when every one of them is sound, else None: a wrong mark in a picture is worse than none."""
    if not isinstance(given, list):
        return None
    found: list[WordPlace] = []
    for item in given:
        if not isinstance(item, list) or len(item) != 6 or not all(isinstance(number, int | float) for number in item):
            return None
        start, end = int(item[0]), int(item[1])
        x0, y0, x1, y1 = (min(max(float(number), 0.0), 1.0) for number in item[2:])
        if not 0 <= start < end <= length or x0 > x1 or y0 > y1:
            return None
        found.append((start, end, x0, y0, x1, y1))
    return found
