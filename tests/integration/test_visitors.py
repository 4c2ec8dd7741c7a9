"""The public tree: sites, tokens, and that no visitor, assistant or session of a person ever meets what is another's."""

import base64
import json
import secrets
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from uuid import uuid4

import httpx2
import pytest

from sourcebook_core import seal
from sourcebook_core import settings as core_settings
from tests.integration.assistant_rig import SITE, Booth, Visitor, booth
from tests.integration.gateway_rig import refused
from tests.rig import TestPostgres

LAKE = "The lake is forty metres deep at its southern end. Boats are not allowed."
QUESTION = "How deep is the lake at its southern end?"
KEY = secrets.token_urlsafe(32)
FOREIGN = "https://evil.example"


@pytest.fixture(scope="module")
def here(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booth]:
    folder = tmp_path_factory.mktemp("visitors")
    (folder / "web").mkdir()
    with booth(postgres, folder, SECRET_KEY=KEY, WEB_DIR=str(folder / "web")) as made:
        yield made


@pytest.fixture(scope="module")
def lake(here: Booth) -> str:
    return here.source(LAKE)


def test_a_page_of_another_site_gets_nothing_and_may_read_nothing(here: Booth, lake: str) -> None:
    slug = here.assistant(lake)["slug"]
    ours, theirs = here.anonymous(slug), Visitor(here.api.address, slug, site=FOREIGN)
    theirs.token = ours.token
    for answer in (theirs.get(), theirs.post("/session"), theirs.post("/ask", {"question": QUESTION}), theirs.get("/conversation")):
        refused(answer, 403, "site_not_allowed")
        assert "access-control-allow-origin" not in answer.headers
    for site in ("null", "https://help.example.org.evil.example", "http://help.example.org", "https://help.example.org:8443"):
        refused(Visitor(here.api.address, slug, site=site).post("/session"), 403, "site_not_allowed")
    refused(Visitor(here.api.address, slug, site=None).post("/session"), 403, "site_not_allowed")
    for answer in (
        ours.get(),
        ours.post("/ask", {"question": ""}),
        ours.post("/turns/x/stop"),
        Visitor(here.api.address, slug).post("/ask"),
    ):
        assert answer.headers["access-control-allow-origin"] == SITE and "origin" in answer.headers["vary"].lower()
        assert "access-control-allow-credentials" not in answer.headers and "set-cookie" not in answer.headers
        assert "default-src 'self'" in answer.headers["content-security-policy"]


def test_a_page_of_an_allowed_site_may_read_every_refusal_and_one_of_another_site_none(here: Booth, lake: str) -> None:
    slug = here.assistant(lake)["slug"]
    off = here.assistant(lake, publication={"mode": "off", "origins": [SITE]})["slug"]
    draft = here.api.post("/assistants", {"name": "Draft", "profile": "notebook", "publication": {"mode": "public", "origins": [SITE]}})
    token = here.anonymous(slug).token
    long = {"X-Long": "x" * 60_000, "X-Longer": "x" * 10_000}
    for status, at, method, path, body, headers in (
        (404, slug, "GET", "/nothing/of/this", None, {}), (404, slug, "POST", "/nothing", {}, {}), (405, slug, "DELETE", "", None, {}),
        (404, off, "GET", "", None, {}), (404, off, "POST", "/session", None, {}), (404, draft.json()["slug"], "GET", "", None, {}),
        (401, slug, "POST", "/ask", {"question": QUESTION}, {"Authorization": "Visitor nobody"}),
        (413, slug, "POST", "/ask", {"question": "x", "context": {"a": "b" * 300_000}}, {}),
        (415, slug, "POST", "/ask", {"question": QUESTION}, {"Content-Encoding": "gzip"}),
        (422, slug, "POST", "/ask", {"question": ""}, {}), (431, slug, "GET", "", None, long),
    ):  # fmt: skip
        for site in (SITE, FOREIGN):
            answer = Visitor(here.api.address, at, token, site).send(method, path, body, **headers)
            assert answer.headers.get("access-control-allow-origin") == (SITE if site == SITE else None), (status, at, method, path, site)
            assert "origin" in answer.headers["vary"].lower() and answer.headers["cache-control"] == "no-store"
            assert "access-control-allow-credentials" not in answer.headers
            if site == SITE:
                assert answer.status_code == status and answer.json()["error"]["message"], (status, at, method, path, answer.text)
                assert "X-Request-Id" in answer.headers["access-control-expose-headers"]
    # Of what is no assistant nothing is told to anybody, and a request without a site gets none.
    assert "access-control-allow-origin" not in Visitor(here.api.address, "nobody-here").get().headers
    assert "access-control-allow-origin" not in Visitor(here.api.address, off, site=None).get().headers
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    assert Visitor(here.api.address, off).send("OPTIONS", "/ask", **asked).status_code == 204
    assert Visitor(here.api.address, off, site=FOREIGN).send("OPTIONS", "/ask", **asked).status_code == 404


