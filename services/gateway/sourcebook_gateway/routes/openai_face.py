"""The OpenAI-compatible face: a notebook or an assistant is a model, and the answer's message carries its citations and checks."""

from __future__ import annotations

import time
from collections.abc import Callable, Coroutine
from typing import Any
from uuid import UUID

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError, SourcebookError
from sourcebook_core.store import assistants, notebooks
from sourcebook_core.store.scopes import Holder
from sourcebook_core.text import inert
from sourcebook_gateway import answers, begin_turn, holders, refusals, relay
from sourcebook_gateway.access import GatedRoute, needs
from sourcebook_gateway.deps import CallerDep, SharedDep
from sourcebook_gateway.json_answers import JsonAnswer, dumps
from sourcebook_gateway.relay import Frame
from sourcebook_gateway.shapes.openai_face import ChatAsk, ChatMessage, Completion, OpenAIErrorBody, OpenAIModel, OpenAIModelList, Ours
from sourcebook_gateway.shapes.turns import Message, Question

_MODELS = 1000  # of each kind listed; more can be asked all the same
_HISTORY_MESSAGES, _MESSAGE_CHARS = 200, 20_000
_TYPES = {401: "authentication_error", 402: "insufficient_quota", 403: "permission_error", 429: "rate_limit_error"}


class OpenAIRoute(GatedRoute):
    """A gated route whose refusals have the shape that OpenAI's clients read."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The gated handler with its errors put differently."""
        gated = super().get_route_handler()

        async def told(request: Request) -> Response:
            try:
                return await gated(request)
            except SourcebookError as error:
                return _refused(request, error)
            except RequestValidationError as error:
                return _refused(request, refusals.invalid(error))

        return told


_REFUSED: dict[int | str, dict[str, Any]] = {
    status: {"model": OpenAIErrorBody, "description": words}
    for status, words in (
        (401, "Not signed in."),
        (402, "Its owner's credit is used up."),
        (404, "No such model, or not yours."),
        (422, "A field is not right."),
        (429, "Too many in a short time; Retry-After says how long to wait."),
        (503, "Something it needs is away; Retry-After says when to try again."),
    )
}
router = APIRouter(prefix="/v1", route_class=OpenAIRoute, tags=["openai"], responses=_REFUSED)


@router.get("/models", summary="What can be asked", openapi_extra=needs("ask"))
async def list_models(caller: CallerDep, shared: SharedDep) -> OpenAIModelList:
    """The caller's notebooks and assistants, as models."""
    async with shared.db.transaction() as conn:
        books = await notebooks.list_for_owner(conn, caller.person_id, _MODELS)
        helpers = await assistants.list_for_person(conn, caller.person_id, _MODELS)
    told = [OpenAIModel(id=f"notebook:{one.id}", created=int(one.created_at.timestamp()), name=one.title) for one in books]
    told += [OpenAIModel(id=f"assistant:{one.slug}", created=int(one.created_at.timestamp()), name=one.name) for one in helpers]
    return OpenAIModelList(data=told)


@router.post("/chat/completions", summary="Ask in OpenAI's form", response_model=Completion, openapi_extra=needs("ask"))
async def complete(request: Request, asked: ChatAsk, caller: CallerDep, shared: SharedDep) -> Response:
    """The checked, cited answer as a chat completion, whole or streamed (`stream: true`)."""
    question = _question(asked)
    async with shared.db.transaction() as conn:
        holder = await _holder(conn, asked.model)
    turn_id = await begin_turn.begin(request, holder, question, caller, shared)
    frames = relay.follow(shared, turn_id, caller.person_id, 0)
    if not asked.stream:
        done = await answers.whole(shared, frames)
        return JsonAnswer(_completion(turn_id, asked.model, done))
    first = await answers.first_of(frames, shared.settings.first_event_s)
    told = _Told(asked, turn_id)
    head = told.chunk({"role": "assistant", "content": ""})
    body = answers.streamed(first, frames, told.of, answers.COMMENT, shared.settings.comment_s, head=head)
    return StreamingResponse(body, media_type="text/event-stream; charset=utf-8", headers=answers.STREAM_HEADERS)


async def _holder(conn: Conn, model: str) -> Holder:
    """What a model's name stands for. Raises 404 for a name that is none; whether the caller may ask it is the gate's to say."""
    kind, _, name = model.partition(":")
    if kind == "notebook":
        try:
            return Holder("notebook", UUID(name))
        except ValueError:
            raise refusals.not_found() from None
    if kind == "assistant":
        return await holders.named(conn, name)
    raise refusals.not_found()


