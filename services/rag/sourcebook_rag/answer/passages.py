"""The passages that are handed to an answer, numbered from 1 in the order of the prompt."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sourcebook_core.checks import Citation
from sourcebook_core.profiles import LAYER
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.store.search import ChunkRow

CATALOG = "catalog"  # the pool of records of the catalog


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk with its source: `similarity` is the raw cosine, None when found by words alone; `carried` from the last answer.

    `pool` names its pool of evidence; what is not `is_evidence` explains and does not count for the coverage.
    """

    chunk: ChunkRow
    source: ScopeSource
    similarity: float | None = None
    carried: bool = False
    pool: str = ""
    is_evidence: bool = True

    @property
    def is_catalog(self) -> bool:
        """Whether it is a record of what is sold, which is told only where it is cited (S4-25)."""
        return self.pool == CATALOG

    @property
    def layer(self) -> str | None:
        """The layer of a built corpus that its source lies in."""
        layer = self.source.meta.get(LAYER)
        return layer if isinstance(layer, str) else None

    def citation(self, n: int) -> Citation:
        """The citation of this passage before anything was checked."""
        return Citation(
            n=n,
            source_id=self.source.id,
            reading_id=self.chunk.reading_id,
            source_title=self.source.title,
            kind=self.source.kind,
            chunk_id=self.chunk.id,
            passage=self.chunk.passage,
            page=self.chunk.page,
            heading=self.chunk.heading,
            sheet=self.chunk.sheet,
            rows=self.rows(self.chunk.start_at, self.chunk.end_at),
            start_ms=self.chunk.start_ms,
            end_ms=self.chunk.end_ms,
            layer=self.layer,
            similarity=self.similarity,
            carried=self.carried,
        )

    def rows(self, start: int, end: int) -> tuple[int, int] | None:
        """First and last row of a table that `start` to `end` (code points of the passage, inside the chunk) lie on; one a line."""
        if self.chunk.row_at is None:
            return None
        text, at = self.chunk.text, self.chunk.start_at
        first = self.chunk.row_at + text.count("\n", 0, start - at)
        return first, first + text[: end - at].rstrip("\n").count("\n", start - at)


def merge(passages: list[Passage]) -> list[Passage]:
    """The passages in their order, those that overlap or touch joined into the first of them (its id, the union of ranges).

    Neighbouring windows share words: given twice, a model cites one sentence by two numbers.
    """
    kept: list[Passage] = []
    for passage in passages:
        for place, other in enumerate(kept):
            joined = _union(other.chunk, passage.chunk)
            if joined is not None:
                kept[place] = replace(other, chunk=joined)
                break
        else:
            kept.append(passage)
    return kept if len(kept) == len(passages) else merge(kept)


def _union(a: ChunkRow, b: ChunkRow) -> ChunkRow | None:
    """Both ranges as one chunk under the id of `a`; None when they lie apart."""
    if (a.reading_id, a.passage) != (b.reading_id, b.passage) or a.end_at < b.start_at or b.end_at < a.start_at:
        return None
    first, second = (a, b) if a.start_at <= b.start_at else (b, a)
    text = first.text + second.text[first.end_at - second.start_at :] if second.end_at > first.end_at else first.text
    return replace(
        a, start_at=first.start_at, end_at=max(a.end_at, b.end_at), text=text, heading=first.heading, row_at=first.row_at
    )  # fmt: skip
