"""Reading a host application over real HTTP: GET alone, its own refusals, lists to their end, bounds, and where a token may go."""

import asyncio
from typing import Any

import pytest

from sourcebook_core import host_calls
from sourcebook_core import settings as core_settings
from sourcebook_core.errors import RequestError
from sourcebook_core.host_calls import HELD_BYTES
from sourcebook_core.host_data import Taken
from sourcebook_core.host_declared import hosts_of
from tests.fakes.host import ADA, BEN, OPINIONS, PROJECT, WALL, FakeHost, opinion, redirect
from tests.fakes.website import Answer, Website

VALUES = {"project_id": WALL}
PATH = f"/api/projects/{WALL}"


@pytest.fixture
def host() -> Any:
    with FakeHost() as started:
        yield started


async def read(host: FakeHost, of: dict[str, Any] = PROJECT, *, token: str | None = ADA, allow: str | None = None, **more: Any) -> Taken:
    (declared,) = hosts_of({"hosts": [host.declared(of, **more)]})
    settings = core_settings.load({"SOURCEBOOK_HOST_ALLOW": host.place if allow is None else allow})
    return await host_calls.read(settings, declared, declared.reads[0], VALUES, token)


async def refused(host: FakeHost, status: int, code: str, of: dict[str, Any] = PROJECT, **more: Any) -> RequestError:
    with pytest.raises(RequestError) as caught:
        await read(host, of, **more)
    assert (caught.value.status, caught.value.code) == (status, code), caught.value
    return caught.value


async def test_a_read_is_one_get_with_the_askers_own_token(host: FakeHost) -> None:
    taken = await read(host)
    assert dict(taken.rows[0])["result.value"] == 14.1923
    (seen,) = host.seen
    assert (seen.method, seen.path, seen.token) == ("GET", PATH, ADA)
    assert "cookie" not in seen.headers and seen.headers["host"] == host.place


async def test_a_host_that_wants_no_token_gets_none(host: FakeHost) -> None:
    error = await refused(host, 401, "host_refused", with_token=False)
    assert host.seen[0].token == "" and error.detail == {"host": "planner", "body": {"detail": "Sign in first."}}


async def test_the_hosts_refusal_is_told_with_its_own_status_and_body(host: FakeHost) -> None:
    # S0-35
    error = await refused(host, 404, "host_refused", token=BEN)
    assert error.detail == {"host": "planner", "body": {"detail": "There is no such project, or you are not in it."}}
    host.answers[PATH] = (403, {"detail": "Not you."})
    assert (await refused(host, 403, "host_refused")).detail == {"host": "planner", "body": {"detail": "Not you."}}
    host.answers[PATH] = (403, {"detail": "x" * 3000})
    assert (await refused(host, 403, "host_refused")).detail == {"host": "planner", "body": None}


async def test_a_list_is_read_page_by_page_until_a_short_one(host: FakeHost) -> None:
    # N-13: 101 rows with pages of 100
    host.opinions = [opinion(n) for n in range(101)]
    taken = await read(host, OPINIONS)
    assert (taken.count, len(taken.rows), taken.more) == (101, 50, 51)
    assert [one.query for one in host.seen] == [{"page": "1", "page_size": "100"}, {"page": "2", "page_size": "100"}]


async def test_a_list_beyond_its_last_page_is_an_error_and_never_a_part_of_itself(host: FakeHost) -> None:
    host.opinions = [opinion(n) for n in range(20)]
    paged = OPINIONS | {"list": {"page": {"size": 5, "most": 3}}}
    assert "3 pages" in (await refused(host, 502, "host_unusable", paged)).message
    assert len(host.seen) == 4
    host.opinions = host.opinions[:15]  # three full pages and an empty one
    assert (await read(host, paged)).count == 15


