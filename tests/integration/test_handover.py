"""A visitor who wants a person, one who waits so long and no longer, and one whose assistant loses a source while it answers."""

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from tests.fakes.mail_server import MailServer
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import Answer, Website
from tests.integration.assistant_rig import Booth, Visitor, booth
from tests.integration.gateway_rig import as_extra, refused
from tests.rag_rig import chat_settings
from tests.rig import TestPostgres, until_sync

LAKE = "The lake is forty metres deep at its southern end. Boats are not allowed."
QUESTION = "How deep is the lake at its southern end?"


@pytest.fixture(scope="module")
def outside() -> Iterator[tuple[MailServer, Website, FakeProvider]]:
    with MailServer(busy=1) as mail, Website() as site, FakeProvider() as fake:
        yield mail, site, fake


@pytest.fixture(scope="module")
def here(
    postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory, outside: tuple[MailServer, Website, FakeProvider]
) -> Iterator[Booth]:
    mail, site, fake = outside
    chat = as_extra(chat_settings(fake))
    more = {
        "SMTP_HOST": "127.0.0.1", "SMTP_PORT": str(mail.port), "SMTP_TLS": "off", "SMTP_FROM": "help@corp.example",
        "URL_ALLOW": site.place, "BACKOFF_S": "0.1",
    }  # fmt: skip
    with booth(postgres, tmp_path_factory.mktemp("handover"), **more, **chat) as made:
        yield made


def led(here: Booth, source: str, handover: dict[str, Any]) -> tuple[dict[str, Any], Visitor]:
    assistant = here.assistant(source, handover=handover)
    return assistant, here.signed_in(assistant, "employee-7")


@pytest.fixture(scope="module")
def lake(here: Booth) -> str:
    return here.source(LAKE)


def test_a_conversation_goes_to_a_person_by_mail_once(here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]) -> None:
    mail, _, fake = outside
    assistant, visitor = led(here, lake, {"kind": "mail", "to": "desk@corp.example"})
    refused(visitor.post("/handover"), 409, "nothing_said")
    fake.script.add(Reply(text="It is forty metres deep [1]."))
    assert visitor.ask(QUESTION)["usage"]["cost"] is None and visitor.get("/conversation").json()["turns"][0]["usage"]["llm_calls"] == 1
    wish = {"reply_to": "ada@corp.example", "note": "Please call.\nBcc: all@corp.example"}
    told = [visitor.post("/handover", wish) for _ in range(3)]
    assert [one.status_code for one in told] == [202] * 3 and told[0].json() == {"kind": "mail", "to": None, "queued": True}
    until_sync(lambda: mail.letters, 60, "the mail to arrive, after the server was busy once")
    (letter,) = mail.letters
    assert (letter["To"], letter["Reply-To"], letter["Bcc"]) == ("desk@corp.example", "ada@corp.example", None)
    body = letter.get_content()
    assert QUESTION in body and "It is forty metres deep" in body and "Please call." in body and "Manual" in body
    refused(visitor.post("/handover", {"reply_to": "x\r\nBcc: y@z.org"}), 422, "invalid_field")
    fake.script.add(Reply(text="No [1]."))
    visitor.ask("Are boats allowed on the lake?")
    visitor.post("/handover")
    until_sync(lambda: len(mail.letters) == 2, 60, "the second mail")
    assert mail.letters[1]["Message-ID"] != letter["Message-ID"] and assistant["name"] in letter["Subject"]


def test_a_webhook_gets_the_conversation_signed(here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]) -> None:
    _, site, fake = outside
    failures = iter([503])
    site.pages["/desk"] = lambda head: Answer(b"{}", next(failures, 200))
    assistant, visitor = led(here, lake, {"kind": "webhook", "to": site.url("/desk")})
    secret = here.api.get(f"/assistants/{assistant['id']}").json()["webhook_secret"]
    fake.script.add(Reply(text="It is forty metres deep [1]."))
    visitor.ask(QUESTION)
    assert visitor.post("/handover", {"note": "urgent"}).status_code == 202
    until_sync(lambda: site.asked("/desk") == 2, 60, "the webhook to be told, after it failed once")
    head, body = site.seen[-1], site.bodies[-1]
    assert "User-Agent: Sourcebook/0.1 (sends signed messages to a webhook" in head and "reads pages" not in head
    at, given = re.findall(r"t=(\d+),v1=([0-9a-f]+)", head)[0]
    assert hmac.compare_digest(given, hmac.new(secret.encode(), f"{at}.".encode() + body, hashlib.sha256).hexdigest())
    told = json.loads(body)
    assert told["event"] == "handover" and told["data"]["visitor"]["subject"] == "employee-7" and told["data"]["note"] == "urgent"
    assert [one["question"] for one in told["data"]["conversation"]] == [QUESTION]
    assert json.loads(site.bodies[-2])["id"] == told["id"]


