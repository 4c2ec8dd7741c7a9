"""The local model server: OpenAI's embeddings and models routes over the embedding model on this machine."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sourcebook_models import embeddings
from sourcebook_models.embedder import LIMIT_TOKENS, MODEL, Embedder
from sourcebook_models.line import Line


def build(data_dir: Path | None) -> Starlette:
    """The ASGI application; `data_dir` keeps the language means (`models/` in it), None computes them at each start."""
    embedder = Embedder(data_dir / "models" if data_dir is not None else None)
    line = Line(embedder.embed, embedder.warm)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        line.start()
        yield
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
        return JSONResponse({"object": "list", "data": [listed]})

    async def healthz(_: Request) -> Response:
        questions, passages = line.waiting
        return JSONResponse({"status": "ok", "waiting_questions": questions, "waiting_passages": passages})

    routes = [
        Route("/v1/embeddings", embed, methods=["POST"]),
        Route("/v1/models", models),
        Route("/healthz", healthz),
    ]
    return Starlette(routes=routes, lifespan=lifespan)
