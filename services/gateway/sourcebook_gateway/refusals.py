"""Every error as the one shape of the contract: code, sentence, detail, request id. Internals go to the log."""

from __future__ import annotations

import math
from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel, Field, ValidationError
from starlette.exceptions import HTTPException

from sourcebook_core import log
from sourcebook_core.errors import CODES, RequestError, SourcebookError, TransientError
from sourcebook_gateway.json_answers import JsonAnswer

_log = log.get(__name__)
_BY_STATUS = {400: "malformed", 401: "not_signed_in", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large"}


class Problem(BaseModel):
    """What went wrong: `code` is stable, `message` a sentence a person can act on."""

    code: str = Field(description="Stable name of the problem.", examples=["not_found"])
    message: str = Field(description="What happened and what to do now.")
    detail: dict[str, Any] | None = Field(None, description="More for programs, where there is more.")
    request_id: str | None = Field(None, description="Find this request in the server's log by it.")


class ErrorBody(BaseModel):
    """The body of every refused request."""

    error: Problem


def request_id_of(request: Request) -> str | None:
    """The id that the outermost layer gave this request."""
    found: str | None = request.scope.get("sourcebook.request_id")
    return found


def problem(code: str, message: str, request_id: str | None, detail: dict[str, Any] | None = None) -> dict[str, Any]:
    """The error body as plain values."""
    facts: dict[str, Any] = {"code": code, "message": message}
    if detail:
        facts["detail"] = detail
    return {"error": facts | {"request_id": request_id}}


def refusal(error: SourcebookError, request_id: str | None) -> Response:
    """The HTTP answer of an error of ours, with Retry-After where it may work later."""
    headers = {}
    wait_s = getattr(error, "retry_after_s", None)
    if wait_s is None and isinstance(error, TransientError):
        wait_s = 2
    if wait_s is not None:
        headers["Retry-After"] = str(max(1, math.ceil(wait_s)))
    if error.status == HTTPStatus.UNAUTHORIZED:
        headers["WWW-Authenticate"] = 'Bearer realm="sourcebook"'
    status = HTTPStatus.INSUFFICIENT_STORAGE if error.code == "storage_full" else error.status
    return JsonAnswer(problem(error.code, error.message, request_id, error.detail), status_code=status, headers=headers)


def not_found() -> RequestError:
    """The one answer for what is not there, in the trash or someone else's."""
    return RequestError(404, "not_found")


def install(app: FastAPI) -> None:
    """Turn every exception a route can raise into the one shape."""
    app.add_exception_handler(SourcebookError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, SourcebookError)
    if error.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        _log.warning("request.refused", code=error.code, status=error.status)
    return refusal(error, request_id_of(request))


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return refusal(invalid(error), request_id_of(request))


def invalid(error: RequestValidationError | ValidationError) -> RequestError:
    """The refusal for fields that are not right; a malformed id in the address is simply not found. Never repeats the input."""
    errors: Sequence[Any] = error.errors()
    if any(one["loc"] and one["loc"][0] == "path" for one in errors):
        return not_found()
    fields = [
        {"field": ".".join(str(part) for part in one["loc"] if part != "body"), "why": str(one["msg"]).removeprefix("Value error, ")}
        for one in errors[:20]
    ]
    first = fields[0] if fields else {"field": "", "why": "it cannot be read"}
    why = f"{first['field']}: {first['why']}" if first["field"] else first["why"]
    return RequestError(422, "invalid_field", why=why, detail={"fields": fields})


def _is_known(request: Request) -> bool:
    """Whether a route of its own has this address: the page's and the preflights' take any."""
    path = str(getattr(request.scope.get("route"), "path", ""))
    return not path.endswith(":path}") or not request.url.path.startswith(("/api/", "/public/"))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    request_id = request_id_of(request)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED and not _is_known(request):
        return refusal(not_found(), request_id)
    if error.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
        message = "This address does not know that method."
        return JsonAnswer(problem("method_not_allowed", message, request_id), status_code=405, headers=dict(error.headers or {}))
    code = _BY_STATUS.get(error.status_code, "malformed" if error.status_code < HTTPStatus.INTERNAL_SERVER_ERROR else "internal")
    message = CODES[code].format_map({"why": "it is not as this address expects.", "limit": "this address"})
    return JsonAnswer(problem(code, message, request_id), status_code=error.status_code, headers=dict(error.headers or {}))
