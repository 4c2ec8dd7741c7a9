"""The page: files of the web build, `index.html` for every address of the page, the theme written into it."""

from __future__ import annotations

import mimetypes
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import FileResponse, HTMLResponse, Response
from starlette.exceptions import HTTPException

_THEMES = ("light", "dark", "system")
_NOT_PAGES = ("api", "public", "v1", "mcp", "healthz", "readyz", "metrics", "assets")
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".json": "application/json", ".txt": "text/plain"}
FOR_EVER = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"
_MISSING = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sourcebook</title>
<h1>Sourcebook is running</h1><p>The page was not built. Run <code>make run</code>, or use the API under /api/v1.</p>"""


def page_router(web_dir: Path | None) -> APIRouter:
    """Serves the folder of the web build; without one, a page that says so."""
    router = APIRouter(include_in_schema=False)
    root = web_dir.resolve() if web_dir else None

    @router.api_route("/{path:path}", methods=["GET", "HEAD"])
    async def page(request: Request, path: str) -> Response:
        if path.partition("/")[0] in _NOT_PAGES[:-1]:
            raise HTTPException(404)
        if root is None or not (root / "index.html").is_file():
            return HTMLResponse(_MISSING, headers={"Cache-Control": _ASK_FIRST})
        found = _file(root, path)
        if found is not None:
            return _sent(request, found, path)
        if path.startswith("assets/") or "." in path.rpartition("/")[2]:
            raise HTTPException(404)
        return _index(request, root)

    return router


def _file(root: Path, path: str) -> Path | None:
    """A file of the build under this address; nothing outside the folder, no hidden file, not the index itself."""
    if not path or path == "index.html" or "\x00" in path or any(part.startswith(".") for part in path.split("/")):
        return None
    try:
        found = (root / path).resolve()
        is_ours = found.is_relative_to(root) and found.is_file()
    except OSError:  # a name longer than a file system takes
        return None
    return found if is_ours and found.suffix not in (".br", ".gz") else None


def _sent(request: Request, found: Path, path: str) -> Response:
    kind = _TYPES.get(found.suffix) or mimetypes.guess_type(found.name)[0] or "application/octet-stream"
    headers = {"Cache-Control": FOR_EVER if path.startswith("assets/") else _ASK_FIRST, "Vary": "Accept-Encoding"}
    file, coding = packed(request, found)
    return FileResponse(file, media_type=kind, headers={**headers, **coding})


def packed(request: Request, found: Path) -> tuple[Path, dict[str, str]]:
    """The file as it was compressed when the page was built, where the client takes that, and the header that says so."""
    takes = request.headers.get("accept-encoding", "").lower()
    for coding, suffix in (("br", ".br"), ("gzip", ".gz")):
        small = found.with_name(found.name + suffix)
        if coding in takes and small.is_file():
            return small, {"Content-Encoding": coding}
    return found, {}


def _index(request: Request, root: Path) -> Response:
    """The page itself, with the theme of the cookie, so that the first paint has the right colours."""
    html = (root / "index.html").read_text("utf-8")
    theme = request.cookies.get("sourcebook_theme", "system")
    if theme in _THEMES:
        html = html.replace('data-theme="system"', f'data-theme="{theme}"', 1)
    return HTMLResponse(html, headers={"Cache-Control": _ASK_FIRST})
