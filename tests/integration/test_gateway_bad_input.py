"""Bad input at the door: rows 1-16, 49-53, 57-58, 65-70 of the matrix. Each has its code, nothing is stored, nothing breaks."""

import asyncio
import contextlib
import gzip
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx2
import pytest

from sourcebook_core.errors import SourcebookError
from sourcebook_gateway.addresses import canonical
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import TestPostgres, until_sync

FILES = ("sources", "uploads")


@pytest.fixture(scope="module")
def door(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, Path]]:
    folder = tmp_path_factory.mktemp("door")
    with whole_gateway(postgres, folder, TEXT_BYTES="300000", BODY_BYTES="2000000", JSON_BYTES="500000") as (_, api, _url):
        yield api, folder / "blobs"


@pytest.fixture
def api(door: tuple[Api, Path]) -> Iterator[Api]:
    """The owner's client; afterwards no upload may have been left behind."""
    api, blobs = door
    yield api
    until_sync(lambda: _without_row(api, blobs) == set(), 30, "every upload to be cleared")


def _without_row(api: Api, blobs: Path) -> set[str]:
    stored = {path.relative_to(blobs / "sources").parts[0] for path in blobs.glob("sources/**/*") if path.is_file()}
    return {one for one in stored if api.get(f"/sources/{one}").status_code == 404} - {
        item["id"] for item in api.get("/trash").json()["items"]
    }


def _raw(api: Api, path: str, body: bytes, **headers: str) -> httpx2.Response:
    return api.http.post(path, content=body, headers={"Content-Type": "application/json", **headers})


def test_json_that_cannot_be_meant_is_refused(api: Api) -> None:
    bomb = b'{"title":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    for body, status in (
        (b'{"title": "a", "title": "b"}', 422),
        (b'{"title": "\\ud800"}', 422),
        (b'{"title": "a\\u0000b"}', 422),
        (b'{"title": 1e999}', 422),
        (b'{"title": 9223372036854775808}', 422),
        (b'{"title": ["a"]}', 422),
        (b'{"title": "a", "other": 1}', 422),
        (b'{"title": "' + b"x" * 301 + b'"}', 422),
        (b"[]", 422),
        (bomb, 422),
        (b'{"title": NaN}', 422),
    ):
        refused(_raw(api, "/notebooks", body), status, "invalid_field")
    refused(_raw(api, "/notebooks", b'{"title": "a"'), 400, "malformed")
    refused(_raw(api, "/notebooks", b"\xff\xfe{"), 400, "malformed")
    for coding in ("utf-16", "utf-32", "utf-8-sig"):
        refused(_raw(api, "/notebooks", '{"title": "a"}'.encode(coding)), 400, "malformed")
    refused(_raw(api, "/notebooks", b'{"title": "' + b"x" * 600_000 + b'"}'), 413, "too_large")
    refused(_raw(api, "/notebooks", gzip.compress(b"{}"), **{"Content-Encoding": "gzip"}), 415, "malformed")
    refused(_raw(api, "/notebooks", b"{}", **{"Content-Type": "text/plain"}), 415, "malformed")


def test_titles_of_every_script_are_kept_as_they_are(api: Api) -> None:
    for title in ("İstanbul ı I", "e\u0301" * 100, "مرحبا", "日本語のノート", "🦉" * 75, "'; drop table people; --", "x" * 300):
        assert api.post("/notebooks", {"title": title}).json()["title"] == title


def test_a_nul_in_a_text_is_for_reading_to_judge_and_in_a_title_refused(api: Api) -> None:
    notebook = api.notebook()
    assert api.text(notebook, "one\x00two", title="t")["status"] == "queued"
    refused(api.post(f"/notebooks/{notebook}/sources", {"text": "a", "title": "b\x00"}), 422, "invalid_field")
    refused(api.post(f"/notebooks/{notebook}/sources", {"text": ""}), 422, "empty_file")
    refused(api.post(f"/notebooks/{notebook}/sources", {"text": "x" * 400_000}), 413, "too_large")
    refused(api.post(f"/notebooks/{notebook}/sources", {"neither": "x"}), 422, "invalid_field")


