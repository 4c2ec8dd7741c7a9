"""Takes a model's thinking out of its answer: a leading block, with or without its opening tag."""

from __future__ import annotations

_OPEN = ("<think>", "<thinking>")
_CLOSE = ("</think>", "</thinking>")


class StrayThinking(Exception):
    """A closing tag came after text was already given out: what was given out was thinking."""


class NeverEnded(Exception):
    """The reply ended inside its thinking, so there is no answer in it."""


class Visible:
    """Feeds pieces in, gives the visible text out.

    `aloud` says that the model is known to think without an opening tag: then nothing is given out before the closing
    tag or the end.
    """

    def __init__(self, *, aloud: bool = False) -> None:
        self.has_thought = False  # whether any thinking came at all
        self._held = ""
        self._looked = 0  # what is held was looked through up to here: a long reply is held whole
        self._state = "aloud" if aloud else "start"
        self._has_opened = False

    def feed(self, piece: str) -> str:
        """The text that may be shown now; raises StrayThinking."""
        self._held += piece
        if self._state == "start":
            self._begin()
        if self._state in {"thinking", "aloud"}:
            self._skip_thinking()
        if self._state == "after":
            self._held = self._held.lstrip()
            if self._held:
                self._state = "text"
        return self._give() if self._state == "text" else ""

    def close(self) -> str:
        """The rest at the end of the reply; raises NeverEnded when it ended inside its thinking."""
        if self._state == "thinking":
            raise NeverEnded
        rest, self._held = self._held, ""
        return rest

    def _begin(self) -> None:
        start = self._held.lstrip()
        for tag in _OPEN:
            if start.startswith(tag):
                self._held, self._state, self.has_thought = start[len(tag) :], "thinking", True
                return
        if not any(tag.startswith(start) for tag in _OPEN):
            self._state = "text"

    def _skip_thinking(self) -> None:
        places = [(at, tag) for tag in _CLOSE if (at := self._held.find(tag, max(0, self._looked - len(tag)))) >= 0]
        self._looked = len(self._held)
        if places:
            at, tag = min(places)
            self._held, self._state, self.has_thought, self._looked = self._held[at + len(tag) :], "after", True, 0

    def _give(self) -> str:
        self._has_opened = self._has_opened or any(tag in self._held for tag in _OPEN)
        if not self._has_opened and any(tag in self._held for tag in _CLOSE):
            raise StrayThinking
        keep = max((n for tag in (*_OPEN, *_CLOSE) for n in range(1, len(tag)) if self._held.endswith(tag[:n])), default=0)
        cut = len(self._held) - keep
        given, self._held = self._held[:cut], self._held[cut:]
        return given


def visible(text: str) -> str:
    """The visible part of a whole reply; raises NeverEnded."""
    filter_ = Visible(aloud=not text.lstrip().startswith(_OPEN))
    return filter_.feed(text) + filter_.close()
