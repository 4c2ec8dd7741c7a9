"""Prints an answer for a terminal: the text as it comes, then each citation with its quote, place and verdict."""

from collections.abc import Callable, Sequence
from typing import Any

# The page's own words, so that both say the same.
VERDICTS = {
    "found": "Found in source",
    "partly": "Partly found",
    "number_differs": "Number differs",
    "not_found": "Not found in source",
    "not_checked": "Not checked",
}
DEGRADED = {
    "words_only": "searched by words only: the embedding model is away",
    "indexing": "some sources are still being read by meaning",
    "prompt_cut": "the model took in less than it was given",
    "without_documents": "answered without the documents: search is away",
    "no_chat_model": "no writing model is connected: these are the sources' own sentences",
}


def place(citation: dict[str, Any]) -> str:
    """Where in its source a citation points, in words: "page 3 · Measures > Speed", "12:40", "Sheet 2, row 41"; "" for the whole."""
    parts = []
    if citation.get("page") is not None:
        parts.append(f"page {citation['page']}")
    if citation.get("sheet") is not None:
        parts.append(", ".join(filter(None, (citation["sheet"], _rows(citation.get("rows"))))))
    if citation.get("start_ms") is not None:
        seconds = citation["start_ms"] // 1000
        parts.append(f"{seconds // 60}:{seconds % 60:02d}")
    if citation.get("heading"):
        path = citation["heading"].split(" > ")
        parts.append(" > ".join(path[1:] if path[0] == citation.get("source_title") else path))  # the title stands before it
    return " · ".join(filter(None, parts))


def _rows(rows: Sequence[int] | None) -> str:
    if not rows:
        return ""
    return f"row {rows[0]}" if rows[0] == rows[-1] else f"rows {rows[0]} to {rows[-1]}"


def citations(answer: dict[str, Any], say: Callable[[str], None]) -> None:
    """The numbered list under an answer: title, place, verdict, and the source's own words."""
    for citation in answer["citations"]:
        if citation.get("removed"):
            say(f"[{citation['n']}] source removed")
            continue
        say(f"[{citation['n']}] " + ", ".join(filter(None, (citation["source_title"], place(citation)))))
        for use in citation["uses"]:
            words = VERDICTS.get(use["verdict"], use["verdict"])
            say(f'    {words}: "{" ".join(use["quote"].split())}"' if use.get("quote") else f"    {words}")


def closest(answer: dict[str, Any], say: Callable[[str], None]) -> None:
    """Where nothing answers the question: the passages that came closest, as just that."""
    found = answer.get("closest") or []
    if found:
        say("Closest, but not an answer:")
    for near in found:
        say(", ".join(filter(None, (near["source_title"], place(near)))))
        say(f'    "{" ".join((near.get("quote") or "").split())}"')


def checks(answer: dict[str, Any], say: Callable[[str], None]) -> None:
    """One line that sums the checks up (none where nothing was cited), and one for each thing that was missing."""
    found = answer["checks"]
    if found:
        ungrounded = ", ".join(map(str, found["ungrounded_numbers"]))
        numbers = "numbers match" if found["numbers_grounded"] else f"numbers without a source: {ungrounded}"
        say(f"{found['found']} of {found['total']} statements found in the sources · {numbers}")
    for reason in answer.get("degraded") or []:
        if reason == "no_chat_model" and not answer["citations"]:
            continue  # nothing was quoted instead
        say(f"note: {DEGRADED.get(reason, reason)}")


def is_sound(answer: dict[str, Any]) -> bool:
    """Whether the answer is complete, cited, and passed every check."""
    found = answer.get("checks") or {}
    return bool(
        answer.get("finish") == "complete"
        and answer.get("citations")
        and found.get("citations_valid")
        and found.get("numbers_grounded")
        and found.get("total", 0) > 0
        and found.get("found") == found.get("total")
    )