def test_file_names_are_only_shown(api: Api) -> None:
    notebook = api.notebook()
    for number, (given, shown) in enumerate(
        (
            ("../../etc/passwd", "passwd"), ("C:\\x\\y.txt", "y.txt"), ("con.txt", "con.txt"), ("-rf.txt", "-rf.txt"),
            ("🦉 owl.md", "🦉 owl.md"), ("a\u202egpj.txt", "agpj.txt"), ("x" * 5000 + ".md", None),
        )
    ):  # fmt: skip
        answer = api.upload(notebook, (given, f"text number {number}".encode()))
        assert answer.status_code == 202, answer.text
        source = answer.json()["items"][0]["source"]
        assert len(source["file_name"].encode()) <= 255 and shown in (None, source["file_name"])
        sent = api.get(f"/sources/{source['id']}/file")
        assert sent.headers["content-disposition"].startswith("attachment;") and "\n" not in sent.headers["content-disposition"]
        assert sent.headers["content-security-policy"].startswith("sandbox")


def test_bytes_and_not_names_say_what_a_file_is(api: Api) -> None:
    notebook = api.notebook()
    for name, raw, code in (
        ("program.pdf", b"MZ\x90\x00\x03\x00", "unsupported_kind"),
        ("page.pdf", b"<html><body>hello", "unsupported_kind"),
        ("old.doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "unsupported_kind"),
        ("letter.docx", b"just some words", "unsupported_kind"),
        ("bytes.bin", bytes(range(256)) * 8, "unsupported_kind"),
        ("nothing.pdf", b"", "empty_file"),
        ("nothing.md", b"", "empty_file"),
    ):
        error = refused(api.upload(notebook, (name, raw)), 422 if code == "empty_file" else 415, code)
        assert name in error["message"]
    for name, raw, kind in (
        ("page.html", b"<!DOCTYPE html><p>hello", "office"),
        ("picture.txt", b"\x89PNG\r\n\x1a\n0000", "image"),
        ("x.html", b"GIF89a/*<script>", "image"),
        ("table.csv", b"a,b\n1,2\n", "office"),
    ):
        assert api.upload(notebook, (name, raw)).json()["items"][0]["source"]["kind"] == kind
    pdf = api.upload(notebook, ("garbage before.pdf", b"x" * 500 + b"%PDF-1.4\n<html>"))
    assert pdf.json()["items"][0]["source"]["kind"] == "pdf"
    refused(api.upload(notebook, ("long.txt", b"a" * 400_000)), 413, "too_large")
    assert api.upload(notebook, ("full.txt", b"b" * 300_000)).status_code == 202  # S3-01: to the byte
    refused(api.upload(notebook, ("over.txt", b"c" * 300_001)), 413, "too_large")
    refused(api.upload(notebook, ("huge.pdf", b"%PDF-1.7" + b"a" * 4_000_000)), 413, "too_large")


def _form(*parts: bytes, boundary: bytes = b"b") -> bytes:
    return b"".join(b"--" + boundary + b"\r\n" + part + b"\r\n" for part in parts) + b"--" + boundary + b"--\r\n"


def test_broken_multipart_forms_are_refused(api: Api) -> None:
    path = f"/notebooks/{api.notebook()}/sources"
    kind = {"Content-Type": "multipart/form-data; boundary=b"}
    part = b'Content-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nhello'
    for body, headers, status, code in (
        (_form(part), {"Content-Type": "multipart/form-data"}, 400, "malformed"),
        (_form(part, boundary=b"c"), kind, 400, "malformed"),
        (_form(part)[:-10], kind, 400, "malformed"),
        (b"", kind, 400, "malformed"),
        (_form(b"Content-Type: text/plain\r\n\r\nhello"), kind, 400, "malformed"),
        (_form(b"X: " + b"y" * 10_000 + b"\r\n\r\nhello"), kind, 400, "malformed"),
        (_form(*[part] * 300), kind, 400, "malformed"),
        (_form(b'Content-Disposition: form-data; name="other"; filename="a.txt"\r\n\r\nhello'), kind, 422, "invalid_field"),
        (_form(b'Content-Disposition: form-data; name="capture"\r\n\r\nmagic', part), kind, 422, "invalid_field"),
        (_form(b'Content-Disposition: form-data; name="strange"\r\n\r\n1', part), kind, 422, "invalid_field"),
        (_form(b'Content-Disposition: form-data; name="capture"\r\n\r\ntext'), kind, 422, "invalid_field"),
        (gzip.compress(_form(part)), {**kind, "Content-Encoding": "gzip"}, 415, "malformed"),
    ):
        refused(api.http.post(path, content=body, headers=headers), status, code)
    crlf = b'Content-Disposition: form-data; name="file"; filename="a%0d%0aSet-Cookie: x=1.txt"\r\n\r\nhello crlf'
    added = api.http.post(path, content=_form(crlf), headers=kind).json()["items"][0]["source"]
    assert "set-cookie" not in api.get(f"/sources/{added['id']}/file").headers


def test_a_body_without_a_length_is_counted_while_it_comes(api: Api) -> None:
    notebook = api.notebook()

    def endless(head: bytes) -> Iterator[bytes]:
        yield head
        for _ in range(100):
            yield b"a" * 100_000

    with contextlib.suppress(httpx2.TransportError):  # the answer may come while we still send
        refused(
            api.http.post("/notebooks", content=endless(b'{"title": "'), headers={"Content-Type": "application/json"}), 413, "too_large"
        )
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7'
    with contextlib.suppress(httpx2.TransportError):
        form = {"Content-Type": "multipart/form-data; boundary=b"}
        refused(api.http.post(f"/notebooks/{notebook}/sources", content=endless(head), headers=form), 413, "too_large")
    assert api.get(f"/notebooks/{notebook}/sources").json()["items"] == []


def _talk(api: Api, request: bytes, then_close: bool = False) -> bytes:
    host, port = api.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as connection:
        connection.sendall(request)
        if then_close:
            return b""
        answer = b""
        while b"\r\n\r\n" not in answer and (piece := connection.recv(65536)):
            answer += piece
        return answer


def test_absurd_lengths_headers_and_hosts_are_refused(api: Api) -> None:
    notebook = api.notebook()
    token = api.http.headers["authorization"].encode()
    head = b"POST /api/v1/notebooks/" + notebook.encode() + b"/sources HTTP/1.1\r\nHost: x\r\n"
    form = b"Content-Type: multipart/form-data; boundary=b\r\n"
    unsigned = _talk(api, head + form + b"Content-Length: 200000000\r\n\r\n")
    assert unsigned.startswith(b"HTTP/1.1 401"), unsigned[:100]
    too_long = _talk(api, head + b"Authorization: " + token + b"\r\n" + form + b"Content-Length: 99999999999\r\n\r\n")
    assert too_long.startswith(b"HTTP/1.1 413"), too_long[:100]
    for length in (b"-5", b"abc", b"1e9"):
        assert _talk(api, head + form + b"Content-Length: " + length + b"\r\n\r\n").startswith(b"HTTP/1.1 400")
    refused(api.get("/me", headers={"Cookie": "x=" + "y" * 100_000}), 431, "headers_too_large")
    refused(api.get("/me", headers={"Host": "evil host\\"}), 400, "malformed")
    links = api.post("/auth/links", {}, headers={"Host": "evil.example", "X-Forwarded-Host": "evil.example"}).json()
    assert links["url"].startswith(api.address)
    _talk(api, head + b"Authorization: " + token + b"\r\n" + form + b"Content-Length: 10000\r\n\r\n" + _form(b"x")[:20], then_close=True)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1/", "http://0/", "http://0x7f000001/", "http://2130706433/", "http://127.1/", "http://[::1]/",
        "http://[::ffff:10.0.0.1]/", "http://100.64.0.1/", "http://169.254.169.254/latest/meta-data", "http://[fd00::1]/",
        "http://localhost/", "http://printer.local/", "http://user:pass@example.org/", "http://example.org:22/", "http://example.org:6379/",
        "http://192.168.1.1/", "http://10.1.2.3/", "http://intranet/", "http://0.0.0.0/", "http://224.0.0.1/", "http://127.0.0.1./",
    ],
)  # fmt: skip
def test_an_address_that_is_plainly_not_public_is_refused(api: Api, url: str) -> None:
    refused(api.post(f"/notebooks/{_shared_notebook(api)}/sources", {"url": url}), 422, "url_not_public")


