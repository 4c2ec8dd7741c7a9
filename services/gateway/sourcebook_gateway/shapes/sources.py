"""Shapes of sources."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, SecretStr, StringConstraints

from sourcebook_core.errors import CODES
from sourcebook_core.store.sources import Source
from sourcebook_gateway.shapes.lists import Ask, Line, SmallMap, Told

Capture = Literal["auto", "text", "vision"]
ExternalId = Annotated[str, StringConstraints(min_length=1, max_length=300)]
Label = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=100)]
Author = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=300)]


class TextAdd(Ask):
    """A text to add."""

    title: Line | None = Field(None, description="Its name; else its first line.")
    text: str = Field(description="The text, kept word for word.")
    format: Literal["markdown", "plain"] = Field("plain", description="Whether # and the like are headings.")
    external_id: ExternalId | None = Field(None, description="Your own id; a known one gets this text as a new reading.")


class UrlAdd(Ask):
    """A web page to add."""

    url: str = Field(max_length=4000, min_length=1, description="Its http or https address.")
    title: Line | None = Field(None, description="Its name; else what the page says.")
    external_id: ExternalId | None = Field(None, description="Your own id.")


class SourceUpdate(Ask):
    """What is given is changed; null empties it."""

    title: Line | None = Field(None, description="Its name.")
    authors: list[Author] | None = Field(None, max_length=200, description="Who wrote it.")
    year: int | None = Field(None, ge=-4000, le=9999, description="Year of publication.")
    doi: str | None = Field(None, max_length=300, description="Its DOI.")
    labels: list[Label] | None = Field(None, max_length=100, description="Words to sort by.")
    external_id: ExternalId | None = Field(None, description="Your own id, unique in the library.")
    meta: SmallMap | None = Field(None, description="Anything else.")


class RetryAsk(Ask):
    """Read a failed source again."""

    password: SecretStr | None = Field(None, max_length=500, description="Opens a protected PDF; kept sealed until it is read.")


class RereadAsk(Ask):
    """Read a source again."""

    capture: Capture | None = Field(None, description="With this capture mode.")


class GrantAsk(Ask):
    """Whether the notebook uses the source."""

    grant: Literal["given", "paused"] = Field("given", description="paused: it stays listed and is never searched.")


class Progress(Told):
    """How far the reading is."""

    step: Literal["waiting", "reading", "indexing"]
    done: int
    total: int | None = None
    before: int | None = Field(None, description="How many wait before it.")


class SourceProblem(Told):
    """Why a source was not read."""

    code: str
    message: str


class Estimate(Told):
    """What reading pictures would take, told before the first of them is sent to a model."""

    pages: int = Field(description="Pages that would be read as pictures.")
    calls: int = Field(description="Calls of the vision model.")
    cost: str | None = Field(None, description="What they would cost; null = no price is known.")
    currency: str | None = Field(None, description="Currency of the cost.")


class ApproveAsk(Ask):
    """What to do with a source whose pictures would cost much."""

    pages: Literal["all", "text"] = Field(description="all: its pictures are read too; text: only pages that have text.")


class SourceEstimate(Estimate):
    """What reading one source's pictures would take."""

    source_id: UUID


class NotebookEstimate(Told):
    """What reading the pictures of all sources that wait for a word would take."""

    items: list[SourceEstimate]
    pages: int = Field(description="Pages of all of them.")
    calls: int = Field(description="Calls of all of them.")
    cost: str | None = Field(None, description="What all of them would cost; null = one of them is not known.")
    currency: str | None = Field(None, description="Currency of the cost.")


class SourceRead(Told):
    """A source."""

    id: UUID
    title: str
    kind: str
    status: Literal["queued", "needs_approval", "reading", "indexing", "ready", "failed", "stopped", "paused"]
    searchable: Literal["none", "words", "full"] = Field(description="How questions find it now.")
    progress: Progress | None = None
    error: SourceProblem | None = None
    warnings: int = Field(description="How many warnings its report has.")
    stale: bool = Field(description="Its reading or index was made with other settings than now; it answers all the same.")
    report: dict[str, Any] | None = Field(None, description="What was read and what not, with reasons.")
    estimate: Estimate | None = Field(None, description="What it waits to be approved for, or was.")
    approved: Literal["all", "text"] | None = Field(None, description="What a person chose: all pages, or only those with text.")
    summary: str | None = None
    summary_kind: Literal["written", "quoted"] | None = Field(None, description="Written by the chat model, or the source's own sentences.")
    language: str | None = None
    pages: int | None = None
    duration_ms: int | None = Field(None, description="Length of a recording in milliseconds.")
    chunks: int
    words: int | None = None
    byte_size: int
    file_name: str | None = None
    media_type: str | None = Field(None, description="Media type of the original, as its bytes tell.")
    url: str | None = None
    site_id: UUID | None = Field(None, description="Id of the site it is a page of.")
    fetched_at: datetime | None = Field(None, description="When the page was fetched last.")
    authors: list[str]
    year: int | None = None
    doi: str | None = None
    labels: list[str]
    external_id: str | None = None
    meta: dict[str, Any]
    capture: str
    reading_id: UUID | None = None
    added_by: UUID
    created_at: datetime
    updated_at: datetime
    ready_at: datetime | None = None
    cost: str | None = Field(None, description="What reading it cost; null = unknown or nothing.")
    grant: Literal["given", "paused"] | None = Field(None, description="In a notebook's list: whether it is used there.")
    notebooks: int | None = Field(None, description="How many notebooks hold it.")

    @classmethod
    def of(cls, row: Source) -> SourceRead:
        """The row as its owner sees it."""
        progress = None
        if row.progress_step and row.status in ("queued", "reading", "indexing"):
            progress = Progress(step=row.progress_step, done=row.progress_done, total=row.progress_total, before=row.before)
        error = None
        if row.error_code:
            message = row.error_message or CODES.get(row.error_code, CODES["internal"])
            error = SourceProblem(code=row.error_code, message=message)
        report = row.report or {}
        warned = len(report.get("warnings") or [])
        same = (
            "id", "title", "kind", "status", "searchable", "stale", "report", "approved", "summary", "summary_kind", "language", "pages",
            "duration_ms", "chunks", "words", "byte_size", "file_name", "media_type", "url", "site_id", "fetched_at", "authors", "year",
            "doi", "labels", "external_id", "meta", "capture", "reading_id", "added_by", "created_at", "updated_at", "ready_at", "grant",
            "notebooks",
        )  # fmt: skip
        return cls(
            progress=progress, error=error, warnings=max(warned, 1 if report.get("not_read") else 0), cost=_cost(report),
            estimate=Estimate.model_validate(row.estimate) if row.estimate else None, **{name: getattr(row, name) for name in same},
        )  # fmt: skip


def _cost(report: dict[str, Any]) -> str | None:
    cost = report.get("cost")
    return None if cost is None else str(cost)


class AddedItem(Told):
    """What became of one thing that was sent: a source, or why not."""

    source: SourceRead | None = None
    error: SourceProblem | None = None
    name: str | None = Field(None, description="Name of what was refused, or of what is the same as something before it.")
    same_as: str | None = Field(
        None, description="What was sent before it in this request with the very same content: both are this one source."
    )


class AddedList(Told):
    """One item for everything that was sent, in order."""

    items: list[AddedItem]