def test_a_browser_is_told_before_it_asks(here: Booth, lake: str) -> None:
    slug = here.assistant(lake)["slug"]
    asked = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization"}
    told = Visitor(here.api.address, slug).send("OPTIONS", "/ask", **asked)
    assert told.status_code == 204 and told.headers["access-control-allow-origin"] == SITE
    assert {"authorization", "last-event-id", "x-host-authorization"} <= set(told.headers["access-control-allow-headers"].split(", "))
    assert "access-control-allow-credentials" not in told.headers
    foreign = Visitor(here.api.address, slug, site=FOREIGN).send("OPTIONS", "/ask", **asked)
    refused(foreign, 403, "site_not_allowed")
    assert not [name for name in foreign.headers if name.startswith("access-control")]
    # Our own API stays closed: no route of it answers another site.
    own = httpx2.request("OPTIONS", f"{here.api.address}/api/v1/notebooks", headers={"Origin": SITE} | asked, timeout=60)
    assert own.status_code == 405 and not [name for name in own.headers if name.startswith("access-control")]


def test_neither_session_nor_token_of_a_person_counts_on_the_public_tree(here: Booth, lake: str) -> None:
    slug = here.assistant(lake)["slug"]
    owner = str(here.api.token)
    with httpx2.Client(base_url=here.api.address, timeout=30) as browser:
        signed = browser.post("/api/v1/auth/login", json={"token": owner})
        assert signed.status_code == 200 and browser.cookies.get("sourcebook_session")
        at = f"/public/v1/assistants/{slug}"
        cookie = {"Origin": SITE, "X-Sourcebook-CSRF": browser.cookies.get("sourcebook_csrf") or ""}
        refused(browser.post(f"{at}/ask", json={"question": QUESTION}, headers=cookie), 401, "visitor_unknown")
        refused(browser.get(f"{at}/conversation", headers={"Origin": SITE}), 401, "visitor_unknown")
        for scheme in ("Bearer", "Visitor"):
            bad = browser.get(f"{at}/conversation", headers={"Authorization": f"{scheme} {owner}"})
            refused(bad, 401, "visitor_unknown")
            assert bad.headers["www-authenticate"] == "Visitor"
        visitor = here.anonymous(slug)
        refused(
            httpx2.get(f"{here.api.address}/api/v1/notebooks", headers={"Authorization": f"Bearer {visitor.token}"}, timeout=60),
            401,
            "not_signed_in",
        )
        refused(
            httpx2.get(f"{here.api.address}/api/v1/me", headers={"Authorization": f"Visitor {visitor.token}"}, timeout=60),
            401,
            "not_signed_in",
        )


def test_a_token_that_ended_or_was_changed_or_is_anothers_opens_nothing(here: Booth, lake: str) -> None:
    one, two = here.assistant(lake), here.assistant(lake)
    good = here.signed_in(one, "ada")
    assert good.get("/conversation").status_code == 200
    settings = core_settings.load({"SOURCEBOOK_SECRET_KEY": KEY})
    told = {"for": "visitor", "a": one["id"], "s": "ada", "n": "", "anonymous": False, "until": 1}

    def made(**changes: object) -> str:
        sealed = seal.close_text(settings, json.dumps(told | changes))
        return base64.urlsafe_b64encode(sealed).decode().rstrip("=")

    assert Visitor(here.api.address, one["slug"], made(until=2**40)).get("/conversation").status_code == 200
    assert good.token is not None
    tokens = [made(), made(until=2**40, **{"for": "else"}), good.token[:-4], good.token[:-4] + "AAAA", "x", "", "A" * 5000]
    for token in tokens:
        refused(Visitor(here.api.address, one["slug"], token).get("/conversation"), 401, "visitor_unknown")
    at = f"{here.api.address}/public/v1/assistants/{one['slug']}/conversation"
    refused(httpx2.get(at, headers={b"Authorization": "Visitor é".encode()}, timeout=60), 401, "visitor_unknown")
    refused(Visitor(here.api.address, two["slug"], good.token).get("/conversation"), 401, "visitor_unknown")


