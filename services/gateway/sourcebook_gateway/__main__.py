"""`python -m sourcebook_gateway`: serve until SIGTERM."""

from __future__ import annotations

import asyncio
import gc
import sys
from types import FrameType

import uvicorn
from fastapi import FastAPI

from sourcebook_core import start
from sourcebook_core.settings import Settings
from sourcebook_gateway.app import create_app, wait_for_database


class _Server(uvicorn.Server):
    """Tells the application of SIGTERM at once, so that open streams end by themselves instead of being cut after the grace time."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Called by the signal."""
        shared = getattr(self._app.state, "shared", None)
        if shared is not None:
            shared.is_closing = True
        super().handle_exit(sig, frame)


def serve(settings: Settings) -> None:
    """Run one gateway process; open streams get 4 s to end after SIGTERM. Raises DatabaseAway when there is no database."""
    asyncio.run(wait_for_database(settings))  # before uvicorn, which makes a traceback of what is one sentence
    app = create_app(settings)
    # What is loaded by now stays for good: without this each full collection walks all of it (0.1 s in the midst of a stream, measured).
    gc.collect()
    gc.freeze()
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        loop="uvloop",
        http="httptools",
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=bool(settings.trusted_proxies),
        forwarded_allow_ips=",".join(settings.trusted_proxies),
        timeout_graceful_shutdown=4,
        timeout_keep_alive=30,
    )
    server = _Server(config, app)
    server.run()
    if not server.started:
        sys.exit(1)  # its log says why: a taken port, a database that does not come


if __name__ == "__main__":
    start.service("gateway", serve)
