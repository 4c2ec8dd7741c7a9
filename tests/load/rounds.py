"""An agent's answer of three rounds, beside its three calls of the model and its two searches, one after the other."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx2

from tests.load.answers import CHAT_S, EMBEDDED, Desk, bare_search, scripted
from tests.load.bench import Bench
from tests.load.figures import Figure, median, ms, ratio

ROUNDS, WARM = 15, 2
_AGENT = {"profile": {"version": 1, "answer": {"mode": "agent"}}}


async def beside_its_calls(bench: Bench) -> list[Figure]:
    """Asked over HTTP until the end; the model looks twice and answers. An agent's answer is told whole, so the first word is the last."""
    async with scripted(bench, EMBEDDED) as (desk, provider):
        async with desk.db.transaction() as conn:
            await conn.execute("update notebooks set settings = $2 where id = $1", desk.notebook_id, _AGENT)
        ours, parts = [], []
        for number, question in enumerate(desk.questions(ROUNDS + WARM)):
            mine, theirs = await _ours(desk, provider, question), await _parts(desk, provider, question)
            if number >= WARM:
                ours.append(mine)
                parts.append(theirs)
    what = f"an agent's answer of three rounds, each {ms(CHAT_S)}, beside its calls and searches"
    return [
        Figure(
            "AGENT", what, ratio(ours, parts), 1.3, "<=", ms(median(ours)), f"{ms(median(parts))}: {ms(median(ours) - median(parts))} ours"
        )
    ]


def _replies(question: str) -> list[dict[str, Any]]:
    half = question.split()
    queries = [question, " ".join(half[: len(half) // 2 + 1])]
    looks = [{"kind": "chat", "calls": [["search", json.dumps({"query": query})]], "delay_s": CHAT_S} for query in queries]
    return [*looks, {"kind": "chat", "text": "The survey gives twelve metres [1].", "delay_s": CHAT_S}]


async def _ours(desk: Desk, provider: httpx2.AsyncClient, question: str) -> float:
    (await provider.post("/_fake/replies", json=_replies(question))).raise_for_status()
    began = time.perf_counter()
    answer = await desk.http.post(f"/notebooks/{desk.notebook_id}/ask", json={"question": question}, headers={"Accept": "application/json"})
    took = time.perf_counter() - began
    told = answer.json()
    assert told["usage"]["llm_calls"] == 3 and told["citations"], told
    return took


async def _parts(desk: Desk, provider: httpx2.AsyncClient, question: str) -> float:
    (await provider.post("/_fake/replies", json=_replies(question))).raise_for_status()
    began = time.perf_counter()
    for number in range(3):
        body = {"model": "fake-chat", "messages": [{"role": "user", "content": question}]}
        (await provider.post("/v1/chat/completions", json=body)).raise_for_status()
        if number < 2:
            await bare_search(desk, provider, question)
    return time.perf_counter() - began
