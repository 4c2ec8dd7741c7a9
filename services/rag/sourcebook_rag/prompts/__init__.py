"""The prompts of answers, one Markdown file a step (`sourcebook_core.prompts`)."""

from sourcebook_core import prompts
from sourcebook_core.prompts import Prompt, parse

__all__ = ["load", "parse"]


def load(name: str) -> Prompt:
    """The prompt of this name."""
    return prompts.load(__name__, name)
