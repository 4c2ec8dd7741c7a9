"""What a person is told about how a source was read; nothing is skipped silently."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sourcebook_core.errors import PermanentError
from sourcebook_core.store.passages import PassageState

# Why a page was not read, in words; the codes are those of `errors.CODES`.
_WHY = {
    "no_text_layer": "It has no text that can be read, only a picture.",
    "resource_limit": "It needs more memory or time than one page may take.",
    "damaged_file": "It is damaged.",
}
_FEW_LETTERS = "Its text is mostly numbers or signs, which counts as no text layer."
# Warnings about the index; each indexing says anew which hold.
OF_INDEX = frozenset({"words_only", "no_captions", "captions_missing", "reindex_failed"})
_UNREADABLE = "The letters of its text cannot be told: its fonts do not say which they are."
_WORDLESS = "The picture reader found no words in {name}. A model that describes pictures can be connected under Models; then try again."
_AGAIN = "read it again in mode auto"
# Why pictures were not read: the words after "…, and" in a sentence, and what to do.
_NO_PICTURES = {
    "off": ("no picture reader is connected", f"Connect one under Models, then {_AGAIN}."),
    "local_only": (
        "the picture reader is hosted, while a notebook or assistant that holds it keeps to models on this server",
        "Connect a picture reader on this server under Models, or let it use hosted models.",
    ),
    "declined": ("pictures were not to be read", "Read it again and let its pictures be read."),
}


def of_reading(
    states: Sequence[PassageState], *, pages: int | None, duration_ms: int | None = None, warnings: Sequence[dict[str, str]], seconds: float
) -> dict[str, Any]:
    """The report of a finished reading: pages (or parts) by how they were read, words, characters, warnings."""
    read = [state for state in states if state.state == "read"]
    empty = [_number(state) for state in states if state.state == "empty"]
    not_read = [{"page": _number(state), "code": state.code, "why": _why(state)} for state in states if state.state == "unread"]
    left_out = [{"code": "pages_not_read", "message": _pages_not_read(not_read)}] if not_read else []
    all_warnings = [*warnings, *_of_pictures(states), *left_out]
    return {
        "pages": pages, "by_text": sum(state.method == "text" for state in read),
        "by_vision": sum(state.method == "vision" for state in read), "by_speech": sum(state.method == "speech" for state in read),
         "minutes": round(duration_ms / 60_000, 1) if duration_ms is not None else None,
        "empty": empty if pages else [], "not_read": not_read,
        "words": sum(state.meta.get("words", 0) for state in read), "characters": sum(state.characters for state in states),
        "warnings": all_warnings, "calls": 0, "cost": None, "seconds": round(seconds, 1),
    }  # fmt: skip


def of_index(
    report: dict[str, Any], *, calls: int, cost: Decimal | None, currency: str, seconds: float, warnings: Sequence[dict[str, str]]
) -> dict[str, Any]:
    """The same report with what indexing added."""
    kept = [found for found in report.get("warnings", []) if found["code"] not in OF_INDEX]
    return {
        **report, "calls": calls, "cost": str(cost) if cost is not None else None, "currency": currency,
        "warnings": [*kept, *warnings],
        "seconds": round(report.get("seconds", 0.0) + seconds, 1),
    }  # fmt: skip


def no_pictures(name: str, why: str | None, *, is_picture: bool = False) -> str:
    """The sentence for a source that is a picture, or is to be read as pictures, while nobody may read them; `why` as
    `vision.Choice` has it."""
    reason, remedy = _NO_PICTURES[why or "off"]
    again = "try again" if is_picture else "try again, or read it again in mode auto or text"
    return f"{name} is {'a picture' if is_picture else 'to be read as pictures'}, and {reason}. {remedy.replace(_AGAIN, again)}"


def refusal(name: str, capture: str, states: Sequence[PassageState]) -> PermanentError:
    """Why a source of which nothing could be read failed: `no_text` for blank ones only, else what was wrong and what to do."""
    unread = [state for state in states if state.state == "unread"]
    if not unread:
        is_wordless = any(state.meta.get("reason") == "no_words" for state in states)
        return PermanentError("no_text", _WORDLESS.format(name=name) if is_wordless else None, name=name)
    layerless = [state for state in unread if state.code == "no_text_layer"]
    if not layerless:
        why = unread[0].meta.get("why")
        sentence = f"{name} could not be read: {why}" if why and name not in why else why
        return PermanentError(str(unread[0].code), sentence, name=name)
    found = f"{name} has no readable text in capture mode {capture}"
    if capture == "text":
        return PermanentError("no_text_layer", f"{found}: its pages are pictures. Read it again in mode auto, with a picture reader.")
    reason, remedy = _NO_PICTURES[layerless[0].meta.get("pictures") or "off"]
    which = "its page is a picture" if len(layerless) == 1 else f"its {len(layerless)} pages are pictures"
    return PermanentError("no_text_layer", f"{found}: {which}, and {reason}. {remedy}")


def _of_pictures(states: Sequence[PassageState]) -> list[dict[str, str]]:
    """What a person should know about pages that were read as pictures."""
    found = []
    if wordless := [_number(state) for state in states if state.meta.get("reason") == "no_words"]:
        found.append({"code": "no_words_in_pictures", "message": f"The picture reader found no words on: {_listed(wordless)}."})
    if cut := [_number(state) for state in states if state.meta.get("is_cut")]:
        message = f"The text may be incomplete, for the picture reader's reply had no end, on: {_listed(cut)}."
        found.append({"code": "pictures_cut", "message": message})
    return found


def _number(state: PassageState) -> int:
    return state.page or state.ordinal + 1


def _why(state: PassageState) -> str:
    reason, why = state.meta.get("reason"), state.meta.get("why")
    if why:
        return str(why)
    if state.code == "no_text_layer" and reason == "few_letters":
        return _FEW_LETTERS
    if state.code == "no_text_layer" and reason in ("glyph_codes", "private_characters", "no_words"):
        return _UNREADABLE
    return _WHY.get(state.code or "", "It could not be read.")


def _listed(pages: Sequence[int]) -> str:
    shown = ", ".join(str(page) for page in pages[:10])
    return f"{shown} and {len(pages) - 10} more" if len(pages) > 10 else shown


def _pages_not_read(not_read: Sequence[dict[str, Any]]) -> str:
    return f"{len(not_read)} pages could not be read: {_listed([entry['page'] for entry in not_read])}."
