"""Running the server: model roles, health, jobs."""

from __future__ import annotations

from dataclasses import asdict
from uuid import UUID

from sourcebook_core import events, new_space, roles
from sourcebook_core.errors import RequestError, SourcebookError
from sourcebook_core.providers import listing
from sourcebook_core.settings import RoleName
from sourcebook_core.store import health, jobs, sources
from sourcebook_gateway import VERSION, condition, roles_shown
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.routes.asking import awaited
from sourcebook_gateway.shapes.admin import (
    FailedRead,
    FoundServer,
    HealthLine,
    HealthRead,
    JobRead,
    ModelList,
    ModelSet,
    ModelTestAsk,
    ModelTested,
    QueueRead,
    WorkerRead,
)
from sourcebook_gateway.shapes.lists import Listed

router = gated_router("admin")


@router.get("/admin/models", summary="Model roles", openapi_extra=needs("admin"))
async def list_models(shared: SharedDep) -> ModelList:
    """Every role as it holds now, and the model servers that answer on this machine."""
    found = await listing.discover()
    async with shared.db.transaction() as conn:
        items = await roles_shown.all_roles(conn, shared.settings)
    return ModelList(items=items, found=[FoundServer(name=f.name, base_url=f.base_url, models=list(f.models)) for f in found])


@router.put("/admin/models/{role}", summary="Set a model role", openapi_extra=needs("admin"))
async def set_model(role: RoleName, asked: ModelSet, caller: CallerDep, shared: SharedDep) -> ModelList:
    """Takes effect with the next question or source, without a restart. 409 for what the environment sets, 422 without a price."""
    if asked.model is not None:
        shared.prices.require(asked.provider, asked.model)
    async with shared.db.transaction() as conn:
        await roles_shown.set_role(conn, shared.settings, role, asked)
    # Once that is committed: an indexing that runs looks at the role before it ends, and is not queued a second time.
    async with shared.db.transaction() as conn:
        if role == "embedding" and asked.provider != "none":
            await new_space.go_on(conn, (await roles.effective_roles(conn, shared.settings))["embedding"])
            await new_space.index_unindexed(conn)
    await roles_shown.take_tried(shared, role)
    async with shared.db.transaction() as conn:
        items = await roles_shown.all_roles(conn, shared.settings)
    for queue in ("ingest", "care"):
        await shared.bell.ring(queue)
    await events.hint(shared.redis, [caller.person_id], "health")
    return ModelList(items=items, found=[])


@router.post("/admin/models/test", summary="Try a model", openapi_extra=needs("admin"))
async def test_model(asked: ModelTestAsk, caller: CallerDep, shared: SharedDep) -> ModelTested:
    """Makes real calls: whether it answers, how fast, whether it cites rightly. A model that fails is an answer, not an error."""
    async with shared.db.transaction() as conn:
        job_id = await roles_shown.ask_test(conn, shared, caller, asked)
    try:
        result = await awaited(shared, job_id, "answer")
    except SourcebookError as error:
        if error.code == "first_event_timeout":
            raise
        result = {"ok": False, "error": {"code": error.code, "message": error.message}}
    return await roles_shown.keep_test(shared, asked, result)


@router.get("/admin/health", summary="How the installation is", openapi_extra=needs("admin"))
async def get_health(shared: SharedDep) -> HealthRead:
    """One line per part, queues, failed jobs, workers, disk, version, last backup."""
    found = await condition.look(shared)
    lines = [*found.lines, *await condition.role_lines(shared)]
    return HealthRead(
        items=[HealthLine.model_validate(asdict(line)) for line in lines],
        queues=[QueueRead.model_validate(q, from_attributes=True) for q in found.queues],
        failed=[FailedRead.model_validate(f, from_attributes=True) for f in found.failed],
        workers=[WorkerRead.model_validate(w, from_attributes=True) for w in found.workers],
        disk=condition.disk(shared.settings.blobs_url), version=VERSION, last_backup_at=condition.last_backup(shared.settings.data_dir),
    )  # fmt: skip


@router.get("/admin/jobs", summary="Jobs", openapi_extra=needs("admin"))
async def list_jobs(shared: SharedDep) -> Listed[JobRead]:
    """Unfinished ones, then the last finished."""
    async with shared.db.transaction() as conn:
        rows = await health.list_jobs(conn, 200)
    return Listed(items=[JobRead.model_validate(row, from_attributes=True) for row in rows])


@router.post("/admin/jobs/{job_id}/retry", status_code=202, summary="Try a failed job again", openapi_extra=needs("admin"))
async def retry_job(job_id: UUID, shared: SharedDep) -> dict[str, UUID]:
    """Queues it with a fresh count of attempts; its source goes back into the line. 409 for one that is not failed."""
    async with shared.db.transaction() as conn:
        failed = await health.find_failed_job(conn, job_id)
        if failed is None:
            raise not_found()
        if not await jobs.queue_again(conn, job_id):
            raise RequestError(409, "conflict", why="this job is not failed any more, or its work is queued again already.")
        if failed.source_id is not None and failed.queue == "ingest":
            await sources.queue_again(conn, failed.source_id)
    await shared.bell.ring(failed.queue)
    return {"job_id": job_id}
