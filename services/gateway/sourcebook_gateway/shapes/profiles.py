"""Shapes of the profiles, as people choose among them: by purpose."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from pydantic import Field

from sourcebook_core.profiles import PROFILES, Profile
from sourcebook_gateway.shapes.lists import Told

# name → purpose, sentence, what it needs
_WORDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "notebook": (
        "Research with my own sources",
        "Answers from everything you added, each statement with the place it stands in.",
        ("Better with a writing model; without one it quotes.",),
    ),
    "docs": (
        "Explain a method and its documentation",
        "Few passages, exact numbers, questions in other languages searched in English, and data of the host application.",
        ("A writing model.", "A model for translation where people ask in other languages."),
    ),
    "help": (
        "Help desk of a product",
        "Finds the section that helps and never sounds surer than it is; works without any model.",
        ("Nothing; better with an embedding model.",),
    ),
    "persona": (
        "A character with things it has read",
        "Talks as you describe it, knows the texts you give it, and names the source in one line only when it used it.",
        ("A writing model.", "Markdown or plain text of at most 2 MiB each."),
    ),
    "product": (
        "A product and the science behind it",
        "Keeps documentation and background apart: what to do comes from the product's own pages alone.",
        ("A writing model.", "Sources whose `meta` says evidence, technology and transfer."),
    ),
}


class ProfileRead(Told):
    """One way of answering."""

    name: str
    purpose: str = Field(description="What it is for, in a few words.")
    sentence: str = Field(description="How it answers.")
    needs: list[str] = Field(description="What it needs to work well.")
    json_schema: dict[str, Any] = Field(alias="schema", description="JSON Schema of its fields, each with a description.")
    defaults: dict[str, Any] = Field(description="The fields as they are without overrides.")

    @classmethod
    def of(cls, profile: Profile) -> ProfileRead:
        """The profile in words."""
        purpose, sentence, needs = _WORDS[profile.name]
        return cls(
            name=profile.name, purpose=purpose, sentence=sentence, needs=list(needs), schema=Profile.model_json_schema(),
            defaults=profile.model_dump(mode="json", exclude={"name"}),
        )  # fmt: skip


class ProfileList(Told):
    """The five profiles."""

    items: list[ProfileRead]


@lru_cache
def every_profile() -> ProfileList:
    """All of them. Made once: their JSON Schemas take a fifth of a second, and they are the same until the server is another."""
    return ProfileList(items=[ProfileRead.of(profile) for profile in PROFILES.values()])
