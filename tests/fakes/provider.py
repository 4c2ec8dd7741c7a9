"""A fake model provider over real HTTP: chat (plain and streamed), embeddings, models, transcriptions.

In the same process::

    with FakeProvider() as fake:                      # a free port; fake.base_url ends in /v1
        fake.script.add(Reply(text="Twelve [1]."), Reply(status=429, retry_after="2"))
        fake.script.rules.batch_limit = 25            # more than 25 texts in one request: 400
        fake.script.pins.pin("how deep is it", "The lake is 40 m deep.", 0.61)
        ... point a role's base_url at fake.base_url, do the work ...
        first = fake.script.requests("chat")[0]       # model, messages, headers, body
        fake.script.wait_for(3, "embeddings")         # waits for a state, never for a time

Hold a call open while a process is killed: `Reply(hold="here", after=2)` sends two pieces and waits for
`fake.script.release("here")`. A request with pictures has their bytes in `request.pictures` and "[picture]" in what it says; a
reply to it may carry `words`, `turned` and `unreadable`.
Let a function write the answers: `fake.script.write_with(lambda request: "…[1]")`.

From another process (`python -m tests.fakes.provider --port 8551`, or any FakeProvider by its port)::

    POST   /_fake/replies   [{"text": "Twelve [1]."}, {"kind": "embeddings", "value": "nan"}]   (fields of script.Reply)
    POST   /_fake/rules     {"batch_limit": 25, "dimension": 384}                               (fields of script.Rules)
    POST   /_fake/pins      [{"anchor": "…", "other": "…", "cosine": 0.61}]
    GET    /_fake/requests?kind=chat      {"items": [{"number", "kind", "at", "model", "headers", "body", "batch", "tokens"}]}
    DELETE /_fake/requests                POST /_fake/release/{name}                POST /_fake/reset

Without a script, chat answers `rules.answer` and embeddings are the hashed words of each text at `rules.dimension`
(or the `dimensions` asked for): the same text always gives the same vector.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import socket
import threading
from types import TracebackType
from typing import Any, Self

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as HttpRequest
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from tests.fakes import answers
from tests.fakes.script import Kind, Reply, Request, Script
from tests.fakes.vectors import token_count

MODELS = {
    "CHAT": "fake-chat", "TRANSLATE": "fake-translate", "EMBEDDING": "fake-embed", "VISION": "fake-vision", "SPEECH": "fake-listen",
    "CAPTION": "fake-caption", "ENTAILMENT": "fake-entails",
}  # fmt: skip


class FakeProvider:
    """The fake on a free port of 127.0.0.1 (or on `port`), served from a thread of its own until it is closed."""

    def __init__(self, port: int = 0, app: Starlette | None = None) -> None:
        self.script = Script()
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("127.0.0.1", port))
        self.port: int = self._socket.getsockname()[1]
        config = uvicorn.Config(
            app or build(self.script),
            log_config=None,
            log_level="critical",
            lifespan="off",
            timeout_graceful_shutdown=1,
            loop="asyncio",
            ws="none",
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._serve, name="fake-provider", daemon=True)

    @property
    def base_url(self) -> str:
        """The address to put into a role's base_url."""
        return f"http://127.0.0.1:{self.port}/v1"

    def settings(self, role: str, **more: str) -> dict[str, str]:
        """The environment of a model role ("CHAT", "VISION", …) that is this fake; `more` are further fields of the role.

        Made-up vectors have no floor that means anything, so none is measured and everything passes.
        """
        given = {"PROVIDER": "api", "BASE_URL": self.base_url, "MODEL": MODELS[role], **more}
        floor = {"SOURCEBOOK_FLOOR": "-1"} if role == "EMBEDDING" else {}
        return {f"SOURCEBOOK_{role}_{name}": value for name, value in given.items()} | floor

    def _serve(self) -> None:
        asyncio.run(self._server.serve(sockets=[self._socket]))

    def start(self) -> Self:
        """Listen; requests are accepted from now on."""
        self._socket.listen(128)
        self._thread.start()
        return self

    def close(self) -> None:
        """Stop serving and free the port; what hangs is dropped."""
        self._server.should_exit = True
        self._thread.join(10)
        self._socket.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


