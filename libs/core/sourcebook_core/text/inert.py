"""Markdown written out for other programs: the words of a model without its links, pictures, HTML and footnotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

from sourcebook_core.text.outline import fence_after

# In this order: a mark "[3]"; a backslash that would hide one of ours; what begins a link, picture or footnote; an entity, a tag
# or an address in angle brackets; addresses that GitHub's Markdown links without any bracket (GFM 6.9).
_LIVE = re.compile(r"\[(\d{1,4})\](?!\()(:)?|\\(?=[!-/:-@\[-`{-~])|\[|<(?=[a-z/!?])|&(?=#|\w+;)|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
# Where a text that grows may be cut: behind a blank, for no pattern of the above reaches over one.
_CUT = re.compile(r".*\s", re.DOTALL)
OWN_MARKS = {n: f"[{n}]" for n in range(1, 1000)}  # every mark of an answer names one of its citations, and stays as it is
MAX_HELD_CHARS = 500  # a run without a blank is given up at this length


def markdown(text: str, marks: Mapping[int, str]) -> str:
    """`text` as Markdown that shows the same words, though nothing a model wrote in it is live; `marks[n]` stands for "[n]".

    A viewer of the file would else fetch a picture from where the model says, secret and all, and take a line such as
    "[^9]: Annual report" for one of our sources. A code block that is never closed is closed. Inside code the backslashes show.
    Source: CommonMark 0.31, sections 2.4 and 6.3 to 6.6; GFM 6.9.
    """

    return _closed(_escaped(text, marks))


class Growing:
    """The same for a text that comes in pieces: words are given when a blank stands behind them, an open code block stays open."""

    def __init__(self, marks: Mapping[int, str]) -> None:
        self._marks, self._held = marks, ""

    def feed(self, piece: str) -> str:
        """What can be shown now, maybe empty."""
        self._held += piece
        found = _CUT.match(self._held)
        end = found.end() if found else 0
        if len(self._held) - end > MAX_HELD_CHARS:
            end = len(self._held)
        return self._given(end)

    def finish(self) -> str:
        """The rest."""
        return self._given(len(self._held))

    def _given(self, end: int) -> str:
        given, self._held = self._held[:end], self._held[end:]
        return _escaped(given, self._marks)


def _escaped(text: str, marks: Mapping[int, str]) -> str:
    def one(found: re.Match[str]) -> str:
        if found[1] and int(found[1]) in marks:
            return marks[int(found[1])] + ("\\:" if found[2] else "")  # "[^1]:" would begin a footnote of the model's
        return f"\\{found[0]}" if found[0] != ":" else ":\\"

    return _LIVE.sub(one, text)


def _closed(text: str) -> str:
    """The text, with the fence that its last open code block needs."""
    fence = ""
    for line in text.splitlines():
        fence = fence_after(fence, line)
    return f"{text}\n{fence}" if fence else text
