"""The speech model's file is joined from packages that are never imported, and must be the known one to the last byte."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from sourcebook_core import local_models
from sourcebook_models import joined, listening
from sourcebook_models.joined import Known, NotJoined, join


def known(content: bytes) -> Known:
    return Known("The model", len(content), hashlib.sha256(content).hexdigest(), "local")


def parts(folder: Path) -> list[Path]:
    for number in (1, 2):
        (folder / f"part{number}").write_bytes(bytes([number]) * 1000)
    return [folder / "part1", folder / "part2"]


def test_parts_are_joined_once(tmp_path: Path) -> None:
    whole = bytes([1]) * 1000 + bytes([2]) * 1000
    place = join(parts(tmp_path), tmp_path / "models" / "model.bin", known(whole))
    assert place.read_bytes() == whole
    assert join(iter(()), place, known(whole)) == place  # nothing is read again
    assert [path.name for path in place.parent.iterdir()] == ["model.bin"]


def test_parts_that_are_another_file_are_refused_and_nothing_stays(tmp_path: Path) -> None:
    with pytest.raises(NotJoined, match="extra local"):
        join(parts(tmp_path), tmp_path / "models" / "model.bin", known(b"x" * 2000))
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_that_was_cut_short_is_made_again(tmp_path: Path) -> None:
    whole = bytes([1]) * 1000 + bytes([2]) * 1000
    place = tmp_path / "model.bin"
    place.write_bytes(whole[:1500])
    assert join(parts(tmp_path), place, known(whole)).read_bytes() == whole


def test_a_full_disk_is_said_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(NotJoined, match="Free some space"):
        join(parts(tmp_path), tmp_path / "model.bin", Known("The model", 1 << 60, "", "local"))
    assert not (tmp_path / "model.bin").exists()
    assert joined.SPARE_BYTES > 0


def test_the_parts_of_the_speech_model_are_found_without_importing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in local_models.WHISPER_PARTS:
        (tmp_path / name / "data").mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text("raise AssertionError('a part was imported')")
    monkeypatch.syspath_prepend(tmp_path)
    assert local_models.whisper_folders() == [tmp_path / name / "data" for name in local_models.WHISPER_PARTS]


def test_a_long_recording_is_cut_where_it_is_quiet() -> None:
    noise = np.random.default_rng(1).normal(0, 0.1, 30 * listening.RATE).astype(np.float32)
    noise[25 * listening.RATE : 26 * listening.RATE] = 0
    assert 25 * listening.RATE <= listening.quiet_place(noise) <= 26 * listening.RATE
