"""The guard for outside addresses, over real HTTP: what it refuses, where it connects, what it takes."""

import gzip
import ipaddress
from pathlib import Path

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.addresses import Address, NotAnAddress, is_public, parse
from sourcebook_core.egress import Ask, Bounds, fetch_public
from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.fetched import Fetched
from sourcebook_core.settings import Settings
from tests.fakes.website import ARTICLE, Answer, Website, gzipped_zeros

INSIDE = [
    "127.0.0.1", "127.8.9.1", "0.0.0.0", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.8",
    "198.18.0.1",
    "224.0.0.1", "239.255.255.250", "240.0.0.1", "255.255.255.255", "192.0.2.1", "203.0.113.9", "192.88.99.1",
    "::", "::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "::7f00:1", "fd00::1", "fc00::1", "fe80::1", "fec0::1", "ff02::1",
    "2002:7f00:1::", "2002:a00:1::", "64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2001:db8::1", "2001:0:1::1", "3fff::1",
]  # fmt: skip


def allowing(site: Website, **more: str) -> Settings:
    """Settings under which the guard lets this site pass."""
    return core_settings.load({"SOURCEBOOK_URL_ALLOW": site.place} | {f"SOURCEBOOK_{name}": value for name, value in more.items()})


async def refused(url: str, settings: Settings) -> SourcebookError:
    with pytest.raises(SourcebookError) as caught:
        await fetch_public(url, settings)
    return caught.value


@pytest.mark.parametrize("text", INSIDE)
def test_an_address_inside_is_not_public(text: str) -> None:
    assert not is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize("text", ["93.184.216.34", "1.1.1.1", "2606:4700::1111", "2002:101:101::", "64:ff9b::1.1.1.1", "::ffff:1.1.1.1"])
def test_an_address_of_the_internet_is_public(text: str) -> None:
    assert is_public(ipaddress.ip_address(text))


@pytest.mark.parametrize(
    "url", ["file:///etc/passwd", "gopher://x.org/1", "ftp://x.org/", "data:text/html,x", "javascript:alert(1)", "view-source:http://x.org"]
)
def test_only_http_addresses_are_tried(url: str) -> None:
    with pytest.raises(PermanentError) as caught:
        parse(url)
    assert caught.value.code == "url_scheme"


@pytest.mark.parametrize(
    "url",
    [
        "http://user:pass@example.org/", "http://example.org@127.0.0.1/", "http://@example.org/", "http://example.org:22/",
        "http://example.org:25/", "http://example.org:6379/", "http://example.org:0/", "http://127.0.0.1.nip.io@10.0.0.1/",
        "http://1.1.1.1#@127.0.0.1:22/", "http://\uff11\uff12\uff17.0.0.1/", "http://127\u30020.0.1/", "http://a.0x7f/", "http://intranet/",
        "http://printer.local/", "http://[fe80::1%25eth0]/", "http://[::ffff:7f00:1]/", "http://[64:ff9b::7f00:1]/", "http://017700000001/",
    ],
)  # fmt: skip
def test_addresses_with_tricks_are_refused_by_the_one_parser(url: str) -> None:
    if "#@" in url:  # what stands after # is never part of an address
        assert str(parse(url)) == "http://1.1.1.1/"
        return
    with pytest.raises(PermanentError) as caught:
        parse(url)
    assert caught.value.code == "url_not_public"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org\\@127.0.0.1/", "http://exa mple.org/", "http://example.org\r\nHost: x/", "http:///x", "http://example.org:99999/",
        "http://exa%6dple.org/", "http://a..org/", "http://-a.org/", "http://[::1/", "x.org", "http://\u2603.example/", "http://x.org:p/",
    ],
)  # fmt: skip
async def test_what_is_no_address_is_none_at_the_door_and_not_public_at_the_guard(url: str) -> None:
    with pytest.raises(NotAnAddress):
        parse(url)
    assert (await refused(url, core_settings.load({}))).code == "url_not_public"


def test_an_address_has_one_form_and_a_look_alike_shows_its_true_name() -> None:
    forms = {
        "HTTPS://Example.ORG.:443/a?x=1#part": "https://example.org/a?x=1",
        "http://\u0430pple.com": "http://xn--pple-43d.com/",
        "http://b\u00fccher.example/\u00e4": "http://xn--bcher-kva.example/%C3%A4",
        "http://stra\u00dfe.de/": "http://xn--strae-oqa.de/",
        "http://[2606:4700:0:0::1111]:80/": "http://[2606:4700::1111]/",
    }
    assert {url: str(parse(url)) for url in forms} == forms