def test_a_hand_over_is_told_to_the_owners_own_webhooks_once_and_without_a_word(
    here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]
) -> None:
    mail, site, fake = outside
    site.pages["/owner"] = Answer(b"thanks")
    made = here.api.post("/webhooks", {"url": site.url("/owner"), "events": ["handover"]})
    assert made.status_code == 201, made.text
    assistant, visitor = led(here, lake, {"kind": "mail", "to": "owner@corp.example"})

    def told() -> dict[str, dict[str, Any]]:
        """What the webhook was told, by its id: one message may come twice."""
        return {one["id"]: one for one in (json.loads(body) for body in site.bodies if b"handover_id" in body)}

    def hand_over(question: str, before: int) -> None:
        fake.script.add(Reply(text="It is as it says [1]."))
        visitor.ask(question)
        assert [visitor.post("/handover").status_code for _ in range(3)] == [202] * 3
        until_sync(lambda: len(told()) > before, 60, "the owner's webhook to be told")

    hand_over(QUESTION, 0)
    hand_over("Are boats allowed on the lake?", 1)
    messages = list(told().values())
    assert [one["event"] for one in messages] == ["handover"] * 2
    assert all(set(one["data"]) == {"handover_id", "assistant_id", "kind"} for one in messages)
    assert {(one["data"]["assistant_id"], one["data"]["kind"]) for one in messages} == {(assistant["id"], "mail")}
    until_sync(lambda: [one for one in mail.letters if one["To"] == "owner@corp.example"][1:], 60, "both mails")
    assert here.api.delete(f"/webhooks/{made.json()['id']}").status_code == 204


def test_a_visitor_who_waits_too_short_gets_how_far_it_is_and_who_waits_the_answer(
    here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]
) -> None:
    _, _, fake = outside
    _, visitor = led(here, lake, {"kind": "none"})
    fake.script.add(Reply(text="It is forty metres deep at its end [1].", hold="visitor waits", after=2))
    early = visitor.post("/ask?wait=1s", {"question": QUESTION})
    assert early.status_code == 202 and early.json()["status"] in ("queued", "running")
    fake.script.release("visitor waits")
    until_sync(lambda: visitor.get("/conversation").json()["turns"][0]["status"] == "done", 60, "the answer")
    assert visitor.get("/conversation").json()["turns"][0]["id"] == early.json()["id"]
    fake.script.add(Reply(text="No [1]."))
    whole = visitor.post("/ask?wait=ready", {"question": "Are boats allowed on the lake?"})
    assert whole.status_code == 200 and whole.json()["finish"] == "complete" and whole.json()["usage"]["cost"] is None
    refused(visitor.post("/ask?wait=soon", {"question": QUESTION}), 422, "invalid_field")


