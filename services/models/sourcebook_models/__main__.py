"""`python -m sourcebook_models`: serve the local models on 127.0.0.1."""

from __future__ import annotations

import uvicorn

from sourcebook_core import log, settings
from sourcebook_models.app import build


def main() -> None:
    """Read the settings and serve until stopped; never on another address than this machine's own."""
    given = settings.load()
    log.configure("models", given.log_level)
    config = uvicorn.Config(
        build(given.data_dir),
        host="127.0.0.1",
        port=given.models_port,
        log_config=None,
        access_log=False,
        ws="none",
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run()


if __name__ == "__main__":
    main()
