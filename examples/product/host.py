"""The evaluation host of the product example: completed evaluations with entities, fits, responses, rejections and a what-if.

A web API of its own. Everything is GET; who asks must bring their token, and sees only their own evaluations. What is sold is told to all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

MINE, FOREIGN = "7d6a1c00-1111-4c4c-8a8a-000000000001", "7d6a1c00-1111-4c4c-8a8a-000000000002"
SITE = "https://lab.example"
ARTICLES = [
    {"name": "Chip C3", "text": "Chips for proteins, box of 10, order number V-310.", "url": f"{SITE}/shop/c3"},
    {"name": "Wash kit", "text": "Cleaning solution for 30 runs of Wash A, order number V-122.", "url": f"{SITE}/shop/wash"},
]
TOKENS = {"lena-token": MINE, "omar-token": FOREIGN}
_FACTS = ("number", "name", "status", "kd_nm", "on_rate", "off_rate", "mark", "peak", "why")
_WHY = "The response stayed below 5 units, and the residuals show a pattern."
_ENTITIES = (
    (1, "K7 wild type", "accepted", 12.4, 210000.0, 0.0026, "A", 38.2, None),
    (2, "K7 mutant", "accepted", 96.0, 98000.0, 0.0094, "B", 21.7, None),
    (3, "K7 scrambled", "rejected", 3.1, 40000.0, 0.0001, "D", 1.9, _WHY),
)
EVALUATIONS: dict[str, dict[str, Any]] = {
    MINE: {
        "title": "Binding of peptide K7",
        "state": "completed",
        "finding": "2 of 3 fits were accepted.",
        "owner_email": "lena@veyra.example",
        "entities": [dict(zip(_FACTS, entity, strict=True)) for entity in _ENTITIES],
    },
    FOREIGN: {"title": "Somebody else's", "state": "completed", "finding": "none", "owner_email": "omar@veyra.example", "entities": []},
}


@dataclass
class Host:
    """The application and a record of what was asked of it: method, path, token."""

    log: list[tuple[str, str, str]] = field(default_factory=list)

    def app(self) -> FastAPI:
        """The web API."""
        app = FastAPI(openapi_url=None)

        @app.middleware("http")
        async def gate(request: Request, call_next: Any) -> Any:
            token = request.headers.get("authorization", "").removeprefix("Bearer ")
            self.log.append((request.method, request.url.path, token))
            if request.url.path == "/catalog.json":  # what is sold is nobody's secret
                return JSONResponse(ARTICLES)
            if token not in TOKENS:
                return JSONResponse({"detail": "Sign in first."}, 401)
            if TOKENS[token] not in request.url.path:
                return JSONResponse({"detail": "There is no such evaluation."}, 404)
            return await call_next(request)

        @app.get("/api/evaluations/{evaluation_id}")
        async def get_evaluation(evaluation_id: str) -> dict[str, Any]:
            return {name: value for name, value in EVALUATIONS[evaluation_id].items() if name != "entities"}

        @app.get("/api/evaluations/{evaluation_id}/entities")
        async def list_entities(evaluation_id: str) -> dict[str, Any]:
            return {"items": [{name: one[name] for name in ("number", "name", "status")} for one in EVALUATIONS[evaluation_id]["entities"]]}

        @app.get("/api/evaluations/{evaluation_id}/entities/{number}/{part}")
        async def get_part(evaluation_id: str, number: int, part: str) -> Any:
            one = next((entity for entity in EVALUATIONS[evaluation_id]["entities"] if entity["number"] == number), None)
            names = {"fit": ("kd_nm", "on_rate", "off_rate", "mark"), "response": ("peak",), "rejection": ("why",)}.get(part)
            if one is None or names is None:
                return JSONResponse({"detail": "There is no such entity."}, 404)
            plot = {"plot": f"{part}-{number}.png"} if part == "response" else {}
            return {**{name: one[name] for name in ("name", "status", *names)}, **plot}

        @app.get("/api/evaluations/{evaluation_id}/what-if/{number}")
        async def what_if(evaluation_id: str, number: int, concentration_nm: float, contact_s: float) -> Any:
            one = next(entity for entity in EVALUATIONS[evaluation_id]["entities"] if entity["number"] == number)
            rate = one["on_rate"] * concentration_nm * 1e-9 + one["off_rate"]
            share = concentration_nm / (concentration_nm + one["kd_nm"]) * (1 - math.exp(-rate * contact_s))
            asked = {"concentration_nm": concentration_nm, "contact_s": contact_s}
            return {"name": one["name"], **asked, "share_bound_percent": round(100 * share, 1)}

        return app
