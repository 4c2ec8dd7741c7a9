"""Shapes of floors: where noise ends for the embedding model in use."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from pydantic import Field

from sourcebook_core.profiles import ProfileName
from sourcebook_gateway.shapes.lists import Ask, Told


class FloorSpace(Told):
    """An embedding model whose vectors are here."""

    id: UUID
    model: str
    state: Literal["in_use", "building"]


class FloorRead(Told):
    """What a passage's nearness must reach, for a profile in a space."""

    profile: ProfileName
    space: FloorSpace = Field(description="The embedding model whose cosines they are.")
    floor: float | None = Field(description="On the raw cosine, -1 to 1; null: nothing is known yet, and nothing is left out.")
    weak_similarity: float | None = Field(description="Under it the line above a quote says that it may not be the answer.")
    clear_lead: float | None = Field(description="So far ahead of the next passage the line sounds sure.")
    origin: Literal["shipped", "noise", "evaluated", "environment"] | None = Field(description="Where the floor comes from.")
    measured_at: datetime | None = Field(None, description="When; null for what comes with the program or the environment.")


class FloorList(Told):
    """Every profile in every space that is in use or being built."""

    items: list[FloorRead]
    locked_by: str | None = Field(None, description="The environment variable that sets the floor of all of them.")


class FloorSet(Ask):
    """Set a profile's numbers in the space in use; `floor` null takes back what was set."""

    floor: float | None = Field(ge=-1, le=1, description="On the raw cosine; at it a passage stays.")
    weak_similarity: float | None = Field(None, ge=-1, le=1, description="Null: the profile's own.")
    clear_lead: float | None = Field(None, ge=0, le=2, description="Null: the profile's own.")
