"""The local writing model's file is joined from parts and must be the known one to the last byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from sourcebook_models import writer


def lay_parts(folder: Path, count: int) -> None:
    """Part packages of the names that are looked for; importing one would fail the test."""
    for number in range(1, count + 1):
        package = folder / writer.PART_PACKAGE.format(number)
        (package / "data").mkdir(parents=True)
        (package / "__init__.py").write_text("raise AssertionError('a part was imported')")
        (package / "data" / f"part{number:02}.bin").write_bytes(bytes([number]) * 10)


def test_parts_are_found_in_order_without_importing_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_parts(tmp_path, writer.PARTS)
    monkeypatch.syspath_prepend(tmp_path)
    assert [path.name for path in writer.part_files()] == [f"part{number:02}.bin" for number in range(1, writer.PARTS + 1)]


def test_parts_that_add_up_to_another_file_are_refused_and_nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lay_parts(tmp_path / "packages", writer.PARTS)
    monkeypatch.syspath_prepend(tmp_path / "packages")
    with pytest.raises(writer.CannotStart, match="do not add up"):
        writer.model_file(tmp_path / "models")
    assert list((tmp_path / "models").iterdir()) == []


def test_a_file_of_the_right_size_is_not_joined_again(tmp_path: Path) -> None:
    kept = tmp_path / f"writer-{writer.SHA256[:12]}.gguf"
    with kept.open("wb") as file:
        file.truncate(writer.SIZE_BYTES)  # a hole of the right length: takes no room
    assert writer.model_file(tmp_path) == kept


def test_a_file_that_is_no_model_says_so(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra local-chat is not installed")
    bad = tmp_path / "bad.gguf"
    bad.write_bytes(b"GGUF no")
    with pytest.raises(writer.CannotStart, match=r"bad\.gguf"):
        writer.serve(bad, "bad", 512)