def build(script: Script) -> Starlette:
    """The ASGI application that answers from `script`."""
    return Starlette(routes=[*_provider_routes(script), *_control_routes(script)])


def _provider_routes(script: Script) -> list[Route]:
    async def chat(http: HttpRequest) -> Response:
        request = await _noted(http, "chat", script)
        reply = script.reply_to(request)
        if refused := _refusal(request, script) or await _early(reply, http, script):
            return refused
        if request.body.get("stream"):
            return StreamingResponse(answers.streamed(request, reply, script), media_type="text/event-stream")
        return JSONResponse(answers.whole(request, reply))

    async def embeddings(http: HttpRequest) -> Response:
        request = await _noted(http, "embeddings", script)
        reply = script.reply_to(request)
        if refused := _refusal(request, script) or _too_much(request, script) or await _early(reply, http, script):
            return refused
        return Response(json.dumps(answers.vectors(request, reply, script)), media_type="application/json")

    async def models(http: HttpRequest) -> Response:
        request = await _noted(http, "models", script)
        if refused := await _early(script.reply_to(request), http, script):
            return refused
        facts = {"context_tokens": script.rules.context_tokens} if script.rules.context_tokens else {}
        names = script.rules.models or ("fake",)
        return JSONResponse({"object": "list", "data": [{"id": name, "object": "model", **facts} for name in names]})

    async def transcriptions(http: HttpRequest) -> Response:
        request = await _noted(http, "transcriptions", script)
        reply = script.reply_to(request)
        if refused := _refusal(request, script) or await _early(reply, http, script):
            return refused
        return answers.heard(request, reply)

    return [
        Route("/v1/chat/completions", chat, methods=["POST"]),
        Route("/v1/embeddings", embeddings, methods=["POST"]),
        Route("/v1/models", models),
        Route("/v1/audio/transcriptions", transcriptions, methods=["POST"]),
    ]


async def _noted(http: HttpRequest, kind: Kind, script: Script) -> Request:
    raw = await http.body()
    if http.headers.get("content-type", "").startswith("multipart/form-data"):
        return script.note(kind, {name.lower(): value for name, value in http.headers.items()}, await _form(http))
    try:
        body = json.loads(raw) if raw else {}
    except ValueError:
        body = {"raw_bytes": len(raw)}
    return script.note(kind, {name.lower(): value for name, value in http.headers.items()}, body)


async def _form(http: HttpRequest) -> dict[str, Any]:
    """The fields of a form; of its file what tells it apart: name, type, bytes, SHA-256."""
    body: dict[str, Any] = {}
    async with http.form() as form:
        for name, value in form.items():
            if isinstance(value, str):
                body[name] = value
            else:
                content = await value.read()
                told = {"name": value.filename, "type": value.content_type, "bytes": len(content)}
                body[name] = {**told, "sha256": hashlib.sha256(content).hexdigest()}
    return body


def _error(status: int, message: str, code: str | None = None, param: str | None = None, retry_after: str | None = None) -> Response:
    headers = {"Retry-After": retry_after} if retry_after is not None else {}
    return JSONResponse({"error": {"message": message, "type": "fake", "code": code, "param": param}}, status, headers)


def _refusal(request: Request, script: Script) -> Response | None:
    """What the rules refuse whatever the script says."""
    rules = script.rules
    if rules.keys and request.headers.get("authorization", "").removeprefix("Bearer ") not in rules.keys:
        return _error(401, "Incorrect API key provided.", "invalid_api_key")
    if rules.models and request.model not in rules.models:
        return _error(404, f"The model {request.model} does not exist.", "model_not_found")
    for name in rules.refused_parameters:
        if name in request.body:
            return _error(400, f"Unsupported parameter: '{name}' is not supported with this model.", "unsupported_parameter", name)
    return None