@pytest.mark.parametrize(
    "host",
    ["127.0.0.1", "0", "0x7f000001", "2130706433", "127.1", "0177.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "[::ffff:7f00:1]"],
)
async def test_every_way_to_write_this_machine_is_refused_where_the_connection_is_made(site: Website, host: str) -> None:
    error = await refused(f"http://{host}/article", core_settings.load({}))
    assert error.code == "url_not_public"
    assert site.seen == []


async def test_an_allowed_local_page_is_fetched_with_its_own_name_and_nothing_of_ours(site: Website) -> None:
    found = await fetch_public(site.url("/article"), allowing(site))
    assert (found.content, found.media_type) == (ARTICLE.encode(), "text/html")
    head = site.seen[0].lower()
    assert f"host: {site.place}" in head
    assert "cookie" not in head
    assert "authorization" not in head


async def test_a_name_with_one_private_address_among_public_ones_is_refused_unread() -> None:
    async def mixed(name: str, port: int) -> list[Address]:
        return [ipaddress.ip_address("93.184.216.34"), ipaddress.ip_address("127.0.0.1")]

    with pytest.raises(SourcebookError) as caught:
        await fetch_public("http://mixed.example/", core_settings.load({}), resolve=mixed)
    assert caught.value.code == "url_not_public"


async def test_a_name_is_resolved_once_and_the_checked_address_is_connected(site: Website) -> None:
    asked: list[str] = []

    async def rebinding(name: str, port: int) -> list[Address]:
        asked.append(name)
        return [ipaddress.ip_address("127.0.0.1" if len(asked) == 1 else "10.0.0.1")]

    settings = core_settings.load({"SOURCEBOOK_URL_ALLOW": f"rebinding.example:{site.port}"})
    found = await fetch_public(f"http://rebinding.example:{site.port}/article", settings, resolve=rebinding)
    assert found.content == ARTICLE.encode()
    assert asked == ["rebinding.example"]
    assert f"host: rebinding.example:{site.port}" in site.seen[0].lower()


async def test_redirects_are_followed_five_times_and_checked_each_time(site: Website) -> None:
    for hop in range(7):
        site.pages[f"/{hop}"] = Answer(status=302, headers={"Location": f"/{hop + 1}"})
    site.pages["/5"] = Answer(ARTICLE.encode())
    assert (await fetch_public(site.url("/0"), allowing(site))).url == site.url("/5")
    site.pages["/5"] = Answer(status=302, headers={"Location": "/6"})
    assert (await refused(site.url("/0"), allowing(site))).code == "url_failed"
    for target in ("http://169.254.169.254/latest/meta-data", f"http://localhost:{site.port}/article", "http://[::1]/"):
        site.pages["/out"] = Answer(status=301, headers={"Location": target})
        assert (await refused(site.url("/out"), allowing(site))).code == "url_not_public", target
    site.pages["/file"] = Answer(status=302, headers={"Location": "file:///etc/passwd"})
    assert (await refused(site.url("/file"), allowing(site))).code == "url_scheme"
    for host in ("a" * 64 + ".example", "a..example"):
        site.pages["/no-name"] = Answer(status=302, headers={"Location": f"http://{host}/"})
        error = await refused(site.url("/no-name"), allowing(site))
        assert (error.code, type(error)) == ("url_failed", PermanentError), host


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (404, "url_not_found", PermanentError), (410, "url_not_found", PermanentError), (401, "url_login", PermanentError),
        (403, "url_login", PermanentError), (451, "url_failed", PermanentError), (503, "url_failed", TransientError),
        (429, "url_failed", TransientError),
    ],
)  # fmt: skip
async def test_a_status_that_is_no_page_is_said_as_it_is(site: Website, status: int, code: str, kind: type[SourcebookError]) -> None:
    site.pages["/x"] = Answer(b"<p>some words</p>", status)
    error = await refused(site.url("/x"), allowing(site))
    assert (error.code, type(error)) == (code, kind)


