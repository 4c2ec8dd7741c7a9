"""Tools over the documents: search, the list of documents, more of a passage. All read the scope again, so a revoked grant counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sourcebook_core import jobs
from sourcebook_core.providers.tool_calls import Tool
from sourcebook_core.store import explained, scopes
from sourcebook_core.text import language
from sourcebook_rag.answer import compose, embedding, seek, tool_words
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.gathered import Gathered
from sourcebook_rag.answer.run import Run

QUERY_CHARS = 400
AROUND_CHARS = 1500  # on either side of a passage that is read on
SEARCH = Tool(
    "search",
    "Searches the documents by words and by meaning, and gives the best passages with the numbers to cite.",
    {
        "type": "object",
        "properties": {"query": {"type": "string", "maxLength": QUERY_CHARS, "description": "What is looked for, as a short question."}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
LIST = Tool(
    "list_sources", "Lists the documents that can be searched.", {"type": "object", "properties": {}, "additionalProperties": False}
)
READ = Tool(
    "read_passage",
    "Reads on around a passage that was found: the text before and after it, under the same number.",
    {
        "type": "object",
        "properties": {"n": {"type": "integer", "minimum": 1, "description": "The number of the passage."}},
        "required": ["n"],
        "additionalProperties": False,
    },
)


def offered(asked: Asked) -> list[Tool]:
    """The tools that this profile allows: where no names reach the model, there is no list of them (S3-07)."""
    knobs = asked.profile.prompt
    return [SEARCH, READ, *([LIST] if knobs.gives_list else [])]


async def search(run: Run, asked: Asked, gathered: Gathered, given: Mapping[str, Any], fence: str, most_bytes: int) -> str:
    """Passages for a query, numbered. Raises PermanentError `not_found` when what is asked went, DatabaseAway, Overtaken."""
    query = given.get("query")
    if not isinstance(query, str) or not query.strip() or len(query) > QUERY_CHARS:
        return tool_words.unavailable(f"query must be a text of 1 to {QUERY_CHARS} characters")
    knobs = asked.taken.retrieval
    role = asked.question_role if knobs.mode != "lexical" else None
    async with jobs.holding(run.deps.db, run.work) as conn:
        question = await embedding.begin(conn, run, asked.scope, query.strip(), language.identify(query), role, asked.turn.id)
    embedded = await embedding.embed_question(run, question)
    if embedded.bill is not None:
        async with jobs.holding(run.deps.db, run.work) as conn:
            await embedding.settle(conn, embedded)
    found = await seek.find(run, asked.scope, question, embedded, knobs, context=asked.taken.context)
    if not found.passages:
        return tool_words.no_result("nothing in the documents is near this")
    with_names = asked.profile.prompt.gives_titles
    parts: list[str] = []
    size = 0
    for passage in found.passages:  # only what is told gets a number
        size += len(passage.chunk.text.encode())
        if parts and size > most_bytes:
            break
        parts.append(compose.numbered(passage, gathered.number(passage), fence, with_names=with_names))
    return "\n\n".join(parts)


async def list_sources(run: Run, asked: Asked, fence: str, most_bytes: int) -> str:
    """The documents as they are granted now."""
    async with run.deps.db.snapshot() as conn:
        scope = await scopes.again(conn, asked.scope)
    if scope is None or not scope.granted:
        return tool_words.no_result("there is no document")
    return tool_words.block(compose.document_list(scope.granted), fence, most_bytes)


async def read_passage(run: Run, asked: Asked, gathered: Gathered, given: Mapping[str, Any], fence: str, most_bytes: int) -> str:
    """A found passage with the words around it."""
    n = given.get("n")
    passage = gathered.at(n) if isinstance(n, int) and not isinstance(n, bool) else None
    if passage is None or not isinstance(n, int):
        return tool_words.not_found("no passage has this number")
    chars = min(AROUND_CHARS, max(0, (most_bytes - len(passage.chunk.text.encode())) // 8))  # UTF-8 takes up to four bytes a sign
    async with run.deps.db.snapshot() as conn:
        scope = await scopes.enter_again(conn, asked.scope)
        wider = await explained.around(conn, scope, passage.chunk, chars) if scope is not None else None
    if wider is None:
        return tool_words.not_found("this passage is no longer there")
    return compose.numbered(gathered.widen(n, wider), n, fence, with_names=asked.profile.prompt.gives_titles)
