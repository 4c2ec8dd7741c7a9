"""The local model server: OpenAI's routes over the small models on this machine."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sourcebook_core.local_models import OCR_MODEL, SPEECH_MODEL, Readers
from sourcebook_models import embeddings, pictures, recordings
from sourcebook_models.bench import Bench
from sourcebook_models.embedder import LIMIT_TOKENS, MODEL, Embedder
from sourcebook_models.line import Line
from sourcebook_models.local_chat import LocalChat
from sourcebook_models.refused import Refused, json_body

CHAT_BODY_BYTES = 1_000_000
NO_READERS = Readers(None, None)


@dataclass(frozen=True)
class Parts:
    """What this server runs beside the embedding model; None for what is not installed or not asked for."""

    folder: Path | None = None  # keeps the language means; without one they are computed at each start
    chat: LocalChat | None = None
    readers: Readers = NO_READERS
    reading: Bench | None = None
    listening: Bench | None = None
    recording_bytes: int = 26_214_400


def build(parts: Parts) -> Starlette:
    """The ASGI application."""
    embedder = Embedder(parts.folder)
    line = Line(embedder.embed, embedder.warm)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        line.start()
        try:
            async with parts.chat.running() if parts.chat is not None else nullcontext():
                yield
        finally:
            for bench in filter(None, (parts.reading, parts.listening)):
                await bench.close()
            line.close()

    async def embed(request: Request) -> Response:
        return await embeddings.answer(request, embedder, line)

    async def models(_: Request) -> Response:
        listed = {
            "id": MODEL,
            "object": "model",
            "owned_by": "sourcebook",
            "role": "embedding",
            "context_tokens": LIMIT_TOKENS,
            "dimension": embedder.dimension,
            "centring": embedder.centring,
            "languages": embedder.languages,
            "max_texts": embeddings.MAX_TEXTS,
        }
        return JSONResponse({"object": "list", "data": [listed, *_others(parts)]})

    async def complete(request: Request) -> Response:
        try:
            body = await json_body(request, pictures.MAX_BODY_BYTES if parts.reading is not None else CHAT_BODY_BYTES)
        except Refused as refused:
            return refused.response()
        return await _completed(request, body, parts)

    async def transcribe(request: Request) -> Response:
        return await recordings.answer(request, parts.listening, parts.recording_bytes)

    async def healthz(_: Request) -> Response:
        questions, passages = line.waiting
        state: dict[str, str] = {"writer": parts.chat.state if parts.chat is not None else "off"}
        state |= {name: bench.state if bench is not None else "none" for name, bench in _benches(parts)}
        return JSONResponse({"status": "ok", "waiting_questions": questions, "waiting_passages": passages, **state})

    routes = [
        Route("/v1/embeddings", embed, methods=["POST"]),
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/v1/audio/transcriptions", transcribe, methods=["POST"]),
        Route("/v1/models", models),
        Route("/healthz", healthz),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _benches(parts: Parts) -> tuple[tuple[str, Bench | None], ...]:
    return ("reading", parts.reading), ("listening", parts.listening)


async def _completed(request: Request, body: object, parts: Parts) -> Response:
    """A chat completion by the model that the body names: the picture reader, else the writing model."""
    if isinstance(body, dict) and body.get("model") == OCR_MODEL:
        if parts.reading is None:
            sentence = "No picture reader is installed here. Install tesseract or the extra local, or connect one under Models."
            return Refused(sentence, status=404, code="model_not_found", param="model").response()
        return await pictures.answer(request, body, parts.reading)
    if parts.chat is None:
        return Refused("No writing model runs here. Set SOURCEBOOK_LOCAL_CHAT, or connect one under Models.", status=404).response()
    if int(request.headers.get("content-length", 0)) > CHAT_BODY_BYTES:
        return Refused(f"The request is larger than {CHAT_BODY_BYTES} bytes.", status=413).response()
    return await parts.chat.answer(request, body)


def _others(parts: Parts) -> list[dict[str, object]]:
    """What else is installed, each with the role it serves."""
    common = {"object": "model", "owned_by": "sourcebook"}
    found: list[dict[str, object]] = []
    if parts.reading is not None:
        found.append({"id": OCR_MODEL, **common, "role": "vision", "reader": parts.readers.words, "languages": parts.readers.languages})
    if parts.listening is not None:
        found.append({"id": SPEECH_MODEL, **common, "role": "speech"})
    if parts.chat is not None:
        chat = parts.chat
        facts = {"context_tokens": chat.choice.context_tokens, "state": chat.state, "why": chat.why}
        found.append({"id": chat.model, **common, "role": "chat", **facts})
    return found
