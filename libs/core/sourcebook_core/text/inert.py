"""Markdown written out for other programs: the words of a model without its links, pictures, HTML and footnotes."""

from __future__ import annotations

import re
from collections.abc import Mapping

# In this order: a mark "[3]"; a backslash that would hide one of ours; what begins a link, picture or footnote; an entity, a tag
# or an address in angle brackets; addresses that GitHub's Markdown links without any bracket (GFM 6.9).
_LIVE = re.compile(r"\[(\d{1,4})\](?!\()(:)?|\\(?=[!-/:-@\[-`{-~])|\[|<|&(?=#|\w+;)|(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


def markdown(text: str, marks: Mapping[int, str]) -> str:
    """`text` as Markdown that shows the same words, though nothing a model wrote in it is live; `marks[n]` stands for "[n]".

    A viewer of the file would else fetch a picture from where the model says, secret and all, and take a line such as
    "[^9]: Annual report" for one of our sources. A code block that is never closed is closed. Inside code the backslashes show.
    Source: CommonMark 0.31, sections 2.4 and 6.3 to 6.6; GFM 6.9.
    """

    def one(found: re.Match[str]) -> str:
        if found[1] and int(found[1]) in marks:
            return marks[int(found[1])] + ("\\:" if found[2] else "")  # "[^1]:" would begin a footnote of the model's
        return f"\\{found[0]}" if found[0] != ":" else ":\\"

    return _closed(_LIVE.sub(one, text))


def _closed(text: str) -> str:
    """The text, with the fence that its last open code block needs."""
    fence = ""
    for line in text.splitlines():
        found = _FENCE.fullmatch(line)
        if found is None:
            continue
        run, rest = found.groups()
        if not fence and not (run[0] == "`" and "`" in rest):
            fence = run
        elif fence and run[0] == fence[0] and len(run) >= len(fence) and not rest.strip():
            fence = ""
    return f"{text}\n{fence}" if fence else text
