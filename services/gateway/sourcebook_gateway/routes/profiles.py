"""The profiles: how notebooks and assistants can answer."""

from __future__ import annotations

from sourcebook_gateway.access import gated_router, needs
from sourcebook_gateway.deps import CallerDep
from sourcebook_gateway.shapes.profiles import ProfileList, every_profile

router = gated_router("profiles")


@router.get("/profiles", summary="Ways of answering", openapi_extra=needs("read"))
async def list_profiles(caller: CallerDep) -> ProfileList:
    """Each by its purpose, with every field that a notebook or an assistant may set otherwise."""
    return every_profile()
