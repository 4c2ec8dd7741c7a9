"""POST /v1/embeddings: checks a request in OpenAI's form, sends it down the line, shapes the answer."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sourcebook_models.embedder import LIMIT_TOKENS, LONGEST_CHARS, MODEL, Embedder, Mode, Vector
from sourcebook_models.line import Full, Line, Text
from sourcebook_models.presence import GONE_STATUS, unless_gone
from sourcebook_models.refused import Refused, json_body

MAX_TEXTS = 64
MAX_BODY_BYTES = 4_000_000  # 64 texts at the limit are below 1 MB in any script
PREFIXES: tuple[tuple[str, Mode], ...] = (("query: ", "query"), ("passage: ", "passage"))


@dataclass(frozen=True)
class Asked:
    """A request that was read: its texts as given, each with the language said for it, and how to answer."""

    texts: list[str]
    languages: list[str]
    encoding: Literal["float", "base64"]


async def answer(request: Request, embedder: Embedder, line: Line) -> Response:
    """The vectors of a request's texts, or OpenAI's error object."""
    try:
        asked = read(await json_body(request, MAX_BODY_BYTES), request.headers.get("x-language", ""), embedder.dimension)
        texts = await run_in_threadpool(prepared, asked, embedder)
        vectors = await unless_gone(request, line.embed(texts))
    except Full as full:
        refused = Refused("The line is full. Send it again later.", status=429, code="rate_limit_exceeded")
        return refused.response({"Retry-After": str(full.retry_after_s)})
    except Refused as refused:
        return refused.response()
    if vectors is None:
        return Response(status_code=GONE_STATUS)
    by_text = {(text.text, text.mode): dict(zip(text.languages, row, strict=True)) for text, row in zip(texts, vectors, strict=True)}
    rows = []
    for given, language in zip(asked.texts, asked.languages, strict=True):
        text, mode, _ = told_apart(given)
        rows.append(by_text[text, mode][embedder.language_of(text, language)])
    return JSONResponse(_shaped(rows, asked.encoding, sum(text.tokens for text in texts)))


def read(body: object, languages: str, dimension: int) -> Asked:
    """Check the form of a request; `languages` is the header X-Language: one for all texts, or one per text, comma between.

    Raises Refused naming the field.
    """
    if not isinstance(body, dict):
        raise Refused("The request is not a JSON object.")
    if body.get("model") not in (None, MODEL):
        raise Refused(f"This server has only the model {MODEL}.", status=404, code="model_not_found", param="model")
    if body.get("dimensions") not in (None, dimension):
        raise Refused(f"The model gives {dimension} numbers a text.", param="dimensions")
    encoding = body.get("encoding_format") or "float"
    if encoding not in ("float", "base64"):
        raise Refused("encoding_format is float or base64.", param="encoding_format")
    texts = _texts(body.get("input"))
    named = [part.strip() for part in languages.split(",")] if languages.strip() else [""]
    if len(named) not in {1, len(texts)}:
        raise Refused(f"X-Language names {len(named)} languages for {len(texts)} texts.", param="X-Language")
    return Asked(texts, named * len(texts) if len(named) == 1 else named, "base64" if encoding == "base64" else "float")


def _texts(given: object) -> list[str]:
    texts: Sequence[Any] = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    if not texts:
        raise Refused("input is a text or a list of texts.", param="input")
    if len(texts) > MAX_TEXTS:
        raise Refused(f"At most {MAX_TEXTS} texts a request, got {len(texts)}.", param="input")
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise Refused("input holds something that is not a text; token numbers are not taken.", param=f"input.{place}")
        if not told_apart(text)[0].strip():
            raise Refused(f"Text {place} is empty.", param=f"input.{place}")
    return list(texts)


def told_apart(given: str) -> tuple[str, Mode, bool]:
    """Text without its e5 prefix, the mode the prefix decides, and whether it is a waiting question.

    Text without a prefix is taken as e5's authors advise for symmetric use, as a query, but waits like a passage.
    """
    for prefix, mode in PREFIXES:
        if given.startswith(prefix):
            return given[len(prefix) :], mode, mode == "query"
    return given, "query", False


def prepared(asked: Asked, embedder: Embedder) -> list[Text]:
    """The distinct texts of a request with their languages and token counts; raises Refused over the model's limit.

    The same text under two languages is one piece of work: the model runs once and the vector is centred twice.
    """
    languages: dict[tuple[str, Mode, bool], list[str]] = {}
    counts: dict[tuple[str, Mode], int] = {}
    for place, (given, named) in enumerate(zip(asked.texts, asked.languages, strict=True)):
        text, mode, is_question = told_apart(given)
        tokens = embedder.token_count(text, mode) if len(text) <= LONGEST_CHARS else LIMIT_TOKENS + 1
        if tokens > LIMIT_TOKENS:
            said = f"has {tokens} tokens" if len(text) <= LONGEST_CHARS else "is far too long"
            message = f"Text {place} {said}; the model takes {LIMIT_TOKENS}. Send it in pieces."
            raise Refused(message, code="context_length_exceeded", param=f"input.{place}")
        counts[text, mode] = tokens
        wanted = languages.setdefault((text, mode, is_question), [])
        language = embedder.language_of(text, named)
        if language not in wanted:
            wanted.append(language)
    return [Text(text, mode, tuple(wanted), counts[text, mode], is_question) for (text, mode, is_question), wanted in languages.items()]


def _shaped(rows: Sequence[Vector], encoding: str, tokens: int) -> dict[str, Any]:
    def form(vector: Vector) -> object:
        return base64.b64encode(vector.astype("<f4").tobytes()).decode() if encoding == "base64" else vector.tolist()

    return {
        "object": "list",
        "model": MODEL,
        "data": [{"object": "embedding", "index": place, "embedding": form(vector)} for place, vector in enumerate(rows)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }
