"""The application: connections opened at start, routes, the shape of errors, the page."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from fastapi import FastAPI
from starlette.routing import Route

from sourcebook_core import bell, log
from sourcebook_core.bell import Bell
from sourcebook_core.blobs import Blobs
from sourcebook_core.db import Db
from sourcebook_core.errors import DatabaseAway
from sourcebook_core.prices import Prices
from sourcebook_core.sandbox import Child
from sourcebook_core.settings import Settings
from sourcebook_core.store import people, tokens
from sourcebook_gateway import VERSION, access, mcp_gate, refusals
from sourcebook_gateway.deps import Shared
from sourcebook_gateway.described import describe
from sourcebook_gateway.feed import FeedHub
from sourcebook_gateway.mcp_gate import McpGate
from sourcebook_gateway.middleware import Outermost
from sourcebook_gateway.page import page_router
from sourcebook_gateway.routes import (
    admin,
    approving,
    asking,
    assistant_sources,
    assistants,
    auth,
    captions,
    conversations,
    exports,
    feeds,
    figures,
    floors,
    guide,
    misses,
    notebooks,
    notes,
    openai_face,
    ops,
    pages,
    plans,
    profiles,
    public,
    reading,
    sites,
    sources,
    tables,
    trash,
    usage,
    webhooks,
    widget,
)
from sourcebook_gateway.streams import Streams

_log = log.get(__name__)
_DATABASE_WAIT_S = 30
_ROUTERS = (
    auth.router, notebooks.router, sources.router, captions.router, approving.router, reading.router, pages.router, tables.router,
    sites.router,
    asking.router, conversations.router, misses.router, trash.router, feeds.router, figures.router,
    admin.router, floors.router, usage.router, webhooks.router,
    assistants.router, assistant_sources.router, profiles.router, notes.router, exports.router, guide.router, plans.router,
)  # fmt: skip


def create_app(settings: Settings) -> FastAPI:
    """The application for one configuration; connects when it starts."""
    mcp = McpGate(settings.limits.json_bytes)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with _connected(settings) as shared, mcp.open():
            app.state.shared = shared
            yield

    app = FastAPI(
        title="Sourcebook", version=VERSION, lifespan=lifespan, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json",
        redirect_slashes=False, description="A self-hosted research notebook whose every citation is checked.",
    )  # fmt: skip
    refusals.install(app)
    for router in _ROUTERS:
        app.include_router(router, prefix="/api/v1")
    app.include_router(ops.router)
    app.router.routes.append(Route(mcp_gate.PATH, endpoint=mcp))
    for router in (openai_face.router, public.router, public.preflights, widget.router):
        app.include_router(router)
    app.include_router(page_router(settings.web_dir))
    describe(app)
    is_https = bool(settings.public_url and settings.public_url.startswith("https://"))
    app.add_middleware(Outermost, header_bytes=settings.limits.header_bytes, is_https=is_https)
    return app


@asynccontextmanager
async def _connected(settings: Settings) -> AsyncIterator[Shared]:
    db = await Db.open(settings, name="sourcebook-gateway")
    redis = bell.connect(settings, block_s=1.0)
    shared = Shared(
        settings=settings, db=db, redis=redis, bell=Bell(settings), blobs=Blobs.open(settings.blobs_url), streams=Streams(redis),
        feed=FeedHub(redis), child=Child(settings.limits), prices=Prices.of(settings),
    )  # fmt: skip
    running = [asyncio.create_task(shared.streams.run()), asyncio.create_task(shared.feed.run())]
    try:
        await _make_owner(shared)
        _log.info("gateway.started", version=VERSION, port=settings.port)
        yield shared
    finally:
        for task in running:
            task.cancel()
        for task in running:
            with suppress(asyncio.CancelledError):
                await task
        await shared.child.close()
        await shared.bell.close()
        await redis.aclose()
        await db.close()


async def wait_for_database(settings: Settings) -> None:
    """Return as soon as the database answers; one that is still starting is waited for. Raises DatabaseAway after 30 s."""
    for waited_s in range(_DATABASE_WAIT_S):
        try:
            db = await Db.open(settings, size=1, name="sourcebook-gateway")
        except DatabaseAway:
            if waited_s == 0:
                _log.warning("database.awaited")
            await asyncio.sleep(1)
        else:
            await db.close()
            return
    raise DatabaseAway


async def _make_owner(shared: Shared) -> None:
    """The local owner, and the token that the stack wrote into the data folder. Safe to run twice and side by side."""
    folder = shared.settings.data_dir
    token = ""
    if folder is not None:
        try:
            token = (folder / "owner-token").read_text("utf-8").strip()
        except FileNotFoundError:
            _log.warning("owner_token.missing")
    async with shared.db.transaction() as conn:
        await people.ensure_local_owner(conn, "Owner")
        if token:
            await tokens.ensure_owner_file(conn, people.LOCAL_OWNER, token[: access.PREFIX_CHARS], access.digest(token))
