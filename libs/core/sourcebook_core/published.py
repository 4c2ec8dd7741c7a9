"""Figures about the product that its page shows: measured once on sealed pairs, written by `sourcebook eval checks --publish`."""

from __future__ import annotations

import json
from functools import lru_cache
from importlib import resources

from pydantic import BaseModel, ConfigDict, Field

FILE = "published_checks.json"


class ChecksFigure(BaseModel):
    """How often the checks of answers were wrong on the sealed half of the labelled pairs; half of its statements were wrong on purpose."""

    model_config = ConfigDict(frozen=True)

    date: str = Field(description="The day it was measured.")
    pairs: int = Field(description="Labelled pairs of statement and passage.")
    found: int = Field(description="Pairs that got the mark found.")
    found_wrong: int = Field(description="Of these, pairs whose statement was wrong.")
    wrong_pairs: int = Field(description="Pairs whose statement was wrong.")
    wrong_of_100: float = Field(description='Of 100 "found" marks so many stood at a wrong statement.')
    false_found_of_100: float = Field(description='Of 100 wrong statements so many got "found".')
    right_found_of_100: float = Field(description='Of 100 right statements so many got "found"; most others are "partly".')


@lru_cache
def checks() -> ChecksFigure:
    """The published figure. Raises ValidationError when the file is not what it should be: then nothing may start."""
    return ChecksFigure.model_validate(json.loads((resources.files("sourcebook_core") / FILE).read_text("utf-8")))
