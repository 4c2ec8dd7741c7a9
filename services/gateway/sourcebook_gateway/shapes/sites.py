"""Shapes of sites."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import Field, StringConstraints

from sourcebook_core.errors import CODES
from sourcebook_core.store.sites import Site
from sourcebook_gateway.shapes.lists import Ask, Told
from sourcebook_gateway.shapes.sources import SourceProblem

_YEAR_HOURS = 8760
_MOST_ADDRESSES = 10_000
Address = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=4000)]
_PAGES = "At most so many of its pages; the server has a limit of its own."
_HOURS = "Look for new and changed pages again after so many hours."


class SiteAdd(Ask):
    """A web site to add: every page of it becomes a source."""

    url: Address | None = Field(None, description="A sitemap, robots.txt, RSS or Atom feed, or a page, whose folder is then the site.")
    addresses: list[Address] | None = Field(
        None, min_length=1, max_length=_MOST_ADDRESSES, description="These pages, instead of finding any; `url` then only names the site."
    )
    max_pages: int | None = Field(None, ge=1, description=_PAGES)
    refresh_hours: int | None = Field(None, ge=1, le=_YEAR_HOURS, description=_HOURS)


class SiteUpdate(Ask):
    """What is given is changed."""

    max_pages: int | None = Field(None, ge=1, description=_PAGES)
    refresh_hours: int | None = Field(None, ge=1, le=_YEAR_HOURS, description=_HOURS + " null: only when somebody asks.")


class SitePage(Told):
    """What became of one address."""

    url: str
    state: Literal["added", "known", "again", "removed", "vanished", "refused"] = Field(
        description="added: a new source · known: it was there · again: fetched again, for it may have changed · removed: a person took it"
        " away, so it stays away · vanished: the site does not name it any more, its source stays · refused: see `why`."
    )
    why: str | None = Field(None, description="Why it was refused: robots, other_host, over_limit, no_page, or an error code.")
    source_id: UUID | None = None


class SiteReport(Told):
    """What the last look found."""

    found: int = Field(description="Addresses the site names.")
    added: int = Field(description="New sources.")
    known: int = Field(description="Pages that were there.")
    again: int = Field(description="Pages fetched again, for they may have changed.")
    removed: int = Field(description="Pages that a person took away.")
    vanished: int = Field(description="Pages the site does not name any more; their sources stay.")
    refused: dict[str, int] = Field(description="Addresses that were not taken, by why.")
    items: list[SitePage] = Field(description="Every address; of the refused ones at most 200.")


class SiteRead(Told):
    """A web site of a notebook."""

    id: UUID
    notebook_id: UUID
    url: str
    addresses: list[str] | None = Field(None, description="The pages it was given, if it was.")
    max_pages: int = Field(description="At most so many of its pages.")
    refresh_hours: int | None = Field(None, description="How often it is looked at; null = only when somebody asks.")
    status: Literal["queued", "looking", "ready", "failed"]
    error: SourceProblem | None = None
    report: SiteReport | None = Field(None, description="What the last look found.")
    looked_at: datetime | None = Field(None, description="When it was looked at last.")
    look_again_at: datetime | None = Field(None, description="When it is looked at next.")
    created_at: datetime

    @classmethod
    def of(cls, row: Site) -> SiteRead:
        """The row as its owner sees it; of a look that goes on, the one before."""
        report: dict[str, Any] | None = row.report if row.report and "found" in row.report else None
        error = None
        if row.error_code:
            error = SourceProblem(code=row.error_code, message=row.error_message or CODES.get(row.error_code, CODES["internal"]))
        same = ("id", "notebook_id", "url", "addresses", "max_pages", "refresh_hours", "status", "looked_at", "look_again_at", "created_at")
        return cls(
            error=error, report=SiteReport.model_validate(report) if report else None, **{name: getattr(row, name) for name in same}
        )  # fmt: skip
