"""Signs that ask a search for more than words: the quotation marks of a phrase and the star of a beginning."""

import re

_OPERATORS = re.compile('["\u201c\u201d\u201e\u00ab\u00bb\u300c\u300d*]')


def without_operators(text: str) -> str:
    """The text with blanks in their place, single ones; empty where it holds nothing else."""
    return " ".join(_OPERATORS.sub(" ", text).split())
