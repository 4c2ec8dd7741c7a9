"""Rows of the ledger that no other test holds: silent and endless streams, roles at their own addresses, words kept whole."""

import json
import unicodedata
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pytest

from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.integration.gateway_rig import Api, as_extra, refused, working_gateway
from tests.integration.test_gateway_answers import Frame, frames_of, text_of
from tests.rig import Running, TestPostgres

LAKE = "The lake was measured in spring. It is 40 metres deep at its southern end. Boats are not allowed there."
QUESTION = "How deep is the lake at its southern end?"
CZECH = "Jak hluboké je jezero na jižním konci?"
KEY = "one-key-for-all"
STREAM = {"Accept": "text/event-stream"}
FREE = {"per_person_hour": 0, "per_address_minute": 0, "everyone_hour": 0, "at_once": 0, "at_once_person": 0}


@dataclass
class Stack:
    """One stack whose roles are four providers, each at an address of its own; the embedding model is this machine's."""

    api: Api
    rag: Running
    chat: FakeProvider
    translate: FakeProvider
    embedding: FakeProvider

    def notebook(self, profile: str = "docs", **overrides: Any) -> str:
        """A notebook of this profile with the lake in it."""
        settings = {"limits": FREE} | overrides
        made = self.api.post("/notebooks", {"title": "Lake", "profile": profile, "profile_settings": settings})
        assert made.status_code == 201, made.text
        notebook = str(made.json()["id"])
        source = self.api.text(notebook, LAKE, title="Lake report")
        self.api.ready(source["id"])
        return notebook

    def ask(self, notebook: str, question: str = QUESTION, **body: Any) -> dict[str, Any]:
        """The whole answer, as JSON."""
        told = self.api.post(f"/notebooks/{notebook}/ask", {"question": question, **body}, timeout=60)
        assert told.status_code == 200, told.text
        return dict(told.json())

    def stream(self, notebook: str) -> list[Frame]:
        """The frames of an answer."""
        told = self.api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION}, headers=STREAM, timeout=60)
        assert told.status_code == 200, told.text
        return frames_of(told.text)


def ends(frames: list[Frame]) -> list[str]:
    """The names of the frames that end a stream."""
    return [frame.name for frame in frames if frame.name in ("done", "error")]


