"""Takes a model's reasoning out of its streamed reply."""

import re

# Tags in use by open models; one hidden block ends with the closing tag of any of them.
_OPENING = re.compile(r"<(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_CLOSING = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
_TAGS = tuple(f"<{slash}{name}>" for slash in ("", "/") for name in ("think", "thinking", "thought", "reasoning"))
LONGEST_TAG = max(map(len, _TAGS))
_HIGH_SURROGATES = ("\ud800", "\udbff")


class ReasoningFilter:
    """Feed it the pieces of a reply, it gives back the text outside reasoning blocks; pieces join to the same text however they are cut.

    `is_open` after `finish` means that the reply broke off inside its reasoning and is no answer. With `expected` (a model
    known to leave out the opening tag) everything up to the first closing tag is held back. Without it a closing tag that was
    never opened sets `restarted`: what was released before it was reasoning, and `restart_at` is its length.
    """

    def __init__(self, *, expected: bool = False) -> None:
        self.is_open = False
        self.restarted = False
        self.restart_at = 0
        self.has_met = False  # whether any reasoning came
        self._expected = expected
        self._held = ""
        self._looked = 0  # while a block is skipped, what is held was looked through up to here
        self._before = ""  # the last released character: a tag right after a backtick is quoted, not meant
        self._released = 0

    def feed(self, piece: str) -> str:
        """The text that is now known to be part of the answer, maybe empty."""
        if piece and not self._held and "<" not in piece and not self.is_open and not self._expected:
            self._before, self._released = piece[-1], self._released + len(piece)
            return piece  # the usual piece
        self._held += piece
        return self._advance(final=False)

    def finish(self) -> str:
        """What was held back and is text after all."""
        return self._advance(final=True)

    def _advance(self, *, final: bool) -> str:
        released: list[str] = []
        while self._held:
            if self.is_open or self._expected:
                if not self._skip_block(final=final):
                    break
                continue
            match = _first(_OPENING.search(self._held), _CLOSING.search(self._held))
            end = match.start() if match else len(self._held) - (0 if final else _tail(self._held))
            self._release(end, released)
            if match is None:
                break
            self._meet(match, released)
        return "".join(released)

    def _skip_block(self, *, final: bool) -> bool:
        """Drop up to the closing tag; False when it has not come yet."""
        match = _CLOSING.search(self._held, max(0, self._looked - LONGEST_TAG))
        self._looked = 0 if match else len(self._held)
        if match:
            self._held = self._held[match.end() :]
            self.is_open = self._expected = False
            self.has_met = True
            return True
        opened = _OPENING.match(self._held.lstrip())
        if self.is_open or opened:
            self.is_open = self.has_met = True
            self._expected = False
            self._looked = 0
            self._held = self._held[len(self._held) - _tail(self._held) :]
            return False
        if final:
            self._expected = False  # no block came: all that was held is the answer
        return final

    def _meet(self, match: re.Match[str], released: list[str]) -> None:
        """A tag stands at the head of what is held."""
        tag = match.group()
        if self._before == "`":
            self._release(len(tag), released)
            return
        self._held = self._held[len(tag) :]
        self.has_met = True
        if tag[1] != "/":
            self.is_open = True
        else:
            self.restarted, self.restart_at = True, self._released

    def _release(self, end: int, released: list[str]) -> None:
        if end > 0:
            released.append(self._held[:end])
            self._before = self._held[end - 1]
            self._released += end
            self._held = self._held[end:]


def _first(one: re.Match[str] | None, other: re.Match[str] | None) -> re.Match[str] | None:
    if one and other:
        return one if one.start() < other.start() else other
    return one or other


def _tail(text: str) -> int:
    """How many characters at the end could be the beginning of a tag."""
    place = text.rfind("<")
    if place < 0:
        return 0
    tail = text[place:].lower()
    return len(tail) if any(tag.startswith(tail) for tag in _TAGS) else 0


class SurrogateJoiner:
    """Puts together a character that a provider cut into two halves, and makes NUL and lone halves U+FFFD, so that any store takes it."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        """The piece as clean text; a first half at its end waits for the next piece."""
        if not self._half and piece.isascii():
            return piece.replace("\x00", "\ufffd")
        text = self._half + piece
        self._half = ""
        if text and _HIGH_SURROGATES[0] <= text[-1] <= _HIGH_SURROGATES[1]:
            text, self._half = text[:-1], text[-1]
        return _clean(text)

    def finish(self) -> str:
        """U+FFFD for a half that never met the other."""
        rest, self._half = self._half, ""
        return _clean(rest)


def _clean(text: str) -> str:
    if not text.isascii():
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text.replace("\x00", "\ufffd")