def _question(asked: ChatAsk) -> Question:
    """The last message as the question, what came before as its history. Raises 422."""
    if asked.n not in (None, 1):
        raise RequestError(422, "invalid_field", why="n: only one answer is given.")
    said = [(message.role, _words(message)) for message in asked.messages if message.role in ("user", "assistant")]
    if not said or said[-1][0] != "user" or not said[-1][1].strip():
        raise RequestError(422, "invalid_field", why="messages: the last one must be the user's question.")
    ours = asked.sourcebook or Ours()
    earlier = [Message.model_validate({"role": role, "content": words[:_MESSAGE_CHARS]}) for role, words in said[:-1] if words.strip()]
    given = {"question": said[-1][1], **ours.model_dump(exclude_none=True)}
    if earlier and ours.conversation_id is None:
        given["history"] = earlier[-_HISTORY_MESSAGES:]
    try:
        return Question.model_validate(given)
    except ValidationError as error:
        raise refusals.invalid(error) from None


def _words(message: ChatMessage) -> str:
    if not isinstance(message.content, list):
        return message.content or ""
    if any(part.type != "text" for part in message.content):
        raise RequestError(422, "invalid_field", why="messages: only text can be asked; add a picture or a recording as a source.")
    return "\n".join(part.text or "" for part in message.content)


def _completion(turn_id: UUID, model: str, done: dict[str, Any]) -> Completion:
    words = inert.Growing(inert.OWN_MARKS)
    message = {"role": "assistant", "content": words.feed(done["answer"]) + words.finish(), **_evidence(done)}
    return Completion(
        id=f"chatcmpl-{turn_id}", created=int(time.time()), model=model,
        choices=[{"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}], usage=_usage(done),
    )  # fmt: skip


def _evidence(done: dict[str, Any]) -> dict[str, Any]:
    """What the message carries beside its words; OpenAI's clients hand it on as further fields.

    Ranges count in the turn's `answer`. These clients show `content` as Markdown, so there what a document made the model write
    (a picture of another host, with a secret in its address) is made inert, at the price of a backslash.
    """
    return {"citations": done.get("citations", []), "checks": done.get("checks"), "turn_id": done["turn_id"]}


def _usage(done: dict[str, Any]) -> dict[str, int] | None:
    used = done.get("usage") or {}
    if not used.get("complete", False):
        return None
    written, read = int(used.get("completion_tokens", 0)), int(used.get("prompt_tokens", 0))
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}


class _Told:
    """The frames of one answer as chunks of a completion."""

    def __init__(self, asked: ChatAsk, turn_id: UUID) -> None:
        self._head = {"id": f"chatcmpl-{turn_id}", "object": "chat.completion.chunk", "created": int(time.time()), "model": asked.model}
        self._counts = asked.stream_options is not None and asked.stream_options.include_usage
        self._words = inert.Growing(inert.OWN_MARKS)

    def chunk(self, delta: dict[str, Any], finish: str | None = None) -> bytes:
        return _event({**self._head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    def of(self, frame: Frame) -> bytes:
        """The chunks of a frame, maybe none: words wait for the blank behind them."""
        if frame.name == "token":
            return self._said(self._words.feed(frame.data["text"]))
        if frame.name == "error":
            code, message = str(frame.data["code"]), str(frame.data["message"])
            problem = _problem(code, message, 404 if code == "not_found" else 500)
            return self._said(self._words.finish()) + _event({"error": problem})
        if frame.name != "done":
            return b""
        end = self._said(self._words.finish()) + self.chunk(_evidence(frame.data)) + self.chunk({}, "stop")
        if self._counts:
            end += _event({**self._head, "choices": [], "usage": _usage(frame.data)})
        return end + b"data: [DONE]\n\n"

    def _said(self, text: str) -> bytes:
        return self.chunk({"content": text}) if text else b""


def _event(value: dict[str, Any]) -> bytes:
    return b"data: %s\n\n" % dumps(value)


def _refused(request: Request, error: SourcebookError) -> Response:
    """An error of ours in OpenAI's shape, with the status and the headers it has everywhere."""
    plain = refusals.refusal(error, refusals.request_id_of(request))
    problem = _problem(error.code, error.message, plain.status_code)
    kept = {name: value for name, value in plain.headers.items() if name not in ("content-length", "content-type")}
    return JsonAnswer({"error": problem}, status_code=plain.status_code, headers=kept)


def _problem(code: str, message: str, status: int) -> dict[str, Any]:
    kind = _TYPES.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"message": message, "type": kind, "param": None, "code": code}
