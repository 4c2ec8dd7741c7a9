"""The local model server: OpenAI's embeddings and models routes over the embedding model on this machine."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sourcebook_models import embeddings
from sourcebook_models.embedder import LIMIT_TOKENS, MODEL, Embedder
from sourcebook_models.line import Line
from sourcebook_models.local_chat import LocalChat
from sourcebook_models.refused import Refused


def build(folder: Path | None, chat: LocalChat | None = None) -> Starlette:
    """The ASGI application; `folder` keeps the language means (None: computed at each start), `chat` is the writing model."""
    embedder = Embedder(folder)
    line = Line(embedder.embed, embedder.warm)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        line.start()
        try:
            async with chat.running() if chat is not None else nullcontext():
                yield
        finally:
            line.close()

    async def embed(request: Request) -> Response:
        return await embeddings.answer(request, embedder, line)

    async def models(_: Request) -> Response:
        listed = {
            "id": MODEL,
            "object": "model",
            "owned_by": "sourcebook",
            "context_tokens": LIMIT_TOKENS,
            "dimension": embedder.dimension,
            "centring": embedder.centring,
            "languages": embedder.languages,
            "max_texts": embeddings.MAX_TEXTS,
        }
        return JSONResponse({"object": "list", "data": [listed, *_writers(chat)]})

    async def complete(request: Request) -> Response:
        if chat is None:
            return Refused("No writing model runs here. Set SOURCEBOOK_LOCAL_CHAT, or connect one under Models.", status=404).response()
        return await chat.answer(request)

    async def healthz(_: Request) -> Response:
        questions, passages = line.waiting
        writer = chat.state if chat is not None else "off"
        return JSONResponse({"status": "ok", "waiting_questions": questions, "waiting_passages": passages, "writer": writer})

    routes = [
        Route("/v1/embeddings", embed, methods=["POST"]),
        Route("/v1/chat/completions", complete, methods=["POST"]),
        Route("/v1/models", models),
        Route("/healthz", healthz),
    ]
    return Starlette(routes=routes, lifespan=lifespan)


def _writers(chat: LocalChat | None) -> list[dict[str, object]]:
    if chat is None:
        return []
    return [
        {
            "id": chat.model,
            "object": "model",
            "owned_by": "sourcebook",
            "context_tokens": chat.choice.context_tokens,
            "state": chat.state,
            "why": chat.why,
        }
    ]
