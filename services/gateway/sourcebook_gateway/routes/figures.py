"""Measured figures that the page tells its readers."""

from __future__ import annotations

from sourcebook_core import published
from sourcebook_core.published import ChecksFigure
from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep

router = gated_router("figures")


@router.get("/checks", summary="How often checks are wrong", openapi_extra=needs("read"))
async def read_checks(caller: CallerDep) -> ChecksFigure:
    """The published figure of the checks of answers, measured on pairs that nothing was tuned on."""
    return published.checks()
