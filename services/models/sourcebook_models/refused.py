"""An error in the form that OpenAI's clients read."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.requests import Request
from starlette.responses import JSONResponse, Response


class Refused(Exception):
    """A request that cannot be served: `status`, a sentence, and OpenAI's `code` and `param`."""

    def __init__(self, message: str, *, status: int = 400, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.message, self.status, self.code, self.param = message, status, code, param

    def response(self, headers: Mapping[str, str] | None = None) -> Response:
        """The error object with its status."""
        kind = "invalid_request_error" if self.status < 429 else "server_error"
        error = {"message": self.message, "type": kind, "code": self.code, "param": self.param}
        return JSONResponse({"error": error}, self.status, headers)


async def json_body(request: Request, limit_bytes: int) -> object:
    """The request's JSON, read up to a limit. Raises Refused."""
    raw = bytearray()
    async for part in request.stream():
        raw += part
        if len(raw) > limit_bytes:
            raise Refused(f"The request is larger than {limit_bytes} bytes.", status=413)
    try:
        found: object = json.loads(raw)
    except (ValueError, RecursionError):  # also bytes that are not UTF-8, and what is nested too deeply
        raise Refused("The request is not JSON.") from None
    return found