_notebooks: dict[str, str] = {}


def _shared_notebook(api: Api) -> str:
    return _notebooks.setdefault(api.address, api.notebook())


def test_other_schemes_and_what_is_no_address_are_refused(api: Api) -> None:
    path = f"/notebooks/{api.notebook()}/sources"
    for url in ("file:///etc/passwd", "gopher://x.org/", "ftp://x.org/", "data:text/html,x", "javascript:alert(1)"):
        refused(api.post(path, {"url": url}), 422, "url_scheme")
    for url in (
        "http://exa mple.org/",
        "http:\\\\example.org",
        "http://",
        "https://[::1",
        "http://x.org:99999/",
        "example.org",
        "http://x\r\ny.org",
        "http://.org/",
        "http://a..org/",
        "http://" + "a" * 64 + ".org/",
        "http://" + "a." * 200 + "org/",
    ):
        refused(api.post(path, {"url": url}), 422, "invalid_field")


def test_one_page_is_one_source_however_its_address_is_written(api: Api) -> None:
    path = f"/notebooks/{api.notebook()}/sources"
    first = api.post(path, {"url": "HTTPS://Example.ORG:443/a b?x=1#part"})
    assert first.status_code == 422
    first = api.post(path, {"url": "HTTPS://Example.ORG:443/a?x=1#part"})
    assert first.status_code == 202
    again = api.post(path, {"url": "https://example.org/a?x=1"})
    assert again.status_code == 200 and again.json()["items"][0]["source"]["id"] == first.json()["items"][0]["source"]["id"]
    assert canonical("http://bücher.example/ä", ()) == "http://xn--bcher-kva.example/%C3%A4"
    assert canonical("http://127.0.0.1:8650/x", ("127.0.0.1:8650",)) == "http://127.0.0.1:8650/x"
    with pytest.raises(SourcebookError, match="url_not_public"):
        canonical("http://127.0.0.1:8651/x", ("127.0.0.1:8650",))


