"""Shapes of notebooks, conversations lists and the trash."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from sourcebook_core.profiles import ProfileName
from sourcebook_core.store.notebooks import Notebook
from sourcebook_core.store.trash import TrashItem
from sourcebook_gateway.shapes.lists import Ask, Title, Told


class NotebookSettings(Ask):
    """The notebook's own settings; what is not named stays."""

    local_only: bool | None = Field(None, description="Refuse hosted models for this notebook.")
    captions: bool | None = Field(None, description="Whether captions help to find passages; takes effect when it is indexed anew.")
    recipe: str | None = Field(None, max_length=100, description="How sources are cut; takes effect when it is indexed anew.")


class NotebookCreate(Ask):
    """A new notebook."""

    title: Title = Field("Untitled notebook", description="Its name.")
    profile: ProfileName = Field("notebook", description="How passages are found and answers are made.")
    profile_settings: dict[str, Any] | None = Field(None, description="What differs from the profile's own fields (`GET /profiles`).")
    is_sample: bool = Field(False, description="It is the sample that explains Sourcebook.")


class NotebookUpdate(Ask):
    """What is given is changed."""

    title: Title | None = Field(None, description="A new name.")
    settings: NotebookSettings | None = Field(None, description="Settings to change.")
    profile: ProfileName | None = Field(None, description="Another way of answering; what differs from it stays where it fits.")
    profile_settings: dict[str, Any] | None = Field(
        None,
        description="Fields of the profile to change, put into those that were changed before; null takes a field back to its default.",
    )


class SourceCounts(Told):
    """How many sources, by state."""

    total: int
    ready: int
    working: int = Field(description="Waiting, being read or indexed.")
    failed: int = Field(description="Failed, stopped or paused.")


class Recipe(Told):
    """How sources are cut for this notebook."""

    id: str
    chunker: str
    size: int
    overlap: int
    captions: bool


class NotebookRead(Told):
    """A notebook."""

    id: UUID
    title: str
    profile: str
    profile_settings: dict[str, Any] = Field(description="What differs from the profile's own fields, with the version of its names.")
    role: Literal["owner", "editor", "viewer", "chat_only"] = Field(description="What the asker is here.")
    created_at: datetime
    updated_at: datetime
    last_asked_at: datetime | None = None
    source_counts: SourceCounts
    recipe: Recipe
    wanted_recipe: str | None = Field(None, description="The recipe that was chosen and is not in use yet.")
    captions: bool = Field(description="Whether captions are wanted.")
    stale: int = Field(description="Sources that were read or indexed with other settings than now; they answer all the same.")
    reindexing: bool = Field(description="The chosen recipe is being built beside the one in use.")
    local_only: bool = Field(description="Hosted models are refused.")
    is_sample: bool

    @classmethod
    def of(cls, row: Notebook) -> NotebookRead:
        """The row as its owner sees it."""
        return cls(
            id=row.id, title=row.title, profile=row.profile, profile_settings=row.settings.get("profile") or {},
            role="owner", created_at=row.created_at, updated_at=row.updated_at,
            last_asked_at=row.last_asked_at, local_only=bool(row.settings.get("local_only")), is_sample=row.is_sample,
            source_counts=SourceCounts(total=row.total, ready=row.ready, working=row.working, failed=row.failed),
            recipe=Recipe(id=row.recipe_id, chunker=row.chunker, size=row.size, overlap=row.overlap, captions=row.captions),
            wanted_recipe=row.wanted_recipe_id, captions=row.wants_captions, stale=row.stale, reindexing=row.is_reindexing,
        )  # fmt: skip


class TrashRead(Told):
    """Something in the trash."""

    kind: Literal["notebook", "source", "conversation", "assistant", "note"]
    id: UUID
    title: str
    deleted_at: datetime
    purge_at: datetime = Field(description="From then on it may be removed for good.")

    @classmethod
    def of(cls, row: TrashItem) -> TrashRead:
        """The row."""
        return cls.model_validate(row, from_attributes=True)
