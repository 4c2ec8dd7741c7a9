"""Chat through the real client against the fake provider: streams, faults, retries, refused parameters."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest
from pydantic import SecretStr

from sourcebook_core.errors import PermanentError, SourcebookError, TransientError
from sourcebook_core.providers import chat
from sourcebook_core.providers.endpoint import OPEN_AFTER, forget
from sourcebook_core.providers.request import close_clients
from sourcebook_core.settings import RoleSettings
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply

ASKED = [{"role": "user", "content": "How deep is the lake?"}]


@pytest.fixture(autouse=True)
async def clean() -> AsyncIterator[None]:
    forget()
    yield
    await close_clients()


def role(fake: FakeProvider, **fields: object) -> RoleSettings:
    given = {"name": "chat", "provider": "api", "base_url": fake.base_url, "model": "fake", "api_key": SecretStr("sk-1"), **fields}
    return RoleSettings.model_validate(given)


async def read(asked: RoleSettings) -> tuple[str, chat.End | None, SourcebookError | None]:
    """Text, end and error of one stream."""
    text, end = "", None
    try:
        async for piece in chat.stream(asked, ASKED):
            text, end = text + piece.text, piece.end
    except SourcebookError as error:
        return text, end, error
    return text, end, None


async def test_a_stream_gives_its_text_piece_by_piece_and_its_usage_at_the_end(fake: FakeProvider) -> None:
    fake.script.add(Reply(pieces=("It is ", "40 m ", "deep [1]."), prompt_tokens=7, completion_tokens=9))
    pieces = [piece async for piece in chat.stream(role(fake), ASKED)]
    assert [piece.text for piece in pieces] == ["It is ", "40 m ", "deep [1].", ""]
    assert pieces[-1].end == chat.End("stop", chat.Usage(7, 9), "fake")


async def test_every_call_has_the_same_form(fake: FakeProvider) -> None:
    await read(role(fake))
    await chat.complete(role(fake), ASKED)
    streamed, whole = (dict(request.body) for request in fake.script.requests("chat"))
    assert streamed.pop("stream") is True
    assert streamed.pop("stream_options") == {"include_usage": True}
    assert streamed == whole
    assert whole == {"model": "fake", "messages": ASKED, "temperature": 0.0, "max_tokens": 1500, "reasoning_effort": "none"}


async def test_the_key_goes_only_to_a_hosted_role(fake: FakeProvider) -> None:
    await read(role(fake))
    await read(role(fake, provider="local"))
    hosted, local = fake.script.requests("chat")
    assert hosted.headers["authorization"] == "Bearer sk-1"
    assert "authorization" not in local.headers


async def test_a_role_that_is_off_says_so() -> None:
    with pytest.raises(PermanentError) as caught:
        await chat.complete(RoleSettings(name="chat"), ASKED)
    assert caught.value.code == "no_model"


async def test_refused_parameters_are_left_out_and_remembered(fake: FakeProvider) -> None:
    fake.script.rules.refused_parameters = ("reasoning_effort", "stream_options", "max_tokens")
    for _ in range(2):
        text, end, error = await read(role(fake))
        assert (text, error) == (fake.script.rules.answer, None)
    assert end is not None and end.usage is None
    bodies = [request.body for request in fake.script.requests("chat")]
    assert len(bodies) == 5  # three refusals in the first call, none in the second
    assert "max_completion_tokens" in bodies[-1]
    assert not {"reasoning_effort", "stream_options", "max_tokens"} & set(bodies[-1])


async def test_a_refusal_of_another_kind_is_not_retried(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=400, message="This text is about temperatures and other things; it is refused."))
    _, _, error = await read(role(fake))
    assert isinstance(error, PermanentError)
    assert (error.code, len(fake.script.requests())) == ("model_refused", 1)


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (Reply(status=400, message="no such thing"), "model_refused"),
        (Reply(status=401), "model_unauthorized"),
        (Reply(status=403), "model_unauthorized"),
        (Reply(status=402), "model_out_of_credit"),
        (Reply(status=429, code="insufficient_quota"), "model_out_of_credit"),
        (Reply(status=404), "model_refused"),
        (Reply(status=422, body='{"detail": "no"}'), "model_refused"),
        (Reply(status=400, code="context_length_exceeded"), "context_too_long"),
        (Reply(status=400, message="This model's maximum context length is 4096 tokens; lower max_tokens."), "context_too_long"),
        (Reply(status=413), "context_too_long"),
        (Reply(status=307), "model_refused"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value.status),
)
async def test_a_permanent_refusal_is_one_call(fake: FakeProvider, reply: Reply, code: str) -> None:
    fake.script.add(reply)
    _, _, error = await read(role(fake))
    assert isinstance(error, PermanentError)
    assert (error.code, len(fake.script.requests())) == (code, 1)


@pytest.mark.parametrize("status", [500, 502, 503, 429, 409])
async def test_a_transient_failure_is_tried_again(fake: FakeProvider, status: int) -> None:
    fake.script.add(Reply(status=status, retry_after="0"))
    assert (await read(role(fake)))[0] == fake.script.rules.answer
    fake.script.add(Reply(status=status, retry_after="0"))
    assert (await chat.complete(role(fake), ASKED)).text == fake.script.rules.answer
    assert len(fake.script.requests()) == 4


async def test_the_calls_for_one_request_are_bounded(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=503, retry_after="0", times=0))
    _, _, error = await read(role(fake))
    assert isinstance(error, TransientError)
    assert (error.code, len(fake.script.requests())) == ("model_unavailable", 3)


async def test_a_long_wish_to_wait_is_left_to_the_job(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=429, retry_after="90"))
    _, _, error = await read(role(fake))
    assert isinstance(error, TransientError)
    assert (error.code, error.retry_after_s, len(fake.script.requests())) == ("model_rate_limited", 90.0, 1)


async def test_an_endpoint_that_stays_away_is_held_off_and_others_are_not(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=503, retry_after="0", match="gone", times=0))
    gone = role(fake, model="gone")
    for _ in range(OPEN_AFTER):
        await read(gone)
    asked = len(fake.script.requests())
    _, _, error = await read(gone)
    assert isinstance(error, TransientError) and error.retry_after_s
    assert len(fake.script.requests()) == asked
    assert (await read(role(fake)))[2] is None


async def test_a_model_that_never_answers_is_asked_twice(fake: FakeProvider) -> None:
    fake.script.add(Reply(hang=True, times=0))
    for call in (read(role(fake, first_byte_s=1.5)), read(role(fake, timeout_s=1.5))):
        _, _, error = await call
        assert isinstance(error, TransientError) and error.code == "model_timeout"
    assert len(fake.script.requests()) == 4


async def test_a_model_that_stops_talking_is_given_up(fake: FakeProvider) -> None:
    fake.script.add(Reply(text="one two three", hold="never", after=1))
    text, _, error = await read(role(fake, timeout_s=4))
    assert text == "one "
    assert error is not None and error.code == "model_timeout"


@pytest.mark.parametrize("fault", ["cut", "end", "utf8", "json", "error"])
async def test_a_stream_that_breaks_keeps_what_came_and_is_not_asked_again(fake: FakeProvider, fault: str) -> None:
    fake.script.add(Reply(text="one two three", broken=fault, after=2))  # type: ignore[arg-type]
    text, end, error = await read(role(fake))
    assert (text, end) == ("one two ", None)
    assert isinstance(error, TransientError)
    assert len(fake.script.requests()) == 1


async def test_a_stream_that_breaks_before_its_text_is_asked_again(fake: FakeProvider) -> None:
    fake.script.add(Reply(text="one two", broken="cut", after=0))
    assert (await read(role(fake)))[0] == fake.script.rules.answer


@pytest.mark.parametrize(
    "reply",
    [
        Reply(text=""),
        Reply(text=" \n "),
        Reply(text="", reasoning="Let me think."),
        Reply(text="", reasoning="Let me think", finish="length"),
        Reply(text="", finish="content_filter"),
        Reply(text="<think>Let me think, and think"),
        Reply(pieces=("<thi", "nk>", "Hm."), finish="length"),
    ],
    ids=lambda reply: f"{reply.text}{reply.reasoning}{reply.finish}"[:30],
)
async def test_a_reply_without_an_answer_is_an_error_that_says_what_it_cost(fake: FakeProvider, reply: Reply) -> None:
    fake.script.add(reply, reply)
    text, _, error = await read(role(fake))
    assert text == ""
    assert isinstance(error, PermanentError) and error.code == "model_bad_reply"
    assert error.facts["usage"]["prompt_tokens"] > 0
    with pytest.raises(PermanentError) as caught:
        await chat.complete(role(fake), ASKED)
    assert caught.value.code == "model_bad_reply"


@pytest.mark.parametrize("pieces", [("<think>Hm.</think>\n\n", "It is 40 m."), ("<th", "ink>Hm.</thi", "nk> It is", " 40 m.")])
async def test_a_leading_block_of_thinking_is_left_out(fake: FakeProvider, pieces: tuple[str, ...]) -> None:
    fake.script.add(Reply(pieces=pieces), Reply(pieces=pieces))
    assert (await read(role(fake)))[0] == "It is 40 m."
    assert (await chat.complete(role(fake), ASKED)).text == "It is 40 m."


async def test_thinking_without_an_opening_tag_is_left_out_once_it_is_known(fake: FakeProvider) -> None:
    fake.script.add(Reply(pieces=("Let me see.", "</think>", "It is 40 m."), times=3))
    assert (await chat.complete(role(fake), ASKED)).text == "It is 40 m."
    _, _, error = await read(role(fake))
    assert error is not None and error.code == "model_bad_reply"
    assert (await read(role(fake)))[0] == "It is 40 m."
    assert (await read(role(fake)))[0] == fake.script.rules.answer


async def test_a_tag_in_an_answer_about_tags_stays(fake: FakeProvider) -> None:
    fake.script.add(Reply(text="Write <think> and then </think> around it < so."))
    assert (await read(role(fake)))[0] == "Write <think> and then </think> around it < so."


async def test_no_longer_reading_stops_the_model(fake: FakeProvider) -> None:
    fake.script.add(Reply(text="a " * 2000, piece_delay_s=0.005))
    async with aclosing(chat.stream(role(fake), ASKED)) as pieces:
        async for piece in pieces:
            assert piece.text
            break
    assert (await read(role(fake)))[2] is None  # the connection is free and the next call works


async def test_the_key_is_not_in_what_is_shown(fake: FakeProvider) -> None:
    fake.script.add(Reply(status=400, message="The key sk-1 may not do this."))
    _, _, error = await read(role(fake))
    assert error is not None and "sk-1" not in error.message


async def test_an_address_that_is_a_web_site_says_check_the_address(fake: FakeProvider) -> None:
    fake.script.add(Reply(body="<html>Welcome</html>"))
    with pytest.raises(PermanentError) as caught:
        await chat.complete(role(fake), ASKED)
    assert "address" in caught.value.message


async def test_a_model_that_one_reply_made_look_like_thinking_aloud_streams_again(fake: FakeProvider) -> None:
    fake.script.add(Reply(pieces=("Let me see.", "</think>", "It is 40 m.")))
    assert (await read(role(fake)))[2] is not None
    fake.script.add(Reply(pieces=("It is", " 40 m."), times=2))
    pieces = []
    for _ in range(2):
        pieces.append([piece.text async for piece in chat.stream(role(fake), ASKED) if piece.text])
    assert pieces == [["It is 40 m."], ["It is", " 40 m."]]  # the first is held until it is sure


async def test_a_reply_that_never_ends_is_left_at_a_bound_also_while_it_thinks(fake: FakeProvider) -> None:
    fake.script.add(Reply(pieces=("Let me see.", "</think>", "It is 40 m.")))
    await read(role(fake))
    fake.script.add(Reply(pieces=tuple(["and so on " * 2000] * 40)))
    text, end, error = await read(role(fake))
    assert error is None and end is not None and end.finish == "length"
    assert len(text) <= chat.MAX_REPLY_CHARS + 20_000