def _too_much(request: Request, script: Script) -> Response | None:
    rules, texts = script.rules, request.texts
    if rules.refuse_blank and any(not text.strip() for text in texts):
        return _error(400, "'input' holds an empty string.", param="input")
    if rules.batch_limit is not None and len(texts) > rules.batch_limit:
        return _error(400, f"At most {rules.batch_limit} texts a request, got {len(texts)}.", param="input")
    counts = [token_count(text) for text in texts]
    if rules.text_tokens is not None and max(counts, default=0) > rules.text_tokens:
        return _error(400, f"A text has {max(counts)} tokens; the limit is {rules.text_tokens}.", "context_length_exceeded", "input")
    if rules.request_tokens is not None and sum(counts) > rules.request_tokens:
        return _error(413, f"{sum(counts)} tokens in one request; the limit is {rules.request_tokens}.")
    return None


async def _early(reply: Reply, http: HttpRequest, script: Script) -> Response | None:
    """Wait as the reply says, then give its error, if it is one."""
    await asyncio.sleep(reply.delay_s)
    if reply.hang:
        await _gone(http)
        return Response(status_code=204)
    if reply.hold and reply.after is None:
        await answers.let_go(reply.hold, script)
    if reply.body is not None:
        return Response(reply.body, reply.status, media_type="application/json")
    if reply.status != 200:
        return _error(reply.status, reply.message, reply.code, reply.param, reply.retry_after)
    return None


async def _gone(http: HttpRequest) -> None:
    while (await http.receive())["type"] != "http.disconnect":
        pass


def _control_routes(script: Script) -> list[Route]:
    async def replies(http: HttpRequest) -> Response:
        script.add(*(Reply.from_json(given) for given in await http.json()))
        return Response(status_code=204)

    async def rules(http: HttpRequest) -> Response:
        script.set_rules(await http.json())
        return Response(status_code=204)

    async def pins(http: HttpRequest) -> Response:
        for given in await http.json():
            script.pins.pin(given["anchor"], given["other"], given["cosine"])
        return Response(status_code=204)

    async def requests(http: HttpRequest) -> Response:
        if http.method == "DELETE":
            script.forget_requests()
            return Response(status_code=204)
        kind = http.query_params.get("kind")
        return JSONResponse({"items": [_shown(request) for request in script.requests() if kind in (None, request.kind)]})

    async def release(http: HttpRequest) -> Response:
        script.release(http.path_params["name"])
        return Response(status_code=204)

    async def reset(_: HttpRequest) -> Response:
        script.reset()
        return Response(status_code=204)

    return [
        Route("/_fake/replies", replies, methods=["POST"]),
        Route("/_fake/rules", rules, methods=["POST"]),
        Route("/_fake/pins", pins, methods=["POST"]),
        Route("/_fake/requests", requests, methods=["GET", "DELETE"]),
        Route("/_fake/release/{name}", release, methods=["POST"]),
        Route("/_fake/reset", reset, methods=["POST"]),
    ]


def _shown(request: Request) -> dict[str, Any]:
    return {
        "number": request.number,
        "kind": request.kind,
        "at": request.at,
        "model": request.model,
        "headers": request.headers,
        "body": request.body,
        "batch": len(request.texts),
        "tokens": token_count(request.said),
    }


def main() -> None:
    """Serve one fake until interrupted."""
    parser = argparse.ArgumentParser(description="A fake model provider for tests.")
    parser.add_argument("--port", type=int, required=True)
    port: int = parser.parse_args().port
    uvicorn.run(build(Script()), host="127.0.0.1", port=port, log_level="warning", lifespan="off")


if __name__ == "__main__":
    main()