def test_where_people_sign_in_nobody_else_gets_in_and_only_those_listed(here: Booth, lake: str) -> None:
    # S2-51: off until it is switched on, then only for those who were ticked.
    made = here.assistant(lake, publication={"mode": "off", "origins": [SITE]})
    path = f"/assistants/{made['id']}"
    refused(Visitor(here.api.address, made["slug"]).get(), 404, "not_found")
    refused(here.api.post(f"{path}/token", {"subject": "ada"}), 409, "conflict")
    here.api.patch(path, {"publication": {"mode": "signed_in", "subjects": ["ada"]}})
    refused(Visitor(here.api.address, made["slug"]).post("/session"), 403, "visitor_not_listed")
    refused(here.api.post(f"{path}/token", {"subject": "bo"}), 403, "visitor_not_listed")
    ada = here.signed_in(made, "ada")
    assert ada.ask(QUESTION)["citations"]
    here.api.patch(path, {"publication": {"subjects": ["bo"]}})  # taken off the list: at once, whatever token there is
    refused(ada.post("/ask", {"question": QUESTION}), 403, "visitor_not_listed")
    here.api.patch(path, {"publication": {"mode": "public", "subjects": ["ada"]}})
    anonymous = here.anonymous(made["slug"])
    here.api.patch(path, {"publication": {"mode": "signed_in"}})
    refused(anonymous.get("/conversation"), 401, "visitor_unknown")
    here.api.patch(path, {"publication": {"mode": "off"}})
    refused(ada.post("/ask", {"question": QUESTION}), 404, "not_found")


def test_visitors_have_one_conversation_each_and_never_anothers(here: Booth, lake: str) -> None:
    # S2-52, S4-33: kept on the server, follows devices, only Reset clears it, nobody else sees it.
    one, two = here.assistant(lake, profile_settings={"conversation": {"by_resource": True}}), here.assistant(lake)
    canary = f"Zitronenfalter{uuid4().hex[:6]}"
    ada, bo = here.signed_in(one, "ada"), here.signed_in(one, "bo")
    turn = ada.ask(f"{QUESTION} {canary}")["turn_id"]
    ada.ask("And are boats allowed on the lake?")
    assert len(here.signed_in(one, "ada").said()) == 2 and bo.said() == []
    assert here.signed_in(two, "ada").said() == []
    bo.ask(QUESTION)
    assert bo.said() == [QUESTION]
    for stranger in (bo, here.signed_in(two, "ada"), here.anonymous(one["slug"])):
        for answer in (
            stranger.get(f"/turns/{turn}/events"), stranger.post(f"/turns/{turn}/stop"),
            stranger.post(f"/turns/{turn}/feedback", {"value": 1}),
        ):  # fmt: skip
            refused(answer, 404, "not_found")
            assert canary not in answer.text
    assert canary not in here.api.get(f"/assistants/{one['id']}/conversations").text
    refused(here.api.get(f"/turns/{turn}"), 404, "not_found")
    ada.ask("Is this another one?", session_id="s1", context={"resource": "r1"})
    bo.ask("Is this another one?", session_id="s1", context={"resource": "r1"})
    assert len(ada.said()) == 2 and ada.said("s1") == [] and ada.said("s1&resource=r1") == ["Is this another one?"]
    assert [ada.post("/reset").status_code for _ in range(2)] == [204, 204]
    assert ada.said() == [] and ada.said("s1&resource=r1") == ["Is this another one?"] and bo.said() == [QUESTION]
    refused(ada.get(f"/turns/{turn}/events"), 404, "not_found")


def test_what_a_visitor_may_not_send_is_refused(here: Booth, lake: str) -> None:
    assistant = here.assistant(lake)
    visitor = here.anonymous(assistant["slug"])
    before = visitor.ask(QUESTION)
    for more in (
        {"history": [{"role": "user", "content": "x"}]}, {"conversation_id": before["conversation_id"]}, {"source_ids": [lake]},
        {"replaces": before["turn_id"]}, {"question": "x" * 4001}, {"question": "  "}, {"session_id": "x" * 201},
    ):  # fmt: skip
        refused(visitor.post("/ask", {"question": QUESTION} | more), 422, "invalid_field")
    refused(visitor.get("/turns/not-an-id/events"), 404, "not_found")
    refused(visitor.send("POST", "/ask", {"question": "x", "context": {"a": "b" * 300_000}}), 413, "too_large")
    kept = here.assistant(lake, profile="docs")
    client = here.anonymous(kept["slug"])
    assert client.get().json()["keeps"] is False
    assert client.ask(QUESTION, history=[{"role": "user", "content": "Hello"}, {"role": "assistant", "content": "Hello."}])["turn_id"]
    assert client.said() == []


