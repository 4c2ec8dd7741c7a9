"""A question over MCP beside the same one over HTTP, and an assistant's publication beside the searches of its questions."""

from __future__ import annotations

import time
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests import rows
from tests.load.answers import EMBEDDED, Desk, bare_search, desk, scripted
from tests.load.bench import Bench
from tests.load.corpus import Model
from tests.load.figures import Figure, median, ms, ratio
from tests.rig import until

ROUNDS, WARM = 20, 3
QUESTIONS, PUBLICATIONS = 40, 3
JSON = {"Accept": "application/json"}


async def over_mcp(bench: Bench) -> list[Figure]:
    """The SDK's client and a plain one in turns, in one notebook, answered with quotes: no model hides what the face costs."""
    with bench.processes(bench.environment(ASKS_PER_MINUTE="0", SEARCHES_PER_MINUTE="0")) as processes:
        async with desk(processes, processes.environment, Model(), is_plain=False) as made:
            address, headers = str(made.http.base_url).split("/api/")[0], {"Authorization": made.http.headers["Authorization"]}
            async with (
                httpx2.AsyncClient(headers=headers, timeout=60) as http,
                Client(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
            ):
                ask = await _in_turns(made, client, "ask", "question")
                search = await _in_turns(made, client, "search", "query")
    return [_figure("MCP", "an answer over MCP, beside HTTP", ask), _figure("MCP", "a search over MCP, beside HTTP", search)]


async def _in_turns(made: Desk, client: Client, name: str, field: str) -> list[tuple[float, float]]:
    took = []
    for question in made.questions(ROUNDS + WARM):
        began = time.perf_counter()
        told = await client.call_tool(name, {field: question, "notebook": str(made.notebook_id)})
        between = time.perf_counter()
        answer = await made.http.post(f"/notebooks/{made.notebook_id}/{name}", json={field: question}, headers=JSON)
        took.append((between - began, time.perf_counter() - between))
        assert not told.is_error and answer.status_code == 200, (told.content, answer.text)
    return took[WARM:]


def _figure(name: str, what: str, took: list[tuple[float, float]]) -> Figure:
    ours, other = [one[0] for one in took], [one[1] for one in took]
    return Figure(name, what, ratio(ours, other), 1.5, "<=", ms(median(ours)), ms(median(other)))


async def publication(bench: Bench) -> list[Figure]:
    """All test questions of an assistant searched for its publication, by question; beside the bare search of each."""
    async with scripted(bench, EMBEDDED) as (made, provider):
        questions = made.questions(QUESTIONS)
        path = await _assistant(made, questions)
        ours, parts = [], []
        for _ in range(PUBLICATIONS):
            began = time.perf_counter()
            told: dict[str, Any] = (await made.http.post(f"{path}/publish", json={"when": "never"}, headers=JSON)).json()
            between = time.perf_counter()
            assert told["total"] == QUESTIONS, told
            for question in questions:
                await bare_search(made, provider, question)
            ours.append((between - began) / QUESTIONS)
            parts.append((time.perf_counter() - between) / QUESTIONS)
    what = f"publishing an assistant, by each of {QUESTIONS} questions, beside embedding and bare SQL"
    return [Figure("PUB", what, ratio(ours, parts), 2, "<=", ms(median(ours)), ms(median(parts)))]


async def _assistant(made: Desk, questions: list[str]) -> str:
    """The path of an assistant that holds the notebook's sources, with its test questions."""
    about = {"name": "Bench", "profile": "notebook", "recipe": rows.RECIPE}
    path = f"/assistants/{(await made.http.post('/assistants', json=about, headers=JSON)).json()['id']}"
    ids = [str(one) for one in made.source_ids]
    (await made.http.put(f"{path}/sources", json={"source_ids": ids}, headers=JSON)).raise_for_status()

    async def is_cut() -> bool:
        return bool((await made.http.get(path, headers=JSON)).json()["sources"]["pending"] == 0)

    await until(is_cut, 60, "the assistant's sources to be cut")
    for question in questions:
        (await made.http.post(f"{path}/questions", json={"question": question, "source_ids": ids[:1]}, headers=JSON)).raise_for_status()
    return path
