"""Which titles found in a file are good enough to call it by."""

import pytest

from sourcebook_ingest.read.outcome import usable_title


@pytest.mark.parametrize(
    ("found", "title"),
    [
        ("How answers are checked", "How answers are checked"),
        ("  Seen \n und Teiche ", "Seen und Teiche"),
        ("北京的湖泊", "北京的湖泊"),
        ("Microsoft Word - draft 3.doc", None),
        ("untitled", None),
        ("Document 1", None),
        ("report_final.pdf", None),
        ("Adobe Photoshop PDF", None),
        ("Adobe Photoshop for photographers", "Adobe Photoshop for photographers"),
        ("Scanned Image 12", None),
        ("2024", None),
        ("", None),
        (None, None),
    ],
)
def test_a_title_that_a_program_left_behind_is_not_taken(found: str | None, title: str | None) -> None:
    assert usable_title(found) == title
