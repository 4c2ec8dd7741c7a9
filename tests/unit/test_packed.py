"""Zip containers: what they may unpack to, and what their directory says of itself, is held before anything is believed."""

import io
import struct
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.packed import Bounds, Package, as_plain_xml
from sourcebook_core.sandbox_talk import Refused
from tests.fakes import office_files

BOUNDS = Bounds(entries=20, total_bytes=30_000_000, ratio=200)
PACKED = office_files.packed({"a.txt": "words", "b.bin": b"x" * 100})


def refusal(content: bytes, bounds: Bounds = BOUNDS) -> str | None:
    """The code with which reading every entry is refused; None when all is well."""
    try:
        package = Package(io.BytesIO(content), bounds)
        for entry in package.entries:
            for _ in package.stream(entry):
                pass
    except Refused as refused:
        return refused.code
    return None


def test_entries_bytes_and_ratio_are_counted_while_unpacking() -> None:
    assert refusal(PACKED) is None
    assert refusal(office_files.packed({f"{n}": "x" for n in range(21)})) == "resource_limit"
    assert refusal(office_files.packed({"blanks": b" " * 12_000_000})) == "resource_limit"
    assert refusal(office_files.packed({"small": b" " * 9_000_000})) is None  # packs well, and harms nobody
    assert refusal(office_files.packed({f"{n}": b" " * 9_000_000 for n in range(4)})) == "resource_limit"


def test_a_directory_that_lies_about_its_size_is_not_read() -> None:
    end = PACKED.rindex(b"PK\x05\x06")
    many = PACKED[: end + 8] + struct.pack("<HHI", 60_000, 60_000, 5_000_000) + PACKED[end + 16 :]
    assert refusal(many) == "resource_limit"
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 10**6, 10**6, 10**9, 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    assert refusal(PACKED[:end] + record + locator + PACKED[end:]) == "resource_limit"


def test_locked_and_broken_entries_are_told_apart() -> None:
    flagged = bytearray(PACKED)
    flagged[6] |= 1
    flagged[PACKED.rindex(b"PK\x01\x02", 0, PACKED.rindex(b"PK\x01\x02")) + 8] |= 1
    assert refusal(bytes(flagged)) == "password_protected"
    broken = bytearray(office_files.packed({"a": b"words of it"}, zipfile.ZIP_STORED))
    broken[32] ^= 1
    assert refusal(bytes(broken)) == "damaged_file"
    assert refusal(b"PK\x03\x04") == refusal(b"") == refusal(PACKED[:-30]) == "damaged_file"


@settings(max_examples=200, deadline=None)
@given(st.integers(0, len(PACKED) - 1), st.binary(min_size=1, max_size=8))
def test_no_changed_bytes_break_the_reader_of_containers(place: int, other: bytes) -> None:
    assert refusal(PACKED[:place] + other + PACKED[place + len(other) :]) in (None, "damaged_file", "resource_limit", "password_protected")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be"])
def test_xml_is_given_as_utf8_and_a_document_type_is_refused_in_every_encoding(encoding: str) -> None:
    text = '<?xml version="1.0" encoding="UTF-16"?><a>Grüße</a>' if encoding != "utf-8" else "<a>Grüße</a>"
    raw = text.encode(encoding)
    assert b"".join(as_plain_xml(iter([raw[:11], raw[11:]]))).decode().endswith("<a>Grüße</a>")
    for declared in ("<!DOCTYPE a [", "<!doctype a>", "<!ENTITY b 'c'>"):
        hostile = f"{text[:-4]}{declared}</a>".encode(encoding)
        with pytest.raises(Refused):
            list(as_plain_xml(hostile[at : at + 3] for at in range(0, len(hostile), 3)))
