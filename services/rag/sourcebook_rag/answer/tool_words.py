"""How a tool replies: a block of quoted material, or one line of a fixed form. Never the text of an exception. Source: N-10, N-25."""

from __future__ import annotations

CUT = "(the rest is left out)"


def not_found(what: str = "there is no such record here") -> str:
    """What is not there, or not for this asker: both sound alike."""
    return f"not_found: {what}."


def unavailable(why: str) -> str:
    """A use that could not be made, which says nothing about what it would have found."""
    return f"unavailable: {why}."


def no_result(what: str) -> str:
    """A use that was made and found nothing."""
    return f"no_result: {what}."


def block(text: str, fence: str, most_bytes: int) -> str:
    """Quoted lines between two lines of the fence, cut at a line where they are more than `most_bytes` of UTF-8."""
    return f"{fence}\n{cut(text, most_bytes)}\n{fence}"


def cut(text: str, most_bytes: int) -> str:
    """The text, or its whole lines that fit and that the rest is left out; of a first line that is too long, its beginning."""
    raw = text.encode()
    if len(raw) <= most_bytes:
        return text
    kept = raw[:most_bytes].decode(errors="ignore")
    whole = kept.rpartition("\n")[0] or kept
    return f"{whole}\n{CUT}"
