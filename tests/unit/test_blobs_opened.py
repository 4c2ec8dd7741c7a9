"""A stored object as an open descriptor, in a folder and in a store that is none."""

import os
from pathlib import Path

import pytest
from obstore.store import MemoryStore

from sourcebook_core.blobs import Blobs


@pytest.fixture(params=["folder", "elsewhere"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> Blobs:
    return Blobs.open(f"file://{tmp_path}") if request.param == "folder" else Blobs(MemoryStore(), None)


async def test_an_object_is_opened_from_its_first_byte_on(blobs: Blobs) -> None:
    await blobs.put("sources/a/original", b"The mill closed.")
    async with blobs.opened("sources/a/original") as opened:
        assert os.pread(opened, 100, 0) == b"The mill closed."
    with pytest.raises(OSError, match="descriptor"):
        os.fstat(opened)


async def test_an_object_that_is_not_there_cannot_be_opened(blobs: Blobs) -> None:
    with pytest.raises(LookupError):
        async with blobs.opened("sources/b/original"):
            pass
