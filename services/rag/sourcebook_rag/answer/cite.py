"""Citation marks of a streamed answer: resolved, numbered densely by first appearance, or dropped."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sourcebook_rag.answer import machine_marks
from sourcebook_rag.answer.group import CLOSINGS, MAX_GROUP_CHARS, NEVER_IN_GROUP, cited_numbers
from sourcebook_rag.answer.machine_marks import Is
from sourcebook_rag.answer.reasoning import ReasoningFilter, SurrogateJoiner

MAX_ANSWER_CHARS = 60_000  # a model that never ends is left at this length
MAX_MARKS = 1000  # no answer for a person has more, and each costs a check
MAX_CODE_CHARS = 200
MAX_LINK_CHARS = 2000
MAX_FENCE_LINE_CHARS = 200

_PLAIN = re.compile(rf"(?: ?[^\s`({re.escape(''.join(CLOSINGS))}]++)++")  # words with single blanks between them: released at once
_FENCE = re.compile(r"(`{3,}|~{3,})([^\n]*)")
_MAY_CLOSE_FENCE = re.compile(r" {0,3}[`~]*[ \t]*")


@dataclass(frozen=True, slots=True)
class Mark:
    """One mark of the answer: half-open range of "[n]" in code points (empty where marks are hidden), its number, and the passage it
    names (1-based, as given)."""

    start: int
    end: int
    n: int
    passage: int


class CitationFilter:
    """Feed it the pieces of a model's reply; it gives back text that may be shown, with "[n]" for each passage cited.

    Released pieces join to `answer` and do not depend on how the reply was cut. Numbers are dense by first appearance
    (`renumber`), `order[n - 1]` is the passage behind n. A number beyond `valid_n` is dropped with the blanks and brackets around it
    (`invalid="strip"`) or stays (`"flag"`), and is listed in `invalid_numbers`. With `hide` no mark is shown at all, and `marks`
    says where they would stand. Lines that begin with one of `own_line` are the program's to write and taken out. Inline code and
    fenced code are left alone. Reasoning is taken out; `is_unfinished` after `finish` means the reply broke off inside it. `is_full`:
    so much was released that nothing more will be; leave the reply.
    Source: S0-73, S1-54, S1-55, S3-11, N-04, N-07, B43, C30.
    """

    def __init__(
        self,
        valid_n: int,
        *,
        invalid: Literal["strip", "flag"] = "strip",
        renumber: bool = True,
        hide: bool = False,
        own_line: Sequence[str] = (),
        expect_reasoning: bool = False,
    ) -> None:
        self.order: list[int] = []
        self.invalid_numbers: list[int] = []
        self.marks: list[Mark] = []
        self.is_not_covered = False
        self.used: list[int] | None = None
        self._valid_n, self._invalid, self._renumber, self._hide = valid_n, invalid, renumber, hide
        self._own_line = own_line
        self._joiner = SurrogateJoiner()
        self._reasoning = ReasoningFilter(expected=expect_reasoning)
        self.is_full = False
        self._held = ""
        self._final = False
        self._begun = False
        self._at_line_start = True
        self._in_own_line = False
        self._has_dropped = False  # a mark was dropped right before what is held
        self._fence = ""
        self._parts: list[str] = []
        self._length = 0

    @property
    def answer(self) -> str:
        """All that was released so far."""
        if len(self._parts) > 1:  # asked for after each piece: joining all pieces anew would take quadratic time
            self._parts = ["".join(self._parts)]
        return self._parts[0] if self._parts else ""

    @property
    def is_hiding(self) -> bool:
        """Whether no mark is shown."""
        return self._hide

    def number_of(self, passage: int) -> int:
        """The number by which a cited passage is shown."""
        return self.order.index(passage) + 1 if self._renumber else passage

    @property
    def is_unfinished(self) -> bool:
        """Whether the reply ended inside its reasoning: no answer, though it was paid for (N-03)."""
        return self._final and self._reasoning.is_open

    @property
    def has_leaked_reasoning(self) -> bool:
        """Whether a reasoning block ended that never began: what was released before it is no answer. Remember it for the
        model (`expect_reasoning`) and treat the turn as failed (B45)."""
        return self._reasoning.restarted

    @property
    def has_met_reasoning(self) -> bool:
        """Whether any reasoning came: a model that was held to mix it in and did not may stream again."""
        return self._reasoning.has_met

    def feed(self, piece: str) -> str:
        """The text that can be shown now, maybe empty."""
        self._held += self._reasoning.feed(self._joiner.feed(piece))
        return self._advance()

    def finish(self) -> str:
        """The text that was held back and can be shown after all; blanks at the end of the answer are dropped."""
        self._held += self._reasoning.feed(self._joiner.finish()) + self._reasoning.finish()
        self._final = True
        return self._advance()

    # Each step below looks at the head of what is held and either consumes some of it (True) or waits for more (False).

    def _advance(self) -> str:
        before = len(self._parts)
        while self._held and not self.is_full and self._step():
            pass
        released = self._parts[before:]
        return released[0] if len(released) == 1 else "".join(released)

    def _step(self) -> bool:
        if self._in_own_line:
            return self._rest_of_own_line()
        if not self._begun:
            return self._begin()
        if self._fence:
            return self._fenced_line()
        if self._at_line_start and self._held[0] in "`~":
            opened = self._open_fence()
            if opened is not None:
                return opened
        char = self._held[0]
        if char == "(" or (self._has_dropped and char in ",;"):
            return self._before_group(char)
        plain = _PLAIN.match(self._held)
        if plain:
            return self._release(plain.end())
        if char == "`":
            return self._inline_code()
        return self._group("") if char in CLOSINGS else self._blanks()

    def _begin(self) -> bool:
        """Blanks before the answer are dropped; a first line NOT_COVERED is taken out."""
        self._held = self._held.lstrip()
        if not self._held:
            return False
        if not self.is_not_covered and not self._take_not_covered():
            return False
        taken = self._machine_line("")
        self._begun = taken is None
        return taken is not False

    def _take_not_covered(self) -> bool:
        """Take the mark out if it is there; False to wait for more."""
        found, length = machine_marks.not_covered(self._held, final=self._final)
        if found is Is.YES:
            self.is_not_covered = True
            self._held = self._held[length:].lstrip()
        return found is not Is.OPEN

    def _blanks(self) -> bool:
        """A run of blanks waits for what follows: a mark may be dropped with them, a last line USED too, the end as well."""
        rest = self._held.lstrip()
        blanks = self._held[: len(self._held) - len(rest)]
        if not rest:
            if self._final:
                self._held = ""
            return False
        if "\n" in blanks:
            taken = self._machine_line(blanks)
            if taken is not None:
                return taken
        elif rest[0] in CLOSINGS:
            return self._group(blanks)
        elif rest == "(" and not self._final:
            return False
        elif rest[0] == "(" and rest[1:2] in CLOSINGS:
            return self._group(f"{blanks}(")
        self._release(len(blanks))
        self._at_line_start = "\n" in blanks
        return True

    def _before_group(self, char: str) -> bool:
        """A bracket or comma that goes with a mark when that is dropped: "([1])" and "[1], [2]" leave nothing behind."""
        rest = self._held[1:] if char == "(" else self._held[1:].lstrip(" \t")
        if not rest and not self._final:
            return False
        if rest[:1] in CLOSINGS:
            return self._group(self._held[: len(self._held) - len(rest)])
        return self._release(1)

    def _machine_line(self, blanks: str) -> bool | None:
        """True when a line for the program begins behind the blanks and is taken out, False to wait, None when it is ordinary text."""
        rest = self._held[len(blanks) :]
        is_last, numbers = machine_marks.used(rest, final=self._final)
        if is_last is Is.YES:
            self.used = [number for number in numbers if 1 <= number <= self._valid_n]
            self._held = ""
            return True
        is_own = machine_marks.own_line(rest, self._own_line, final=self._final)
        if is_own is Is.YES:
            self._in_own_line = True
            self._held = rest
            return True
        return False if Is.OPEN in (is_last, is_own) else None

    def _rest_of_own_line(self) -> bool:
        """Drop up to the end of the line."""
        end = self._held.find("\n")
        self._held = self._held[end:] if end >= 0 else ""
        self._in_own_line = end < 0
        return end >= 0

    def _open_fence(self) -> bool | None:
        """True when a code fence opened here, False to wait, None when this is no fence."""
        match = _FENCE.match(self._held)
        if not match:
            waits = len(self._held) < 3 and self._held in ("`", "``", "~", "~~") and not self._final
            return False if waits else None
        mark, rest = match.groups()
        if mark[0] == "`" and "`" in rest:
            return None
        if match.end() == len(self._held) and len(rest) < MAX_FENCE_LINE_CHARS and not self._final:
            return False
        self._fence = mark
        return self._release(match.end())

    def _fenced_line(self) -> bool:
        """Code is passed on as it is; a line that may be the closing fence waits for its end."""
        if self._held[0] != "\n":
            end = self._held.find("\n")
            return self._release(end if end >= 0 else len(self._held))
        line, newline, _ = self._held[1:].partition("\n")
        is_complete = bool(newline) or self._final
        if not is_complete and _MAY_CLOSE_FENCE.fullmatch(line):
            return False
        if is_complete and re.fullmatch(rf" {{0,3}}{self._fence[0]}{{{len(self._fence)},}}[ \t]*", line):
            self._fence = ""
        return self._release(1 + len(line))

    def _inline_code(self) -> bool:
        """Code up to its closing run of backticks on this line; without one the backticks are text."""
        run = len(self._held) - len(self._held.lstrip("`"))
        if run == len(self._held) and not self._final:
            return False
        line = self._held.split("\n", 1)[0]
        closing = re.compile(rf"(?<!`)`{{{run}}}(?!`)").search(line, run, run + MAX_CODE_CHARS + run)
        if closing:
            ends_here = closing.end() == len(self._held)
            return self._release(closing.end()) if not ends_here or self._final else False
        decided = self._final or len(line) < len(self._held) or len(line) > run + MAX_CODE_CHARS + run
        return self._release(run) if decided else False

    def _group(self, before: str) -> bool:
        """A bracket that may be a mark: decided at its closing bracket or as soon as it can be none. `before` is dropped with it."""
        opening = self._held[len(before)]
        start = len(before) + 1
        end = self._held.find(CLOSINGS[opening], start, start + MAX_GROUP_CHARS + 1)
        if end < 0:
            rest = self._held[start:]
            may_come = len(rest) <= MAX_GROUP_CHARS and not NEVER_IN_GROUP.search(rest)
            return False if may_come and not self._final else self._release(start)
        numbers = cited_numbers(self._held[start:end], self._valid_n)
        if numbers is None:
            return self._release(start)
        after = self._link_end(end + 1)
        is_dropped = self._hide or (self._invalid == "strip" and all(number > self._valid_n for number in numbers))
        in_brackets = is_dropped and before.endswith("(")
        if after is None or (in_brackets and after >= len(self._held) and not self._final):
            return False
        if in_brackets and self._held[after : after + 1] == ")":
            after += 1
        elif in_brackets:
            self._emit(before)
        self._cite("" if is_dropped else before, numbers)
        self._held = self._held[after:]
        self._at_line_start, self._has_dropped = False, is_dropped
        return True

    def _link_end(self, place: int) -> int | None:
        """Where the text goes on after a mark: behind a link target that follows at once, else at `place`; None to wait."""
        if place >= len(self._held):
            return place if self._final else None
        if self._held[place] != "(":
            return place
        limit = self._held[place : place + MAX_LINK_CHARS].split("\n", 1)[0]
        depth = 0
        for offset, char in enumerate(limit):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                return place + offset + 1
        if not self._final and place + len(limit) == len(self._held) and len(limit) < MAX_LINK_CHARS:
            return None
        first = limit.find(")")
        return place + first + 1 if first > 0 else place

    def _cite(self, before: str, numbers: list[int]) -> None:
        valid = [number for number in numbers if number <= self._valid_n]
        self.invalid_numbers += [number for number in numbers if number > self._valid_n]
        shown = numbers if self._invalid == "flag" else valid
        for number in valid:
            if number not in self.order:
                self.order.append(number)
        if not shown:
            return
        self._emit(before)
        for number in shown:
            n = self.number_of(number) if number in self.order else number
            mark = "" if self._hide else f"[{n}]"
            if self.is_full or self._length + len(mark) > MAX_ANSWER_CHARS:
                return
            self.is_full = self.is_full or len(self.marks) + 1 >= MAX_MARKS
            if number <= self._valid_n:
                self.marks.append(Mark(self._length, self._length + len(mark), n, number))
            self._emit(mark)

    def _release(self, length: int) -> bool:
        self._emit(self._held[:length])
        self._held = self._held[length:]
        self._at_line_start = self._has_dropped = False
        return length > 0

    def _emit(self, text: str) -> None:
        if self._length + len(text) >= MAX_ANSWER_CHARS:
            text = text[: MAX_ANSWER_CHARS - self._length]
            self.is_full = True
        if text:
            self._parts.append(text)
            self._length += len(text)


def strip_marks(text: str) -> str:
    """An earlier answer without its marks and its line about sources, for the prompt of a later turn; brackets that are no citations
    stay. Source: N-06, S3-26."""
    marks = CitationFilter(0, own_line=machine_marks.own_beginnings())
    return marks.feed(text) + marks.finish()