def test_an_anonymous_visitor_must_say_where_they_are_reached_and_a_signed_in_one_need_not(
    here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]
) -> None:
    mail, _, fake = outside
    assistant = here.assistant(lake, handover={"kind": "mail", "to": "anonymous@corp.example"})
    visitor = here.anonymous(assistant["slug"])
    fake.script.add(Reply(text="It is forty metres deep [1]."))
    visitor.ask(QUESTION)
    without: tuple[dict[str, Any] | None, ...] = (None, {}, {"note": "Call me."}, {"reply_to": None})
    for wish in without:
        told = visitor.post("/handover", wish)
        refused(told, 422, "contact_needed")
        assert "e-mail address or a phone number" in told.json()["error"]["message"]
    told = visitor.post("/handover", {"reply_to": "ask me"})
    refused(told, 422, "invalid_field")
    assert "reply_to: it is neither an e-mail address nor a phone number" in told.json()["error"]["message"]
    assert visitor.post("/handover", {"reply_to": "+44 20 7946-0958"}).status_code == 202

    def letters() -> list[Any]:
        return [one for one in mail.letters if one["To"] == "anonymous@corp.example"]

    until_sync(letters, 60, "the mail to arrive")
    assert letters()[0]["Reply-To"] is None and "Answer to: +44 20 7946-0958" in letters()[0].get_content()
    _, known = led(here, lake, {"kind": "mail", "to": "known@corp.example"})
    fake.script.add(Reply(text="It is forty metres deep [1]."))
    known.ask(QUESTION)
    assert known.post("/handover").status_code == 202
    linked = here.anonymous(here.assistant(lake, handover={"kind": "link", "to": "https://corp.example/help"})["slug"])
    assert linked.post("/handover").json()["kind"] == "link"


def test_a_link_is_told_and_where_nobody_is_there_nothing(here: Booth, lake: str) -> None:
    _, visitor = led(here, lake, {"kind": "link", "to": "https://corp.example/help"})
    assert visitor.get().json()["handover"] == "link"
    assert visitor.post("/handover").json() == {"kind": "link", "to": "https://corp.example/help", "queued": False}
    _, alone = led(here, lake, {"kind": "none"})
    refused(alone.post("/handover"), 404, "not_found")


def test_a_grant_taken_back_while_an_answer_streams_gives_no_further_passage(
    here: Booth, outside: tuple[MailServer, Website, FakeProvider]
) -> None:
    # F34: what was searched already ends; the next search, and what is carried into it, has nothing of the source.
    _, _, fake = outside
    canary = f"Kupferkessel{uuid4().hex[:6]}"
    secret = here.source(f"The code of the gate is {canary}. It is changed in spring by the guard.")
    assistant = here.assistant(secret, here.source(f"The gate of the park is green. {uuid4()}"))
    visitor = here.signed_in(assistant, "ada")
    fake.script.add(Reply(text="The guard changes it in spring [1].", hold="streaming", after=3))
    question = "What is the code of the gate?"

    def asked() -> list[str]:
        return [one.said for one in fake.script.asked() if question in one.said]

    with ThreadPoolExecutor(1) as pool:
        answering = pool.submit(visitor.ask, question)
        until_sync(asked, 60, "the model to be asked")
        assert here.api.delete(f"/assistants/{assistant['id']}/sources/{secret}").status_code == 204
        fake.script.release("streaming")
        done = answering.result(60)
    assert done["finish"] == "complete"
    fake.script.add(Reply(text="I do not know."))
    after = visitor.ask(question)
    assert canary not in asked()[-1] and canary not in json.dumps(after)
    (first, _) = visitor.get("/conversation").json()["turns"]
    assert all(one["removed"] for one in first["citations"] if one["source_id"] == secret)


def test_a_worker_killed_after_the_mail_left_sends_it_under_the_same_id(
    here: Booth, lake: str, outside: tuple[MailServer, Website, FakeProvider]
) -> None:
    mail, _, fake = outside
    _, visitor = led(here, lake, {"kind": "mail", "to": "desk@corp.example"})
    fake.script.add(Reply(text="It is forty metres deep [1]."))
    visitor.ask(QUESTION)
    before = len(mail.letters)
    for worker in here.processes.running:
        if worker.name == "ingest":
            worker.kill()
    waiting = here.processes.start("ingest", FAULT_AT="handover.sent", LEASE_S="2", RENEW_S="0.5")
    assert visitor.post("/handover").status_code == 202
    until_sync(lambda: waiting.is_at("handover.sent"), 60, "the worker to have sent the mail")
    waiting.kill()
    here.processes.start("ingest")
    until_sync(lambda: len(mail.letters) == before + 2, 60, "another worker to send it again")
    assert len({letter["Message-ID"] for letter in mail.letters[before:]}) == 1
    assert visitor.post("/handover").json()["queued"] and len(mail.letters) == before + 2