async def test_what_is_no_answer_is_called_so_and_says_nothing_of_its_content(host: FakeHost) -> None:
    for body, code, status in (
        ((500, {"secret": "dsn=postgres://"}), "host_unavailable", 503),
        ((429, {}), "host_unavailable", 503),
        ((422, {"secret": "dsn=postgres://"}), "host_unusable", 502),
        ((200, ["no object"]), "host_unusable", 502),
        ((200, {"x": "y" * 20_000}), "host_unusable", 502),
    ):
        host.answers[PATH] = body
        error = await refused(host, status, code, max_bytes=10_000)
        assert "postgres" not in error.message and not error.detail


async def test_answers_of_hosts_on_their_way_are_held_up_to_a_bound_and_one_more_is_told_as_away() -> None:
    size, whole = 4_900_000, HELD_BYTES // 4_900_000
    sent, go_on = [], asyncio.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % size)
        writer.write(b'{"result": {"value": "' + b"x" * (size - 25))
        sent.append(writer)
        await go_on.wait()
        writer.write(b'"}}')
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        base = {"name": "large", "base_url": f"http://{place}", "reads": [PROJECT], "seconds": 30, "max_bytes": 5_000_000}
        (declared,) = hosts_of({"hosts": [base]})
        settings = core_settings.load({"SOURCEBOOK_HOST_ALLOW": place})

        async def one() -> Taken:
            return await host_calls.read(settings, declared, declared.reads[0], VALUES, ADA)

        reading = [asyncio.create_task(one()) for _ in range(whole + 1)]
        ended, _ = await asyncio.wait(reading, timeout=30, return_when=asyncio.FIRST_COMPLETED)
        (refused_one,) = ended
        with pytest.raises(RequestError) as caught:
            refused_one.result()
        assert (caught.value.status, caught.value.code, caught.value.retry_after_s) == (503, "host_unavailable", 5)
        go_on.set()
        taken = await asyncio.gather(*(each for each in reading if each is not refused_one), one())
        assert [each.count for each in taken] == [1] * (whole + 1)  # what was held was given back


async def test_a_redirect_is_not_followed_so_the_token_goes_nowhere_else(host: FakeHost) -> None:
    with FakeHost() as other:
        host.answers[PATH] = redirect(f"http://{other.place}{PATH}")
        await refused(host, 502, "host_unusable", allow=f"{host.place},{other.place}")
        assert other.seen == []


async def test_an_address_inside_is_called_only_where_the_operator_allows_it(host: FakeHost) -> None:
    error = await refused(host, 502, "host_unusable", allow="127.0.0.1:1")
    assert "SOURCEBOOK_HOST_ALLOW" in error.message and host.seen == []
    await refused(host, 502, "host_unusable", base_url="http://169.254.169.254/latest")
    await refused(host, 502, "host_unusable", base_url="http://example.org/")  # a token is never sent without encryption
    assert host.seen == []


async def test_the_allowance_for_pages_is_none_for_hosts(host: FakeHost) -> None:
    (declared,) = hosts_of({"hosts": [host.declared(PROJECT)]})
    settings = core_settings.load({"SOURCEBOOK_URL_ALLOW": host.place})
    with pytest.raises(RequestError):
        await host_calls.read(settings, declared, declared.reads[0], VALUES, ADA)
    assert host.seen == []


async def test_a_host_that_drips_or_is_away_is_left_after_its_time(site: Website) -> None:
    site.pages[PATH] = Answer(headers={"Content-Type": "application/json"}, drip_s=0.05)
    (declared,) = hosts_of({"hosts": [{"name": "slow", "base_url": site.url("/api"), "reads": [PROJECT], "seconds": 0.5}]})
    settings = core_settings.load({"SOURCEBOOK_HOST_ALLOW": site.place})
    for _ in ("drips", "is away"):
        async with asyncio.timeout(20):
            with pytest.raises(RequestError) as caught:
                await host_calls.read(settings, declared, declared.reads[0], VALUES, ADA)
        assert caught.value.code == "host_unavailable" and caught.value.retry_after_s
        site.pages[PATH] = Answer(raw=b"")
