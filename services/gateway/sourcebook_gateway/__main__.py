"""`python -m sourcebook_gateway`: serve until SIGTERM."""

from __future__ import annotations

import gc

import uvicorn

from sourcebook_core import start
from sourcebook_core.settings import Settings
from sourcebook_gateway.app import create_app


def serve(settings: Settings) -> None:
    """Run one gateway process; open streams get 4 s to end after SIGTERM."""
    app = create_app(settings)
    # What is loaded by now stays for good: without this each full collection walks all of it (0.1 s in the midst of a stream, measured).
    gc.collect()
    gc.freeze()
    uvicorn.run(
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


if __name__ == "__main__":
    start.service("gateway", serve)
