"""Fixed lines of answers that no model wrote, by language, in any number of variants; none is surer than the search was."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources
from uuid import UUID

LANGUAGES = ("en", "de", "cs", "es", "fr")
KEYS = (
    "empty", "empty_pending", "empty_chosen", "empty_assistant", "none", "weak", "clear", "module", "several", "one_place",
    "here_none", "here_weak", "here_clear", "here_module", "here_several", "here_one_place",
    "cards_none", "cards_weak", "cards_clear", "cards_module", "cards_several", "minted", "catalog_away", "catalog_link", "guide_about",
)  # fmt: skip


def line(key: str, language: str | None, turn_id: UUID | None = None) -> str:
    """The line of this key in the language, in English where there is none for it. Of several variants the one that falls to this
    turn: another turn may get another, the same one never."""
    known = (language or "").split("-")[0]
    variants = load(known if known in LANGUAGES else "en")[key]
    return variants[turn_id.int % len(variants) if turn_id is not None else 0]


@lru_cache
def load(language: str | None) -> dict[str, tuple[str, ...]]:
    """All lines of one language with their variants; raises ValueError when one is missing or too many."""
    found: dict[str, str | list[str]] = json.loads((resources.files(__name__) / f"{language}.json").read_text("utf-8"))
    if tuple(found) != KEYS:
        raise ValueError(f"lines of {language} differ from the list: {sorted(set(found) ^ set(KEYS))}")
    return {key: (one,) if isinstance(one, str) else tuple(one) for key, one in found.items()}
