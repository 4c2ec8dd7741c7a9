"""A conversation as Markdown: every mark a footnote with title, place and the source's own words."""

from __future__ import annotations

import re

from sourcebook_core.checks import Citation
from sourcebook_gateway.shapes.turns import ConversationWhole, TurnRead

_MARK = re.compile(r"\[(\d+)\]")


def markdown(whole: ConversationWhole) -> str:
    """The whole conversation; footnotes are numbered through."""
    lines = [f"# {_line(whole.title) or 'Conversation'}", ""]
    number = 0
    for turn in whole.turns:
        lines += [f"## {_line(turn.question)}", "", *_answer(turn, number), ""]
        number += max((citation.n for citation in turn.citations), default=0)
    return "\n".join(lines)


def _answer(turn: TurnRead, before: int) -> list[str]:
    known = {citation.n for citation in turn.citations}

    def footnote(mark: re.Match[str]) -> str:
        n = int(mark[1])
        return f"[^{before + n}]" if n in known else mark[0]

    text = _MARK.sub(footnote, turn.answer or "")
    if turn.status == "failed" and turn.error is not None:
        text = f"{text}\n\n*{turn.error.message}*".strip()
    return [text, "", *(f"[^{before + c.n}]: {_place(c)}" for c in turn.citations)]


def _place(citation: Citation) -> str:
    parts = [_line(citation.source_title)]
    if citation.page is not None:
        parts.append(f"page {citation.page}")
    if citation.heading:
        parts.append(_line(citation.heading))
    if citation.sheet:
        parts.append(f"sheet {_line(citation.sheet)}")
    if citation.rows:
        first, last = citation.rows
        parts.append(f"row {first}" if first == last else f"rows {first}–{last}")
    if citation.start_ms is not None:
        parts.append(f"{citation.start_ms // 60_000}:{citation.start_ms // 1000 % 60:02}")
    quote = f": “{_line(citation.quote)}”" if citation.quote else ""
    return ", ".join(parts) + quote


def _line(text: str | None) -> str:
    return " ".join((text or "").split())
