"""R14 and F14: three hundred answers told at once, thirty tokens a second each, through one gateway with a small pool."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx2
from redis.asyncio import Redis

from sourcebook_core import bell, events
from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.events import Done, Open, Token
from sourcebook_core.store.people import LOCAL_OWNER
from tests import rows
from tests.load.bench import Bench
from tests.load.figures import Figure, median, percentile

STREAMS, PER_S, SECONDS = 300, 30, 10
POOL, LOOK_S = 10, 0.2
TOKEN = "token "
FENCE = 1
JOINING_S = 30.0


async def three_hundred(bench: Bench) -> list[Figure]:
    """How long each answer takes its reader from the first token to the end, beside the time in which it was written."""
    environment = bench.environment(DATABASE_POOL=str(POOL))
    settings = core_settings.load(environment)
    token = Path(environment["SOURCEBOOK_DATA_DIR"], "owner-token").read_text()
    with bench.processes(environment) as processes:
        gateway = processes.start("gateway")
        db, redis = await Db.open(settings), bell.connect(settings)
        turns = await _running(db, redis)
        joined = asyncio.Semaphore(0)
        reading = [asyncio.create_task(_read(settings.port, turn_id, token, joined)) for turn_id in turns]
        async with asyncio.timeout(JOINING_S):
            for _ in turns:
                await joined.acquire()
        answered: list[float] = []
        looking = asyncio.create_task(_look(settings.port, answered))
        written = await _write(redis, turns)
        took = sorted(await asyncio.gather(*reading))
        assert not looking.done(), looking
        looking.cancel()
        await redis.aclose()
        await db.close()
        assert gateway.is_alive
    p95 = took[int(0.95 * len(took))]
    what = f"p95 duration of {STREAMS} streams of {PER_S} tokens/s, beside the writing"
    return [
        Figure("R14", what, p95 / written, 1.10, "<=", f"{p95:.2f} s, p50 {median(took):.2f} s", f"{written:.2f} s"),
        Figure(
            "F14", f"seconds of /readyz meanwhile, p95, a pool of {POOL}", percentile(answered, 0.95), 1, "<=", f"{len(answered)} looks"
        ),
    ]


async def _look(port: int, answered: list[float]) -> None:
    """Ask the gateway how it is, several times a second, until cancelled."""
    async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        while True:
            began = time.perf_counter()
            assert (await http.get("/readyz")).json()["checks"]["database"] in ("good", "slow")
            answered.append(time.perf_counter() - began)
            await asyncio.sleep(LOOK_S)


async def _running(db: Db, redis: Redis) -> list[UUID]:
    """Turns that are being answered, opened to their readers."""
    notebook = rows.Notebook(uuid4(), LOCAL_OWNER)
    made = []
    async with db.transaction() as conn:
        await conn.execute(
            "insert into notebooks (id, owner_id, title, recipe_id) values ($1, $2, 'Bench', $3)", notebook.id, LOCAL_OWNER, rows.RECIPE
        )
        for _ in range(STREAMS):
            made.append(await rows.turn(conn, notebook, "What is told?"))
        await conn.execute("update turns set status = 'running', fence = $1, opened_at = now()", FENCE)
    for turn_id in made:
        await events.append(redis, events.turn_stream(turn_id, FENCE), [Open(turn_id=turn_id, conversation_id=uuid4(), passages=8)])
    return made


async def _write(redis: Redis, turns: list[UUID]) -> float:
    """Seconds from the first token to the end; every stream gets one token in each thirtieth of a second."""
    keys = [events.turn_stream(turn_id, FENCE) for turn_id in turns]
    began = time.perf_counter()
    for place in range(PER_S * SECONDS):
        entry: dict[Any, Any] = {"e": Token(text=TOKEN, at=place * len(TOKEN)).model_dump_json()}
        async with redis.pipeline(transaction=False) as pipe:
            for key in keys:
                pipe.xadd(key, entry)
            await pipe.execute()
        await asyncio.sleep(max(0.0, began + (place + 1) / PER_S - time.perf_counter()))  # the pace that is measured
    for turn_id, key in zip(turns, keys, strict=True):
        await events.append(redis, key, [Done(turn_id=turn_id, finish="complete", answer="")])
    return time.perf_counter() - began


async def _read(port: int, turn_id: UUID, token: str, joined: asyncio.Semaphore) -> float:
    """Seconds from the first token to the last frame, for one reader; every token must have come."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    path = f"/api/v1/turns/{turn_id}/events"
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
    writer.write(head.encode())
    tail, count, began, is_over = b"", 0, 0.0, False
    while not is_over:
        piece = await reader.read(1 << 16)
        assert piece, f"the stream ended after {count} tokens"
        seen = tail + piece  # `tail` is shorter than what is looked for: nothing is counted twice
        if began == 0.0 and b"event: open" in seen:
            joined.release()
        if began == 0.0 and b"event: token" in seen:
            began = time.perf_counter()
        count += seen.count(b"event: token")
        is_over = b"event: done" in seen
        tail = seen[-10:]
    writer.close()
    assert count == PER_S * SECONDS, f"{count} of {PER_S * SECONDS} tokens came"
    return time.perf_counter() - began
