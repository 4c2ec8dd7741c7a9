"""R13: tokens a second to one reader through the whole gateway, beside a bare StreamingResponse."""

from __future__ import annotations

import asyncio
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

from sourcebook_core import bell, events
from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.events import Done, Open, Token
from sourcebook_core.settings import Settings
from sourcebook_core.store.people import LOCAL_OWNER
from tests import rows
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ratio
from tests.rig import free_port, until

TOKEN = "token "
TOKENS = 15_000  # a stream keeps 20,000 entries
ROUNDS = 9
FENCE = 1


async def tokens_a_second(bench: Bench) -> list[Figure]:
    """The turn's stream lies in Redis when the reader comes: what is measured is the way from there to the socket."""
    environment = bench.environment()
    settings = core_settings.load(environment)
    token = Path(environment["SOURCEBOOK_DATA_DIR"], "owner-token").read_text()
    with bench.processes(environment) as processes, _bare_server() as bare_port:
        gateway = processes.start("gateway")
        turn_id = await _written_turn(settings)
        ours, bare = [], []
        await until(lambda: _is_up(bare_port))
        for _ in range(ROUNDS):
            ours.append(await _read(settings.port, f"/api/v1/turns/{turn_id}/events", token))
            bare.append(await _read(bare_port, "/", ""))
        assert gateway.is_alive
    mine, theirs = TOKENS / median(ours), TOKENS / median(bare)
    what = "tokens/s to one reader, beside a bare StreamingResponse"
    return [Figure("R13", what, 1 / ratio(ours, bare), 0.6, ">=", f"{mine:.0f}/s", f"{theirs:.0f}/s")]


async def _written_turn(settings: Settings) -> UUID:
    """A turn that is being answered, whose whole stream has been written."""
    db, redis = await Db.open(settings), bell.connect(settings)
    notebook = rows.Notebook(uuid4(), LOCAL_OWNER)
    async with db.transaction() as conn:
        await conn.execute(
            "insert into notebooks (id, owner_id, title, recipe_id) values ($1, $2, 'Bench', $3)", notebook.id, LOCAL_OWNER, rows.RECIPE
        )
        turn_id = await rows.turn(conn, notebook, "What is told?")
        conversation_id = await conn.fetchval(
            "update turns set status = 'running', fence = $2, opened_at = now() where id = $1 returning conversation_id", turn_id, FENCE
        )
    key = events.turn_stream(turn_id, FENCE)
    await events.append(redis, key, [Open(turn_id=turn_id, conversation_id=conversation_id, passages=8)])
    for first in range(0, TOKENS, 500):
        await events.append(redis, key, [Token(text=TOKEN, at=place * len(TOKEN)) for place in range(first, first + 500)])
    await events.append(redis, key, [Done(turn_id=turn_id, finish="complete", answer="")])
    await redis.aclose()
    await db.close()
    return turn_id


async def _read(port: int, path: str, token: str) -> float:
    """Seconds from the request to the last frame; every token must have come."""
    began = time.perf_counter()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    head = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAccept: text/event-stream\r\nAuthorization: Bearer {token}\r\n\r\n"
    writer.write(head.encode())
    pieces = [b""]
    while b"event: done" not in pieces[-2:][0] + pieces[-1]:
        pieces.append(await reader.read(1 << 18))
        assert pieces[-1], b"".join(pieces)[:400]
    took = time.perf_counter() - began
    writer.close()
    count = b"".join(pieces).count(b"event: token")
    assert count == TOKENS, f"{count} of {TOKENS} tokens came"
    return took


@contextlib.contextmanager
def _bare_server() -> Iterator[int]:
    port = free_port()
    child = subprocess.Popen([sys.executable, "-m", "tests.load.bare_stream", str(port)], cwd=Path(__file__).parents[2])
    try:
        yield port
    finally:
        child.kill()
        child.wait()


async def _is_up(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
