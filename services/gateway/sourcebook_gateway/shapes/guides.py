"""Shape of a notebook's guide."""

from __future__ import annotations

from typing import Literal
from uuid import UUID

from pydantic import Field

from sourcebook_core.store.guides import Guide
from sourcebook_gateway.shapes.lists import Told


class GuideSummary(Told):
    """What the sources are about."""

    text: str
    kind: Literal["written", "quoted"] = Field(description="By a model, or the sources' own sentences.")


class GuideTopic(Told):
    """A heading that stands high in the sources."""

    label: str = Field(description="The heading.")
    source_ids: list[UUID] = Field(description="The sources that have it.")


class GuideRead(Told):
    """The guide of a notebook."""

    state: Literal["none", "building", "ready"] = Field(description="none: no source is ready; building: a newer one is being made.")
    summary: GuideSummary | None = Field(None, description="At most two lines.")
    topics: list[GuideTopic] = Field(default_factory=list, description="At most six.")
    questions: list[str] = Field(default_factory=list, description="At most four, which the notebook's search answers clearly.")

    @classmethod
    def of(cls, guide: Guide | None, *, is_current: bool) -> GuideRead:
        """The guide that was made last, told as building while it is not of the sources of now."""
        told = guide.told if guide is not None else {}
        return cls(state="ready" if is_current else "building", **told)
