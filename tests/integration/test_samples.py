"""Every shared sample reaches what its manifest says, read by the real worker with the models that run without a network."""

from __future__ import annotations

import csv
import re
import unicodedata
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from sourcebook_core import kinds, seal
from sourcebook_core import settings as core_settings
from sourcebook_core.text import legible
from tests.ingest_rig import Library, library
from tests.rig import Processes

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"
pytestmark = pytest.mark.skipif(not SAMPLES.is_dir(), reason="the shared samples are not beside this checkout")
REASONS = {"certificate": "certificate_protected", "damaged": "damaged_file", "password": "password_protected", "blank": "no_text"}
LONG_S = 300.0  # a bound for a page of a slow recogniser on a busy machine, not a measure


def rows(file: str) -> list[dict[str, str]]:
    """The lines of a manifest; none where the samples are not there."""
    path = SAMPLES / file
    return list(csv.DictReader(path.read_text("utf-8").splitlines(), delimiter="\t")) if path.exists() else []


PDFS = {row["file"]: row for row in rows("pdf/manifest.tsv")}
PHRASES: dict[str, list[dict[str, str]]] = {name: [] for name in PDFS}
for expectation in rows("pdf/expectations.tsv"):
    PHRASES[expectation["file"]].append(expectation)


@pytest.fixture
async def lib(environment: dict[str, str], processes: Processes) -> AsyncIterator[Library]:
    """A library whose pictures and recordings are read by the local models."""
    base_url = f"http://127.0.0.1:{environment['SOURCEBOOK_MODELS_PORT']}/v1"
    for role, model in (("VISION", "ocr"), ("SPEECH", "whisper-base")):
        environment |= {f"SOURCEBOOK_{role}_PROVIDER": "local", f"SOURCEBOOK_{role}_MODEL": model, f"SOURCEBOOK_{role}_BASE_URL": base_url}
    processes.start("models")
    async with library(core_settings.load(environment)) as made:
        yield made


def plain(text: str) -> str:
    """Text as it is compared: compatibility forms, one blank for many, soft hyphens and case gone."""
    folded = unicodedata.normalize("NFKC", text).replace("\u00ad", "").replace("\u2019", "'").casefold()
    return re.sub(r"\s+", " ", folded)


async def added(lib: Library, file: Path, password: str | None = None) -> Any:
    """The file, added under its name and kind as the door would."""
    content = file.read_bytes()
    kind = kinds.sniff(content[: kinds.HEAD_BYTES], file.name)
    if password:
        content += b"\n"  # other bytes: the same ones are the same source
    sealed = seal.close_text(lib.deps.settings, password) if password else None
    return await lib.add(kind.kind, content, name=file.name, media_type=kind.media_type, sealed=sealed)


@pytest.mark.timeout(900)  # two dozen pages of pictures
async def test_every_pdf_gives_the_phrase_on_its_page_or_the_reason_it_cannot(lib: Library) -> None:
    wrong = []
    started = {name: await added(lib, SAMPLES / "pdf" / name) for name in PDFS}
    opened = {name: await added(lib, SAMPLES / "pdf" / name, row["password"]) for name, row in PDFS.items() if row["password"]}
    for name, row in PDFS.items():
        found = await lib.ended(started[name], LONG_S)
        passages = await lib.passages(started[name])
        wrong += _misfits(row, found, passages, [] if row["password"] else PHRASES[name])
    for name, source_id in opened.items():
        wrong += _misfits(
            {**PDFS[name], "outcome": "ok_text"}, await lib.ended(source_id, LONG_S), await lib.passages(source_id), PHRASES[name]
        )
    assert not wrong, "\n".join(wrong)


def _misfits(row: Mapping[str, str], found: Mapping[str, Any], passages: list[dict[str, Any]], phrases: list[dict[str, str]]) -> list[str]:
    """What of a PDF's outcome is not as its manifest says."""
    name, outcome = row["file"], row["outcome"]
    told = f"{name}: {found['status']} {found['error_code']}"
    if outcome in ("fail", "flag_no_text"):
        return [] if found["error_code"] == REASONS[row["reason"]] else [f"{told}, expected {REASONS[row['reason']]}"]
    if outcome == "garbled" and not phrases:
        # What was read of it must be words: read from a picture, or not at all.
        bad = [one for one in passages if one["state"] == "read" and one["method"] == "text" and not legible.is_legible(one["text"])]
        return [f"{told}, its text is garbage"] if bad else []
    if found["status"] != "ready":
        return [f"{told}: {found['error_message']}"]
    by_page = {one["page"]: one for one in passages}
    missing = [one for one in phrases if plain(one["must_contain"]) not in plain(by_page[int(one["page"])]["text"])]
    return [f"{name} page {one['page']}: not found: {one['must_contain']!r}" for one in missing]


async def test_every_picture_gives_its_phrases(lib: Library) -> None:
    wrong = []
    for row in rows("image/manifest.tsv"):
        source_id = await added(lib, SAMPLES / "image" / row["file"])
        found = await lib.ended(source_id, LONG_S)
        text = plain(" ".join(one["text"] for one in await lib.passages(source_id)))
        wrong += [f"{row['file']}: {found['status']} {found['error_message']}"] if found["status"] != "ready" else []
        wrong += [f"{row['file']}: not found: {phrase!r}" for phrase in row["expected_phrases"].split(" || ") if plain(phrase) not in text]
    assert not wrong, "\n".join(wrong)


async def test_every_recording_gives_its_words_with_their_times(lib: Library) -> None:
    for row in rows("audio/manifest.tsv"):
        source_id = await added(lib, SAMPLES / "audio" / row["file"])
        found = await lib.ended(source_id, LONG_S)
        assert found["status"] == "ready", (row["file"], found["error_message"])
        passages = await lib.passages(source_id)
        text = plain(" ".join(one["text"] for one in passages))
        assert [phrase for phrase in row["expected_words"].split(" || ") if plain(phrase) not in text] == []
        assert all(one["start_ms"] is not None and one["end_ms"] > one["start_ms"] for one in passages)
        assert abs(found["duration_ms"] - float(row["seconds"]) * 1000) < 500
