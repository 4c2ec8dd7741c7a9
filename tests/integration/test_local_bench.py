"""A model in a process of its own: it may be killed, hang, be left by its caller; the next piece of work is done all the same."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from sourcebook_models.bench import Bench
from sourcebook_models.line import Full
from sourcebook_models.refused import Refused
from tests.rig import until

MODULE = "tests.fakes.bench_child"


def bench(*, most: int = 3, silent_s: float = 30.0, idle_s: float = 60.0) -> Bench:
    return Bench(MODULE, [], most=most, silent_s=silent_s, idle_s=idle_s)


@pytest.fixture
async def mine() -> AsyncIterator[Bench]:
    made = bench()
    yield made
    await made.close()


async def test_one_process_does_all_work(mine: Bench) -> None:
    assert mine.state == "off"
    first = await mine.ask({}, lambda: b"12345")
    assert first["bytes"] == 5
    assert (await mine.ask({}, lambda: b"x" * 3_000_000)) == {"pid": first["pid"], "bytes": 3_000_000}
    assert mine.state == "idle"


async def test_a_killed_process_is_started_again_and_the_work_is_done(mine: Bench) -> None:
    before = (await mine.ask({}, bytes))["pid"]
    os.kill(before, signal.SIGKILL)
    assert (await mine.ask({}, bytes))["pid"] != before


async def test_work_that_ends_the_process_twice_is_refused_and_the_next_is_done(mine: Bench) -> None:
    with pytest.raises(Refused, match="twice"):
        await mine.ask({"end": True}, bytes)
    assert (await mine.ask({}, bytes))["pid"]


async def test_what_is_refused_keeps_the_process(mine: Bench) -> None:
    before = (await mine.ask({}, bytes))["pid"]
    with pytest.raises(Refused, match="blank"):
        await mine.ask({"refuse": True}, bytes)
    assert (await mine.ask({}, bytes))["pid"] == before


async def test_a_silent_process_is_killed_and_one_that_goes_on_is_not() -> None:
    mine = bench(silent_s=4.0)
    before = (await mine.ask({}, bytes))["pid"]
    with pytest.raises(Refused, match="too long"):
        await mine.ask({"hang": "silent"}, bytes)
    await until(lambda: not Path(f"/proc/{before}").exists() if Path("/proc").exists() else True)
    working = asyncio.create_task(mine.ask({"hang": "going on"}, bytes))
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(asyncio.shield(working), 6.0)  # longer than the silence that is allowed
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)
    await mine.close()


async def test_a_full_bench_says_when_to_come_back_and_a_caller_who_left_frees_it(mine: Bench) -> None:
    first = asyncio.create_task(mine.ask({"hang": "going on"}, bytes))
    others = [asyncio.create_task(mine.ask({}, bytes)) for _ in range(2)]
    await until(lambda: mine.waiting == 3)
    with pytest.raises(Full) as caught:
        await mine.ask({}, bytes)
    assert 1 <= caught.value.retry_after_s <= 10
    first.cancel()  # the caller went away: the process at its work is ended, and the others get theirs done
    assert all(reply["pid"] for reply in await asyncio.gather(*others))


async def test_after_a_while_without_work_its_memory_is_given_back() -> None:
    mine = bench(idle_s=0.2)
    await mine.ask({}, bytes)
    await until(lambda: mine.state == "off")
    assert (await mine.ask({}, bytes))["pid"]
    await mine.close()


async def test_the_process_ends_with_its_parent(mine: Bench) -> None:
    await mine.ask({}, bytes)
    process = mine._process
    assert process is not None and process.stdin is not None
    process.stdin.close()
    assert await asyncio.wait_for(process.wait(), 30) != 0
