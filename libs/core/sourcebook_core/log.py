"""JSON lines on standard output: event = noun.past_verb, facts as keys with units, ids bound by context."""

from __future__ import annotations

import logging
import sys
from typing import Any

import structlog

bind = structlog.contextvars.bound_contextvars


def configure(service: str, level: str = "info") -> None:
    """Set up structured logging for one process; call once at its start."""
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(stream=sys.stdout, level=max(number, logging.WARNING), format="%(message)s", force=True)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(sys.stdout),
        cache_logger_on_first_use=True,
    )
    structlog.contextvars.bind_contextvars(service=service)


def get(name: str) -> Any:
    """A logger for one module; `name` appears as `module`."""
    return structlog.get_logger(module=name)
