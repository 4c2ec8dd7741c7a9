"""Rows 1, 7, 10, 16 and 42 at a door with the limits that people have: nothing of a huge body is kept, in memory or on the disk."""

import gzip
import select
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook_core import kinds
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import Processes, TestPostgres, until_sync

SENT_AT_MOST = 300_000_000  # of 500 MB: one upload may have 200 MB, and more is on its way when the answer comes
GROWS_AT_MOST = 80_000_000


@pytest.fixture(scope="module")
def door(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Processes, Api, Path]]:
    folder = tmp_path_factory.mktemp("rows")
    with whole_gateway(postgres, folder) as (processes, api, _):
        yield processes, api, folder / "blobs"


def memory(processes: Processes) -> int:
    """The most bytes of memory the gateway has held so far."""
    status = Path(f"/proc/{processes.running[0].pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def poured(api: Api, path: str, kind: str, head: bytes, size: int, coding: str = "") -> tuple[bytes, int]:
    """The answer to a body of so many bytes without a line end, and how many were sent before it came."""
    host, port = api.address.removeprefix("http://").split(":")
    lines = [f"POST /api/v1{path} HTTP/1.1", "Host: x", f"Authorization: {api.http.headers['authorization']}", f"Content-Type: {kind}"]
    lines += ["Transfer-Encoding: chunked", *([f"Content-Encoding: {coding}"] if coding else [])]
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall("\r\n".join(lines).encode() + b"\r\n\r\n" + b"%x\r\n%s\r\n" % (len(head), head))
        sent, piece = 0, b"%x\r\n%s\r\n" % (1_000_000, b"a" * 1_000_000)
        try:
            while sent < size and not select.select([connection], [], [], 0)[0]:
                connection.sendall(piece)
                sent += 1_000_000
        except OSError:
            pass  # the door was shut while we spoke
        try:
            return connection.recv(65536), sent
        except OSError:
            return b"", sent


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is read from /proc")
def test_half_a_gigabyte_without_a_line_end_is_refused_while_it_comes_and_fills_no_memory(door: tuple[Processes, Api, Path]) -> None:
    processes, api, blobs = door
    path = f"/notebooks/{api.notebook()}/sources"
    api.text(path.split("/")[2], "what is loaded late is loaded before the memory is looked at")
    before = memory(processes)
    form = b'--b\r\nContent-Disposition: form-data; name="file"; filename="line.txt"\r\n\r\n'
    for kind, head in (("multipart/form-data; boundary=b", form), ("application/json", b'{"text": "')):
        answer, sent = poured(api, path, kind, head, 500_000_000)
        assert answer == b"" or answer.startswith(b"HTTP/1.1 413"), answer[:200]
        assert sent < SENT_AT_MOST
    assert memory(processes) - before < GROWS_AT_MOST
    until_sync(lambda: len([one for one in blobs.rglob("*") if one.is_file()]) == 1, 30, "what was refused to be gone")


def test_a_packed_body_is_refused_and_never_unpacked(door: tuple[Processes, Api, Path]) -> None:
    processes, api, _ = door
    path = f"/notebooks/{api.notebook()}/sources"
    before = memory(processes)
    bomb = gzip.compress(bytes(200_000_000), 1)
    for coding in ("gzip", "br", "deflate", "zstd"):
        headers = {"Content-Type": "application/json", "Content-Encoding": coding}
        refused(api.http.post(path, content=bomb, headers=headers), 415, "malformed")
    assert memory(processes) - before < GROWS_AT_MOST


def test_a_file_of_nothing_is_said_to_be_empty_whatever_its_name(door: tuple[Processes, Api, Path]) -> None:
    _, api, _ = door
    notebook = api.notebook()
    for ending in (*kinds.EXTENSIONS.values(), "zip", "doc", "heic", "svg", "xyz"):
        error = refused(api.upload(notebook, (f"nothing.{ending}", b"")), 422, "empty_file")
        assert f"nothing.{ending}" in error["message"]
    assert api.get(f"/notebooks/{notebook}/sources").json()["items"] == []


def test_a_file_is_stored_under_its_own_number_and_never_under_its_name(door: tuple[Processes, Api, Path]) -> None:
    _, api, blobs = door
    notebook = api.notebook()
    for number, name in enumerate(("../../etc/passwd.txt", "C:\\con.txt", "a%00.txt", "-rf.txt", "🦉" * 300 + ".txt")):
        source = api.upload(notebook, (name, b"text %d of a strange name" % number)).json()["items"][0]["source"]
        assert (blobs / "sources" / source["id"] / "original").read_bytes() == b"text %d of a strange name" % number
        assert "/" not in source["file_name"] and "\\" not in source["file_name"] and "\0" not in source["file_name"]


def test_a_drawing_with_a_script_is_text_that_no_browser_draws(door: tuple[Processes, Api, Path]) -> None:
    _, api, _ = door
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"><script>alert(2)</script><text>Words of a drawing</text></svg>'
    source = api.upload(api.notebook(), ("drawing.svg", drawing)).json()["items"][0]["source"]
    assert source["kind"] == "text"
    sent = api.get(f"/sources/{source['id']}/file")
    assert sent.content == drawing and sent.headers["content-type"].startswith("text/plain")
    assert sent.headers["content-disposition"].startswith("attachment") and sent.headers["x-content-type-options"] == "nosniff"