async def test_endless_slow_packed_and_broken_bodies_end_within_their_bounds(site: Website) -> None:
    site.pages["/endless"] = Answer(drip_s=0.0)
    assert (await refused(site.url("/endless"), allowing(site, URL_BYTES="100000"))).code == "too_large"
    site.pages["/slow"] = Answer(drip_s=0.2)
    assert (await refused(site.url("/slow"), allowing(site, URL_SECONDS="1"))).code == "url_failed"
    site.pages["/bomb"] = Answer(gzipped_zeros(15), headers={"Content-Encoding": "gzip"})
    assert (await refused(site.url("/bomb"), allowing(site))).code == "too_large"
    site.pages["/short"] = Answer(b"abc", headers={"Content-Length": "100"})
    assert (await refused(site.url("/short"), allowing(site))).code == "url_failed"
    site.pages["/claim"] = Answer(b"abc", headers={"Content-Length": "99999999999"})
    assert (await refused(site.url("/claim"), allowing(site))).code == "too_large"
    site.pages["/garbage"] = Answer(raw=b"\0\1\2 not http at all\r\n\r\n")
    assert (await refused(site.url("/garbage"), allowing(site))).code == "url_failed"
    site.pages["/packed"] = Answer(b"not gzip", headers={"Content-Encoding": "gzip"})
    assert (await refused(site.url("/packed"), allowing(site))).code == "url_failed"


async def test_a_port_where_nobody_listens_and_a_name_that_nobody_knows_fail_for_now(site: Website) -> None:
    settings = core_settings.load({"SOURCEBOOK_URL_ALLOW": "127.0.0.1:1"})
    error = await refused("http://127.0.0.1:1/", settings)
    assert (error.code, type(error)) == ("url_failed", TransientError)
    error = await refused("http://no-such-name.invalid/", settings)
    assert (error.code, type(error)) == ("url_failed", TransientError)


async def test_a_page_asked_again_with_its_marks_answers_unchanged_and_a_server_that_asks_for_patience_gets_it(site: Website) -> None:
    def answer(head: str) -> Answer:
        return Answer(status=304) if 'if-none-match: "v1"' in head.lower() else Answer(b"x", headers={"ETag": '"v1"'})

    site.pages["/tagged"] = answer
    first = await fetch_public(site.url("/tagged"), allowing(site))
    assert (first.etag, first.content) == ('"v1"', b"x")
    again = await fetch_public(site.url("/tagged"), allowing(site), Ask(etag=first.etag))
    assert (again.status, again.content) == (304, b"")
    site.pages["/tagged"] = Answer(status=304)
    assert (await refused(site.url("/tagged"), allowing(site))).code == "url_failed"  # nobody asked whether it had changed
    site.pages["/busy"] = Answer(status=429, headers={"Retry-After": "7"})
    error = await refused(site.url("/busy"), allowing(site))
    assert isinstance(error, TransientError)
    assert error.retry_after_s == 7


async def test_what_it_is_decides_how_much_is_taken_before_the_rest_is(site: Website, tmp_path: Path) -> None:
    seen: list[tuple[str, str, bytes]] = []

    def judge(found: Fetched, head: bytes) -> Bounds:
        seen.append((found.media_type, found.file_name, head[:4]))
        return Bounds(3_000_000, 20) if head.startswith(b"%PDF") else Bounds(10_000, 20)

    headers = {"Content-Type": "Application/PDF; x=1", "Content-Disposition": "attachment; filename*=UTF-8''..%2Fl%C3%A4ke.pdf"}
    site.pages["/big.pdf"] = Answer(b"%PDF-1.7" + b"x" * 2_000_000, headers=headers)
    with (tmp_path / "body").open("w+b") as into:
        found = await fetch_public(site.url("/big.pdf"), allowing(site, URL_BYTES="10000"), Ask(judge=judge, into=into))
        assert (found.size, found.content, into.tell()) == (2_000_008, b"", 2_000_008)
    assert seen == [("application/pdf", "l\u00e4ke.pdf", b"%PDF")]
    site.pages["/big.html"] = Answer(b"<html>" + b"x" * 2_000_000)
    with pytest.raises(PermanentError) as caught:
        await fetch_public(site.url("/big.html"), allowing(site), Ask(judge=judge))
    assert caught.value.code == "too_large"


async def test_packed_content_that_breaks_off_is_no_page(site: Website) -> None:
    site.pages["/cut"] = Answer(gzip.compress(ARTICLE.encode())[:-20], headers={"Content-Encoding": "gzip"})
    assert (await refused(site.url("/cut"), allowing(site))).code == "url_failed"