def test_twenty_uploads_of_the_same_bytes_make_one_source(api: Api) -> None:
    notebook = api.notebook()

    def send(number: int) -> str:
        with httpx2.Client(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
            answer = http.post(f"/notebooks/{notebook}/sources", files=[("file", (f"{number}.txt", b"the very same bytes", "text/plain"))])
            assert answer.status_code in (200, 202), answer.text
            return str(answer.json()["items"][0]["source"]["id"])

    with ThreadPoolExecutor(20) as pool:
        ids = set(pool.map(send, range(20)))
    assert len(ids) == 1
    assert len(api.get(f"/notebooks/{notebook}/sources").json()["items"]) == 1


def test_the_same_files_in_another_order_at_the_same_time_are_taken_in(api: Api) -> None:
    notebook = api.notebook()

    def send(number: int) -> list[str]:
        files = [("file", (f"{n}.txt", b"file number %d of many" % n, "text/plain")) for n in range(20)]
        with httpx2.Client(base_url=f"{api.address}/api/v1", headers=dict(api.http.headers), timeout=60) as http:
            answer = http.post(f"/notebooks/{notebook}/sources", files=files[:: 1 if number % 2 else -1])
            assert answer.status_code in (200, 202), answer.text
            return [str(item["source"]["id"]) for item in answer.json()["items"]][:: 1 if number % 2 else -1]

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(send, range(4)))
    assert all(ids == answers[0] for ids in answers) and len(set(answers[0])) == 20


def test_an_idempotency_key_gives_the_first_answer_and_refuses_another_body(api: Api) -> None:
    notebook = api.notebook()
    key = {"Idempotency-Key": "same"}
    with ThreadPoolExecutor(5) as pool:
        answers = list(pool.map(lambda _: _raw(api, "/notebooks", b'{"title": "one"}', **key).json()["id"], range(5)))
    assert len(set(answers)) == 1
    refused(_raw(api, "/notebooks", b'{"title": "two"}', **key), 409, "idempotency_conflict")
    refused(_raw(api, "/notebooks", b"{}", **{"Idempotency-Key": "k" * 10_000}), 422, "invalid_field")
    path = f"/notebooks/{notebook}/sources"
    first = api.http.post(path, files=[("file", ("a.txt", b"bytes of a"))], headers=key)
    again = api.http.post(path, files=[("file", ("a.txt", b"bytes of a"))], headers=key)
    assert first.status_code == again.status_code == 202 and first.json() == again.json()
    refused(api.http.post(path, files=[("file", ("a.txt", b"other bytes"))], headers=key), 409, "idempotency_conflict")


