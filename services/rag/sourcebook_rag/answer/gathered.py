"""What an answer's tools found so far: passages under numbers that stay, and reads of the host application, each once."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from sourcebook_core.host_data import Taken
from sourcebook_core.store.search import ChunkRow
from sourcebook_rag.answer.passages import Passage


@dataclass(slots=True)
class Gathered:
    """Number n is the n-th passage; those that the prompt begins with come first."""

    passages: list[Passage] = field(default_factory=list)
    reads: list[Taken] = field(default_factory=list)

    def number(self, passage: Passage) -> int:
        """The number of a passage: the one it has if it was found before, else the next. Source: N-05."""
        for n, known in enumerate(self.passages, 1):
            if _is_same(known, passage):
                return n
        self.passages.append(passage)
        return len(self.passages)

    def at(self, n: int) -> Passage | None:
        """The passage of a number, from 1; None where there is none."""
        return self.passages[n - 1] if 1 <= n <= len(self.passages) else None

    def widen(self, n: int, chunk: ChunkRow) -> Passage:
        """The passage of a number with more of its words; the number stays."""
        self.passages[n - 1] = replace(self.passages[n - 1], chunk=chunk)
        return self.passages[n - 1]

    def keep(self, taken: Taken) -> None:
        """A read of the host."""
        if taken not in self.reads:
            self.reads.append(taken)


def _is_same(known: Passage, found: Passage) -> bool:
    """The same range of the same passage or part of it; else the same title, section and own words, as of a document added twice."""
    a, b = known.chunk, found.chunk
    if (a.reading_id, a.passage) == (b.reading_id, b.passage):
        return a.start_at <= b.start_at and b.end_at <= a.end_at
    return (known.source.title, a.heading, a.text.strip()) == (found.source.title, b.heading, b.text.strip())