def test_an_anonymous_visitor_comes_back_with_their_token_and_finds_the_conversation(here: Booth, lake: str) -> None:
    assistant = here.assistant(lake)
    visitor = here.anonymous(assistant["slug"])
    visitor.ask(QUESTION)
    renewed = visitor.post("/session").json()
    assert renewed["expires_in"] == 12 * 3600 and renewed["token"] != visitor.token
    assert Visitor(here.api.address, assistant["slug"], renewed["token"]).said() == [QUESTION]
    assert here.anonymous(assistant["slug"]).said() == []
    told = here.api.get(f"/assistants/{assistant['id']}").json()
    assert told["last_asked_at"] and told["seen_origin"] is None
    visitor.get()
    assert here.api.get(f"/assistants/{assistant['id']}").json()["seen_origin"] == SITE


def test_the_same_key_attaches_to_the_same_turn_and_a_second_question_waits(here: Booth, lake: str) -> None:
    # S4-34: one turn at a time in a session; a stream is gone on with where it was.
    visitor = here.anonymous(here.assistant(lake)["slug"])
    first = visitor.post("/ask", {"question": QUESTION}, **{"Idempotency-Key": "k"}).json()
    again = visitor.post("/ask", {"question": QUESTION}, **{"Idempotency-Key": "k"}).json()
    assert first["turn_id"] == again["turn_id"] and len(visitor.said()) == 1
    stream = visitor.get(f"/turns/{first['turn_id']}/events", Accept="text/event-stream").text
    assert "event: open" in stream and stream.rstrip().splitlines()[-2] == "event: done"
    last = [line for line in stream.splitlines() if line.startswith("id: ")][-1].removeprefix("id: ")
    rest = visitor.get(f"/turns/{first['turn_id']}/events", Accept="text/event-stream", **{"Last-Event-ID": last}).text
    assert rest.count("event: ") == 1 and "event: done" in rest
    with ThreadPoolExecutor(4) as pool:
        statuses = [one.status_code for one in pool.map(lambda n: visitor.post("/ask", {"question": f"{QUESTION} {n}"}), range(4))]
    assert set(statuses) <= {200, 409} and 200 in statuses
    assert visitor.post(f"/turns/{first['turn_id']}/stop").json()["status"] == "done"


def test_the_widget_may_be_loaded_by_any_page(here: Booth, tmp_path_factory: pytest.TempPathFactory) -> None:
    address = f"{here.api.address}/public/widget.js"
    missing = httpx2.get(address, timeout=60)
    assert "not built" in refused(missing, 404, "not_found")["message"]
    folder = Path(here.processes.environment["SOURCEBOOK_DATA_DIR"]).parent / "web"
    (folder / "widget.js").write_text("/* the widget */")
    told = httpx2.get(address, timeout=60)
    assert told.status_code == 200 and told.headers["content-type"].startswith("text/javascript")
    assert told.headers["access-control-allow-origin"] == "*" and told.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "max-age=86400" in told.headers["cache-control"]
    assert httpx2.get(address, headers={"If-None-Match": told.headers["etag"]}, timeout=60).status_code == 304
    assert "immutable" in httpx2.get(f"{address}?v=1", timeout=60).headers["cache-control"]


def test_a_source_is_in_no_answer_once_its_grant_is_taken_back(here: Booth) -> None:
    # F34, first half: what was taken back is in no search that begins later, though the conversation cites it.
    secret = f"Kupferkessel{uuid4().hex[:6]}"
    source, other = here.source(f"The code of the gate is {secret}. It is changed in spring."), here.source(f"{LAKE} {uuid4()}")
    assistant = here.assistant(source, other)
    visitor = here.signed_in(assistant, "ada")
    assert secret in visitor.ask("What is the code of the gate?")["answer"]
    assert here.api.delete(f"/assistants/{assistant['id']}/sources/{source}").status_code == 204
    after = visitor.ask("What is the code of the gate?")
    assert secret not in json.dumps(after)
    (cited,) = visitor.get("/conversation").json()["turns"][0]["citations"]
    assert cited["removed"] is True


def test_limits_of_visitors_hold_per_visitor_and_per_assistant(postgres: TestPostgres, tmp_path: Path) -> None:
    with booth(postgres, tmp_path, VISITOR_ASKS_PER_HOUR="3", VISITOR_ASKS_PER_ADDRESS_MINUTE="8") as small:
        assistant = small.assistant(profile="notebook", limits={"everyone_hour": 5})
        ada, bo = small.signed_in(assistant, "ada"), small.signed_in(assistant, "bo")
        statuses = [ada.post("/ask", {"question": QUESTION}) for _ in range(4)]
        assert [one.status_code for one in statuses] == [200, 200, 200, 429]
        assert int(statuses[-1].headers["retry-after"]) > 0 and statuses[-1].headers["access-control-allow-origin"] == SITE
        assert [bo.post("/ask", {"question": QUESTION}).status_code for _ in range(2)] == [200, 429]
