"""Liveness, readiness, metrics: outside /api/v1, for machines."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from sourcebook_gateway import condition, metrics
from sourcebook_gateway.deps import SharedDep
from sourcebook_gateway.json_answers import JsonAnswer

router = APIRouter(tags=["operations"])


@router.get("/healthz", summary="Alive")
async def healthz() -> dict[str, str]:
    """The process answers; nothing else is looked at."""
    return {"status": "ok"}


@router.get("/readyz", summary="Ready", response_model=dict[str, Any])
async def readyz(shared: SharedDep) -> Response:
    """Each dependency, queue depth and age, live workers; 503 while the database or the storage is away."""
    found = await condition.look(shared)
    return JsonAnswer(found.ready(), status_code=200 if found.is_ready else 503)


@router.get("/metrics", summary="Prometheus metrics", response_class=Response)
async def metrics_page(shared: SharedDep) -> Response:
    """Requests and streams of this process; queues and workers as the database has them."""
    found = await condition.look(shared)
    return Response(generate_latest(metrics.REGISTRY) + found.prometheus(), media_type=CONTENT_TYPE_LATEST)
