"""Shapes of captions: what stands before a chunk in the index, and nowhere else."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from sourcebook_gateway.shapes.lists import Ask, Told

CAPTIONS_AT_ONCE = 5000
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
# As those that a model writes (services/ingest): a longer one would bury the chunk under it.
Caption = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=500, pattern=r"^[^\x00]*$")]


class CaptionRead(Told):
    """A chunk and its caption."""

    hash: str = Field(description="SHA-256 of the chunk's own words (UTF-8), in hexadecimal: what a caption is kept by.")
    heading: str | None = Field(None, description="Heading path of the chunk.")
    text: str = Field(description="The chunk's own words.")
    caption: str | None = Field(None, description="The caption written last for it; null where there is none.")


class CaptionList(Told):
    """The chunks of a source and their captions."""

    items: list[CaptionRead]


class CaptionsBring(Ask):
    """Captions for a source."""

    captions: dict[Hash, Caption] = Field(
        max_length=CAPTIONS_AT_ONCE, description="Chunk hash → one or two sentences on what the chunk is about. Others stay as they are."
    )
