"""The widget's script, which pages of any site load with one tag."""

from __future__ import annotations

import hashlib

from fastapi import APIRouter, Request, Response

from sourcebook_core.errors import RequestError
from sourcebook_gateway.deps import SharedDep
from sourcebook_gateway.page import FOR_EVER, packed

router = APIRouter(tags=["public"])
FILE = "widget.js"
# A day, then asked for again beside its use; with a version in its address it never changes.
_A_DAY = "public, max-age=86400, stale-while-revalidate=604800"


@router.get("/public/widget.js", summary="The widget", response_class=Response, responses={304: {"description": "As it was."}})
async def widget(request: Request, shared: SharedDep) -> Response:
    """JavaScript that any site may load. 404 with a sentence where the page was not built."""
    found = shared.settings.web_dir / FILE if shared.settings.web_dir else None
    if found is None or not found.is_file():
        raise RequestError(404, "not_found", "The widget was not built. Run `make run`, or build the page.")
    file, coding = packed(request, found)
    content = file.read_bytes()
    tag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    headers = {
        "Access-Control-Allow-Origin": "*", "Cross-Origin-Resource-Policy": "cross-origin", "ETag": tag, "Vary": "Accept-Encoding",
        "Cache-Control": FOR_EVER if request.query_params.get("v") else _A_DAY, **coding,
    }  # fmt: skip
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, media_type="text/javascript; charset=utf-8", headers=headers)
