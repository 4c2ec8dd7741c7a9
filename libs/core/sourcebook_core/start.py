"""How a service begins: settings once, logging, and a refusal to start as one sentence instead of a traceback."""

from __future__ import annotations

import sys
from collections.abc import Callable

from sourcebook_core import log, settings
from sourcebook_core.errors import SourcebookError
from sourcebook_core.settings import Settings


def service(name: str, run: Callable[[Settings], None]) -> None:
    """Run a service until it ends; exit 1 with the sentence of the error when it cannot start or go on."""
    try:
        loaded = settings.load()
        log.configure(name, loaded.log_level)
        settings.require_fit_to_deploy(loaded)
        run(loaded)
    except SourcebookError as error:
        log.get(__name__).error("service.refused", code=error.code)
        sys.stderr.write(f"sourcebook {name}: {error.message}\n")
        sys.exit(1)
