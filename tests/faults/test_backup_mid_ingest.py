"""F40: a backup taken while a source is being read, restored elsewhere: consistent, and the work goes on by itself."""

import json
import re
import tarfile
from pathlib import Path
from typing import Any

import httpx2
import pytest

from tests.rig import until_sync
from tests.stack_rig import Up, command_line, running, stack_place

pytestmark = pytest.mark.timeout(600)  # two whole stacks, one after the other
TEXT = "".join(f"Paragraph {n} speaks of buoy number {n}, which lies {n * 3} metres from the pier.\n\n" for n in range(1, 400))


def sources(up: Up) -> list[dict[str, Any]]:
    found = command_line(up.data, "list", "sources", "--json")
    assert found.returncode == 0, found.stderr
    return list(json.loads(found.stdout)["items"])


def test_a_backup_taken_in_the_middle_of_reading_is_whole_and_its_work_goes_on_after_a_restore(tmp_path: Path) -> None:
    (tmp_path / "buoys.md").write_text(TEXT)
    target = tmp_path / "mid.tar"
    with stack_place() as place:
        with running(place / "old", "--no-models", FAULT_AT="index.chunked") as up:
            added = command_line(up.data, "add", str(tmp_path / "buoys.md"), "--notebook", "Harbour")
            assert added.returncode == 0, added.stderr
            log = up.data / "logs" / "ingest.log"
            until_sync(lambda: "fault.waited" in log.read_text("utf-8"), 120, "the reader to be in the middle of its work")
            saved = command_line(up.data, "backup", str(target))
            assert saved.returncode == 0, saved.stderr
            assert sources(up)[0]["status"] in {"reading", "indexing"}
        with tarfile.open(target) as tar:
            assert [name for name in tar.getnames() if name.endswith("/original")] != []

        restored = command_line(place / "new", "restore", str(target))
        assert restored.returncode == 0, restored.stderr
        with running(place / "new", "--no-models") as again:
            only = sources(again)
            assert len(only) == 1
            token = (again.data / "owner-token").read_text("ascii").strip()
            with httpx2.Client(headers={"Authorization": f"Bearer {token}"}, timeout=60) as owner:
                address = again.address(f"/api/v1/sources/{only[0]['id']}")
                # Not by the command line: every look would start a program.
                until_sync(lambda: owner.get(address).json()["status"] == "ready", 120, "the source to be ready by itself")
                assert owner.get(f"{address}/text").text == TEXT
                assert owner.get(f"{address}/file").content == TEXT.encode()
            asked = command_line(again.data, "ask", "How far is buoy number 123 from the pier?")
            assert "369 metres" in asked.stdout, asked.stdout + asked.stderr
            assert re.search(r"\[1\] buoys\.md", asked.stdout)
