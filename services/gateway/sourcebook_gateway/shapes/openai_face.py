"""Shapes of the OpenAI-compatible face. What a request says beyond them is ignored, as clients of that API expect."""

from __future__ import annotations

from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

from sourcebook_gateway.shapes.lists import Language, SmallMap


class _Asked(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Part(_Asked):
    """A part of a message's content; only text can be asked."""

    type: str = Field(description="`text`; anything else is refused.")
    text: str | None = Field(None, description="The text of a `text` part.", max_length=100_000)


class ChatMessage(_Asked):
    """One message. The last one of the user is the question; system messages change nothing: how it answers is the holder's setting."""

    role: str = Field(description="`user` and `assistant` are read, others are left out.")
    content: str | list[Part] | None = Field(None, description="Words, or parts of them.")


class StreamOptions(_Asked):
    """What a stream tells beside the answer."""

    include_usage: bool = Field(False, description="A last chunk with the tokens used.")


class Ours(_Asked):
    """What only Sourcebook knows: fields of its own ask, under `sourcebook`."""

    source_ids: list[UUID] | None = Field(None, min_length=1, max_length=10_000, description="Ask only these sources.")
    conversation_id: UUID | None = Field(None, description="Go on with this conversation; earlier messages are left out then.")
    context: SmallMap | None = Field(None, description="Facts of the host application.")
    answer_language: Language | None = Field(None, description="Answer in this language.")


class ChatAsk(_Asked):
    """A chat completion request: `notebook:<id>` or `assistant:<slug>` as the model."""

    model: str = Field(description="`notebook:<id>` or `assistant:<slug>`, as `/v1/models` lists them.", max_length=300)
    messages: list[ChatMessage] = Field(min_length=1, max_length=2000, description="The conversation so far, the question last.")
    stream: bool | None = Field(None, description="Tell the answer as it is written, as server-sent events.")
    stream_options: StreamOptions | None = Field(None, description="What a stream tells beside the answer.")
    n: int | None = Field(None, description="Only 1.")
    sourcebook: Ours | None = Field(None, description="What only Sourcebook knows.")


class OpenAIProblem(BaseModel):
    """What went wrong, as OpenAI's clients read it."""

    message: str = Field(description="What happened and what to do now.")
    type: str = Field(description="Family of the problem.")
    param: str | None = Field(description="Always null.")
    code: str = Field(description="Stable name of the problem, one of Sourcebook's.")


class OpenAIErrorBody(BaseModel):
    """The body of every refused request of this face."""

    error: OpenAIProblem = Field(description="What went wrong.")


class OpenAIModel(BaseModel):
    """Something that can be asked."""

    id: str = Field(description="`notebook:<id>` or `assistant:<slug>`.")
    object: Literal["model"] = Field("model", description="Always `model`.")
    created: int = Field(description="Unix seconds.")
    owned_by: Literal["sourcebook"] = Field("sourcebook", description="Always `sourcebook`.")
    name: str = Field(description="Its title.")


class OpenAIModelList(BaseModel):
    """Everything the caller can ask."""

    object: Literal["list"] = Field("list", description="Always `list`.")
    data: list[OpenAIModel] = Field(description="Notebooks, then assistants.")


class Completion(BaseModel):
    """A whole answer; its message carries `citations` and `checks` as `/ask` tells them."""

    id: str = Field(description="`chatcmpl-` and the turn's id.")
    object: Literal["chat.completion"] = Field("chat.completion", description="Always `chat.completion`.")
    created: int = Field(description="Unix seconds.")
    model: str = Field(description="What was asked.")
    choices: list[dict[str, Any]] = Field(description="One: `message` with `content`, `citations`, `checks`, and `finish_reason`.")
    usage: dict[str, int] | None = Field(description="Tokens used; null where the model did not count them.")