@pytest.fixture(scope="module")
def whole(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with FakeProvider() as chat, FakeProvider() as translate, FakeProvider() as embedding:
        models = chat.settings("CHAT", API_KEY=KEY) | translate.settings("TRANSLATE", API_KEY=KEY)
        models |= embedding.settings("EMBEDDING", API_KEY=KEY, PROVIDER="local", DIMENSION="64")
        extra = as_extra(models) | {"ASKS_PER_MINUTE": "0", "COMMENT_S": "0.3"}
        with working_gateway(postgres, tmp_path_factory.mktemp("rows"), **extra) as (processes, api, _):
            yield Stack(api, processes.running[-1], chat, translate, embedding)


@pytest.fixture
def stack(whole: Stack) -> Stack:
    """The stack with nothing asked and nothing scripted yet."""
    for fake in (whole.chat, whole.translate, whole.embedding):
        fake.script.reset()
    return whole


def test_each_role_is_asked_at_its_own_address_and_the_key_reaches_only_hosted_ones(stack: Stack) -> None:
    # S0-85, S0-86, S0-87, S0-100: one key given to every role; the embedding model is of this machine.
    notebook = stack.notebook()
    for fake in (stack.chat, stack.translate, stack.embedding):
        fake.script.forget_requests()
    stack.translate.script.add(Reply(text=QUESTION))
    stack.chat.script.add(Reply(text="Je hluboké 40 metrů [1]."))
    stack.ask(notebook, CZECH)
    asked = {name: fake.script.requests() for name, fake in vars(stack).items() if isinstance(fake, FakeProvider)}
    asked = {name: [one for one in requests if one.kind != "models"] for name, requests in asked.items()}
    assert {name: {(one.kind, one.model) for one in requests} for name, requests in asked.items()} == {
        "chat": {("chat", "fake-chat")}, "translate": {("chat", "fake-translate")}, "embedding": {("embeddings", "fake-embed")},
    }  # fmt: skip
    assert {one.headers["authorization"] for name in ("chat", "translate") for one in asked[name]} == {f"Bearer {KEY}"}
    assert not any(KEY in str(one.headers) for one in asked["embedding"])


def test_a_number_of_an_earlier_answer_is_flagged_and_one_of_the_asker_is_not(stack: Stack) -> None:
    # S0-58, N-09: nor does the number of a mark, or the pinned constants (2, 3, 20, 40) and others beside them.
    notebook = stack.notebook()
    history = [{"role": "user", "content": "I counted 17 boats."}, {"role": "assistant", "content": "There were 23 of them [1]."}]
    stack.chat.script.add(Reply(text="There were 17 boats, 23 oars and 20 % more in 1 year [1]."))
    checks = stack.ask(notebook, history=history)["checks"]
    assert checks["ungrounded_numbers"] == ["23", "1"] and not checks["numbers_grounded"]


def test_a_model_that_falls_silent_is_bridged_by_comments_and_no_frame_is_packed_or_split(stack: Stack) -> None:
    # S0-64, S0-65, S0-68, B48, N-01: a blank line of the answer stays inside of its frame.
    notebook = stack.notebook()
    stack.chat.script.add(Reply(pieces=("It is deep.\n\n", "It is 40\n\nmetres ", "deep — ", "[1]."), hold="silent", after=2))
    headers, said, released = {**STREAM, "Accept-Encoding": "gzip, br"}, "", False
    with stack.api.http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": QUESTION}, headers=headers, timeout=60) as told:
        assert "content-encoding" not in told.headers and "no-transform" in told.headers["cache-control"]
        for piece in told.iter_text():
            said += piece
            if not released and said.partition("event: token")[2].count(": still here") >= 2:
                stack.chat.script.release("silent")
                released = True
    frames = frames_of(said)
    assert released and ends(frames) == ["done"] == [frames[-1].name]
    assert text_of(frames) == frames[-1].data["answer"] == "It is deep.\n\nIt is 40\n\nmetres deep — [1]." and "—" in said


def test_a_model_that_writes_for_too_long_ends_the_stream_once_and_its_place_is_free(stack: Stack) -> None:
    # S0-69, S0-64, S0-81, N-02: 180 seconds are four here.
    notebook = stack.notebook(answer={"total_s": 4.0}, limits=FREE | {"at_once_person": 1})
    stack.chat.script.add(Reply(text="It is 40 metres deep and more is told", hold="never", after=4))
    frames = stack.stream(notebook)
    assert ends(frames) == ["error"] == [frames[-1].name] and text_of(frames).startswith("It is 40")
    assert (frames[-1].data["code"], frames[-1].data["retryable"]) == ("model_timeout", True)
    stack.chat.script.release("never")
    stack.chat.script.add(Reply(text="It is 40 metres deep [1]."))
    assert stack.ask(notebook)["answer"] == "It is 40 metres deep [1]."


@pytest.mark.parametrize("reply", [Reply(text="", reasoning="Long thoughts."), Reply(text="<think>no end"), Reply(text=" \n ")])
def test_a_reply_without_an_answer_is_never_an_empty_success(stack: Stack, reply: Reply) -> None:
    # S0-50, N-03: an error in every form; nothing of it is shown or told to a later prompt.
    notebook = stack.notebook()
    stack.chat.script.add(reply, reply)
    refused(stack.api.post(f"/notebooks/{notebook}/ask", {"question": QUESTION}), 503, "model_bad_reply")
    frames = stack.stream(notebook)
    assert ends(frames) == ["error"] and text_of(frames) == "" and "thoughts" not in json.dumps([frame.data for frame in frames])


def test_hidden_sources_change_no_prompt_and_the_log_names_what_was_used(stack: Stack) -> None:
    # S0-74: the same messages but for the fence, which is new for each request.
    notebook = stack.notebook()
    source = stack.api.get(f"/notebooks/{notebook}/sources").json()["items"][0]["id"]
    stack.chat.script.forget_requests()
    stack.chat.script.add(Reply(text="It is 40 metres deep [1].", times=2))
    shown = stack.ask(notebook)
    stack.api.patch(f"/notebooks/{notebook}", {"profile_settings": {"citations": {"sources": "hidden"}}})
    hidden = stack.ask(notebook)
    assert shown["sources"] and source not in json.dumps(hidden) and hidden["answer"] == "It is 40 metres deep."
    asked = [json.dumps(request.body) for request in stack.chat.script.asked()]
    fences = [body.partition("<<")[2][:18] for body in asked]
    assert asked[0].replace(fences[0], "fence") == asked[1].replace(fences[1], "fence")
    ended = [line for line in stack.rag.said().splitlines() if "turn.ended" in line]
    assert source in ended[-1] and source in ended[-2]


def test_what_is_pasted_and_what_is_uploaded_is_one_source_and_the_same_to_the_last_sign(stack: Stack) -> None:
    # S3-02, S3-24, S3-04: line ends, blanks, marks that combine and signs without width stay; chunks are slices.
    text = unicodedata.normalize("NFD", "Un café — naïve.\r\nTrailing  \u00a0\u200b\t\n\n") + "\ufb01n \u202bend\u202c\r\n  "
    made = stack.api.post("/notebooks", {"title": "Mara", "profile": "persona"}).json()["id"]
    pasted = stack.api.text(made, text, title="Note", format="plain")
    stack.api.ready(pasted["id"])
    uploaded = stack.api.upload(made, ("note.txt", text.encode()))
    assert uploaded.json()["items"][0]["source"]["id"] == pasted["id"]
    assert stack.api.get(f"/sources/{pasted['id']}/text").content.decode() == text


def test_of_questions_asked_at_one_moment_in_one_conversation_one_is_answered(stack: Stack) -> None:
    # S4-34: the others are refused, and the first is whole.
    notebook = stack.notebook("notebook")
    stack.chat.script.write_with(lambda request: Reply(text="It is 40 metres deep [1].", delay_s=0.3))
    talk = stack.ask(notebook)["conversation_id"]

    def again(number: int) -> int:
        body = {"question": f"{QUESTION} ({number})", "conversation_id": talk}
        told = stack.api.post(f"/notebooks/{notebook}/ask", body, timeout=60)
        assert told.status_code == 200 or refused(told, 409, "turn_running")
        return told.status_code

    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(again, range(4)))
    turns = stack.api.get(f"/conversations/{talk}").json()["turns"]
    assert statuses.count(200) == len(turns) - 1 >= 1 and all(turn["status"] == "done" for turn in turns)