def test_lists_clamp_and_refuse_what_they_did_not_give(api: Api) -> None:
    for query in ("limit=-1", "limit=0", "limit=1000000000", "cursor=%00", "cursor=eyJh", "cursor=" + "x" * 400, "limit=abc"):
        refused(api.get(f"/notebooks?{query}"), 422, "invalid_field")
    made = {api.notebook(f"n{number}") for number in range(5)}
    seen, cursor = [], ""
    while True:
        page = api.get(f"/notebooks?limit=2{cursor}").json()
        seen += [item["id"] for item in page["items"]]
        if not page["next_cursor"]:
            break
        cursor = f"&cursor={page['next_cursor']}"
    assert made <= set(seen) and len(seen) == len(set(seen))


def test_questions_of_any_kind_are_bound_and_never_break_the_gateway(api: Api) -> None:
    notebook = api.notebook()
    for question in ("", "   ", "x" * 5000, "a\x00b"):
        refused(api.post(f"/notebooks/{notebook}/ask", {"question": question}), 422, "invalid_field")
    assert _raw(api, f"/notebooks/{notebook}/ask", json.dumps({"question": "y" * 1_000_000}).encode()).status_code == 413


def test_an_external_id_that_is_known_replaces_the_content(api: Api) -> None:
    notebook = api.notebook()
    first = api.text(notebook, "version one of the handbook", title="Handbook", external_id="hb")
    second = api.text(notebook, "version two of the handbook", title="Handbook", external_id="hb")
    assert second["id"] == first["id"] and second["byte_size"] == 27
    assert api.get(f"/sources/{first['id']}/file").text == "version two of the handbook"
    other = api.text(notebook, "something else", title="Other")
    again = {"text": "something else", "external_id": "hb"}
    refused(api.post(f"/notebooks/{notebook}/sources", again), 409, "conflict")
    assert api.get(f"/sources/{first['id']}/file").text == "version two of the handbook"
    refused(api.patch(f"/sources/{other['id']}", {"external_id": "hb"}), 409, "conflict")
    changed = api.patch(
        f"/sources/{other['id']}", {"authors": ["A. Brandt"], "year": 1911, "labels": ["mill"], "meta": {"module": "x"}}
    ).json()
    assert (changed["authors"], changed["year"], changed["labels"], changed["meta"]) == (["A. Brandt"], 1911, ["mill"], {"module": "x"})
    assert api.patch(f"/sources/{other['id']}", {"year": None}).json()["year"] is None
    refused(api.patch(f"/sources/{other['id']}", {"year": 2**40}), 422, "invalid_field")


def test_a_source_is_stopped_tried_again_deleted_and_taken_back(api: Api) -> None:
    notebook = api.notebook()
    source = api.text(notebook, "to be stopped", title="s")["id"]
    refused(api.post(f"/sources/{source}/retry", {}), 409, "conflict")
    assert api.post(f"/sources/{source}/stop").json()["status"] == "stopped"
    assert api.post(f"/sources/{source}/retry", {"password": "secret"}).json()["status"] == "queued"
    assert api.delete(f"/sources/{source}").status_code == 204
    refused(api.get(f"/sources/{source}"), 404, "not_found")
    refused(api.post(f"/sources/{source}/retry"), 404, "not_found")
    assert api.post(f"/sources/{source}/restore").json()["status"] == "queued"
    assert api.delete(f"/sources/{source}").status_code == 204
    twin = api.text(notebook, "to be stopped", title="s")["id"]
    assert twin != source
    refused(api.post(f"/sources/{source}/restore"), 409, "conflict")


async def test_an_upload_that_breaks_off_leaves_nothing(api: Api) -> None:
    notebook = api.notebook()
    host, port = api.address.removeprefix("http://").split(":")
    _, writer = await asyncio.open_connection(host, int(port))
    body = b'--b\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n%PDF-1.7' + b"a" * 900_000
    head = f"POST /api/v1/notebooks/{notebook}/sources HTTP/1.1\r\nHost: x\r\nAuthorization: {api.http.headers['authorization']}\r\n"
    writer.write(head.encode() + b"Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 1500000\r\n\r\n" + body)
    await writer.drain()
    writer.close()
    assert api.get(f"/notebooks/{notebook}/sources").json()["items"] == []
