"""What sources are called when they leave: their types for reference managers, their files' names in an archive."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from sourcebook_core import kinds
from sourcebook_core.store.sources import Source
from sourcebook_gateway import bibliography, notebook_file

_NOW = datetime(2026, 11, 30, tzinfo=UTC)
_DATED: dict[str, Any] = {"authors": ["Brandt, Ann"], "year": 1970}
_PLAIN = Source(
    id=uuid4(), owner_id=uuid4(), added_by=uuid4(), kind="text", title="Mills", file_name=None, media_type=None, byte_size=1,
    content_hash=None, url=None, has_file=True, capture="text", status="ready", progress_step=None, progress_done=0,
    progress_total=None, error_code=None, error_message=None, report=None, summary=None, language="en", pages=None, words=1,
    chunks=1, reading_id=uuid4(), authors=[], year=None, doi=None, labels=[], external_id=None, meta={}, created_at=_NOW,
    updated_at=_NOW, ready_at=_NOW, grant=None, searchable="full", before=None, notebooks=1, summary_kind=None, duration_ms=None,
    site_id=None, fetched_at=None, estimate=None, approved=None, stale=False,
)  # fmt: skip


@pytest.mark.parametrize(
    ("known", "ris", "bibtex"),
    [
        ({"kind": "url"}, "ELEC", "online"),
        ({"kind": "url", **_DATED}, "ELEC", "online"),
        ({"kind": "url", "doi": "10.1/x"}, "ELEC", "online"),
        ({"kind": "url", "doi": "10.1/x", **_DATED}, "JOUR", "article"),
        ({"kind": "url", "meta": {"journal": "Mills Today"}, **_DATED}, "JOUR", "article"),
        ({"kind": "url", "meta": {"journal": 5}, **_DATED}, "ELEC", "online"),
        ({"kind": "pdf", "media_type": "application/pdf"}, "RPRT", "techreport"),
        ({"kind": "pdf", "doi": "10.1/x"}, "JOUR", "article"),
        ({"kind": "pdf", "meta": {"journal": "Mills Today"}}, "JOUR", "article"),
        ({"kind": "office", "media_type": kinds.DOCX.media_type}, "RPRT", "techreport"),
        ({"kind": "office", "media_type": kinds.ODT.media_type}, "RPRT", "techreport"),
        ({"kind": "office", "media_type": kinds.PPTX.media_type}, "SLIDE", "misc"),
        ({"kind": "office", "media_type": kinds.XLSX.media_type}, "DATA", "dataset"),
        ({"kind": "office", "media_type": kinds.CSV.media_type}, "DATA", "dataset"),
        ({"kind": "office", "media_type": kinds.EPUB.media_type}, "BOOK", "book"),
        ({"kind": "office", "media_type": kinds.MAIL.media_type}, "PCOMM", "misc"),
        ({"kind": "office", "media_type": kinds.HTML.media_type}, "ELEC", "online"),
        ({"kind": "audio", "media_type": "audio/mpeg"}, "SOUND", "audio"),
        ({"kind": "audio", "media_type": "video/mp4"}, "VIDEO", "video"),
        ({"kind": "image", "media_type": "image/png"}, "FIGR", "image"),
        ({"kind": "text", "media_type": "text/plain"}, "GEN", "misc"),
        ({"kind": "markdown", **_DATED}, "GEN", "misc"),
    ],
)
def test_a_source_leaves_as_the_work_that_is_known_of_it(known: dict[str, Any], ris: str, bibtex: str) -> None:
    source = replace(_PLAIN, **known)
    assert bibliography.work_of(source) == (ris, bibtex)
    assert bibliography.written([source], "ris").startswith(f"TY  - {ris}\r\nTI  - Mills")
    assert bibliography.written([source], "bibtex").startswith(f"@{bibtex}{{")


def test_a_journal_that_was_told_stands_in_both_forms() -> None:
    source = replace(_PLAIN, kind="pdf", meta={"journal": "Mills & Weirs"}, **_DATED)
    assert "journal = {Mills \\& Weirs}" in bibliography.written([source], "bibtex")
    assert "JO  - Mills & Weirs" in bibliography.written([source], "ris").splitlines()


@pytest.mark.parametrize(
    ("known", "file"),
    [
        ({"kind": "pdf", "file_name": "Annual report 2.1.PDF"}, "sources/007 Annual report 2 1.PDF"),
        ({"kind": "markdown", "media_type": "text/markdown"}, "sources/007 Mills.md"),
        ({"kind": "url", "media_type": "text/html; charset=utf-8", "title": "A page. With dots"}, "sources/007 A page With dots.html"),
        ({"kind": "pdf", "file_name": "../../etc/passwd"}, "sources/007 etc passwd.pdf"),
        ({"kind": "pdf", "file_name": "C:\\evil\\con"}, "sources/007 C evil con.pdf"),
        ({"kind": "text", "file_name": "..."}, "sources/007.txt"),
        ({"kind": "text", "file_name": "\u202egnp.txt"}, "sources/007 gnp.txt"),
        ({"kind": "text", "file_name": "\u092e\u093f\u0932 O\u0308l.txt"}, "sources/007 \u092e\u093f\u0932 \u00d6l.txt"),
        ({"kind": "image", "media_type": "image/png", "file_name": "no ending"}, "sources/007 no ending.png"),
        ({"kind": "pdf", "has_file": False}, None),
    ],
)
def test_an_original_leaves_under_its_own_name_and_ending(known: dict[str, Any], file: str | None) -> None:
    assert notebook_file.members_of(7, replace(_PLAIN, **known)).file == file


def test_a_name_in_an_archive_fits_into_any_file_system() -> None:
    long = notebook_file.members_of(10_000, replace(_PLAIN, file_name="\U00020000" * 500 + ".markdown"))
    assert all(name is not None and len(name.partition("/")[2].encode()) <= 255 for name in (long.file, long.text))
