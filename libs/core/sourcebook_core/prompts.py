"""Prompts as Markdown files: each declares its inputs, and is known in logs by its name and the hash of its words."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources

_PLACE = re.compile(r"\{\{(\w+)\}\}")
_HEAD = "inputs:"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file; `label` is `<name>@<first 8 hex digits of its SHA-256>`."""

    label: str
    inputs: frozenset[str]
    text: str

    def fill(self, **given: str) -> str:
        """The prompt with its inputs put in, in one pass: what is put in is never read as a place again.

        Raises ValueError for an input that is missing or that the file does not declare.
        """
        if given.keys() != self.inputs:
            raise ValueError(f"{self.label} takes {sorted(self.inputs)}, got {sorted(given)}")
        return _PLACE.sub(lambda place: given[place.group(1)], self.text)


@lru_cache
def load(package: str, name: str) -> Prompt:
    """The prompt `<name>.md` of a package; raises ValueError when its places are not the inputs it declares."""
    return parse(name, (resources.files(package) / f"{name}.md").read_text("utf-8"))


def parse(name: str, text: str) -> Prompt:
    """A prompt from the text of its file: a line `inputs: a, b`, a line `---`, then the words with `{{a}}` and `{{b}}`."""
    head, _, body = text.partition("\n---\n")
    if not head.startswith(_HEAD):
        raise ValueError(f"{name}.md does not begin with its inputs")
    declared = frozenset(part.strip() for part in head.removeprefix(_HEAD).split(",") if part.strip())
    if declared != frozenset(_PLACE.findall(body)):
        raise ValueError(f"{name}.md declares {sorted(declared)} and uses {sorted(set(_PLACE.findall(body)))}")
    return Prompt(f"{name}@{hashlib.sha256(text.encode()).hexdigest()[:8]}", declared, body.strip())
