"""What a person is told about how a source was read; nothing is skipped silently."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from sourcebook_core.store.passages import PassageState

# Why a page was not read, in words; the codes are those of `errors.CODES`.
_WHY = {
    "no_text_layer": "It has no text that can be read, only a picture.",
    "resource_limit": "It needs more memory or time than one page may take.",
    "damaged_file": "It is damaged.",
}
_FEW_LETTERS = "Its text is mostly numbers or signs, which counts as no text layer."
OF_INDEX = frozenset({"words_only"})  # warnings about the index; each indexing says anew which hold
_UNREADABLE = "The letters of its text cannot be told: its fonts do not say which they are."


def of_reading(states: Sequence[PassageState], *, pages: int | None, warnings: Sequence[dict[str, str]], seconds: float) -> dict[str, Any]:
    """The report of a finished reading: pages (or parts) by how they were read, words, characters, warnings."""
    read = [state for state in states if state.state == "read"]
    empty = [_number(state) for state in states if state.state == "empty"]
    not_read = [{"page": _number(state), "code": state.code, "why": _why(state)} for state in states if state.state == "unread"]
    all_warnings = [*warnings, *({"code": "pages_not_read", "message": _pages_not_read(not_read)} for _ in not_read[:1])]
    return {
        "pages": pages, "by_text": sum(state.method == "text" for state in read),
        "by_vision": sum(state.method == "vision" for state in read), "by_speech": sum(state.method == "speech" for state in read),
         "empty": empty if pages else [], "not_read": not_read,
        "words": sum(state.meta.get("words", 0) for state in read), "characters": sum(state.characters for state in states),
        "warnings": all_warnings, "calls": 0, "cost": None, "seconds": round(seconds, 1),
    }  # fmt: skip


def of_index(
    report: dict[str, Any], *, calls: int, cost: Decimal | None, seconds: float, warnings: Sequence[dict[str, str]]
) -> dict[str, Any]:
    """The same report with what indexing added."""
    kept = [found for found in report.get("warnings", []) if found["code"] not in OF_INDEX]
    return {
        **report, "calls": calls, "cost": str(cost) if cost is not None else None, "warnings": [*kept, *warnings],
        "seconds": round(report.get("seconds", 0.0) + seconds, 1),
    }  # fmt: skip


def _number(state: PassageState) -> int:
    return state.page or state.ordinal + 1


def _why(state: PassageState) -> str:
    reason = state.meta.get("reason")
    if state.code == "no_text_layer" and reason == "few_letters":
        return _FEW_LETTERS
    if state.code == "no_text_layer" and reason in ("glyph_codes", "private_characters", "no_words"):
        return _UNREADABLE
    return _WHY.get(state.code or "", "It could not be read.")


def _pages_not_read(not_read: Sequence[dict[str, Any]]) -> str:
    shown = ", ".join(str(entry["page"]) for entry in not_read[:10])
    more = f" and {len(not_read) - 10} more" if len(not_read) > 10 else ""
    return f"{len(not_read)} pages could not be read: {shown}{more}."
