"""The docs tell the truth about the code."""

import re
from pathlib import Path

import pytest

from sourcebook_core.errors import CODES
from tools import reference

ROOT = Path(__file__).parents[2]
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("name", sorted(reference.PAGES))
def test_the_reference_pages_are_what_the_code_says(name: str) -> None:
    assert name not in reference.stale(), "run `make docs`"


@pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)
def test_every_link_between_the_pages_leads_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)\)", page.read_text("utf-8")):
        if not target.startswith(("http://", "https://")):
            assert (page.parent / target).exists(), target


def test_every_error_code_that_is_raised_has_its_sentence() -> None:
    raised = set()
    for path in [*(ROOT / "libs").rglob("*.py"), *(ROOT / "services").rglob("*.py")]:
        text = path.read_text("utf-8")
        raised |= set(re.findall(r"(?:PermanentError|TransientError)\(\s*\"([a-z_]+)\"", text))
        raised |= set(re.findall(r"RequestError\(\s*\d+,\s*\"([a-z_]+)\"", text))
    assert raised and raised <= set(CODES)
