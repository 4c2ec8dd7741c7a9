"""Fixed lines of answers that no model wrote, by language; none is surer than the search was."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

LANGUAGES = ("en", "de", "cs", "es", "fr")
KEYS = ("empty", "empty_pending", "empty_chosen", "none", "weak", "clear", "module", "several", "one_place", "minted")


def line(key: str, language: str | None) -> str:
    """The line of this key in the language, in English where there is none for it."""
    return load(language if language in LANGUAGES else "en")[key]


@lru_cache
def load(language: str | None) -> dict[str, str]:
    """All lines of one language; raises ValueError when one is missing or too many."""
    found: dict[str, str] = json.loads((resources.files(__name__) / f"{language}.json").read_text("utf-8"))
    if tuple(found) != KEYS:
        raise ValueError(f"lines of {language} differ from the list: {sorted(set(found) ^ set(KEYS))}")
    return found
