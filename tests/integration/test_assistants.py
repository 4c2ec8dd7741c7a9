"""Assistants over the API: drafts and what is published, grants, test questions, members, the trash."""

import asyncio
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from sourcebook_core.store import trash
from tests import rows
from tests.integration.assistant_rig import Booth, booth
from tests.integration.gateway_rig import refused
from tests.rig import TestPostgres, until_sync

LAKE = "The lake is forty metres deep at its southern end. Boats are not allowed."
MILL = "The mill was built by Ada Lind in 1902. It ground rye until 1968."


@pytest.fixture(scope="module")
def here(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Booth]:
    with booth(postgres, tmp_path_factory.mktemp("assistants")) as made:
        yield made


def tried(here: Booth, assistant: str, question: str) -> dict[str, Any]:
    answered = here.api.post(f"/assistants/{assistant}/ask", {"question": question})
    assert answered.status_code == 200, answered.text
    return dict(answered.json())


def test_an_assistant_is_made_changed_trashed_and_restored(here: Booth) -> None:
    api, slug = here.api, f"lake-{uuid4().hex[:6]}"
    body, once = {"name": "Lake helper", "slug": slug, "profile": "help"}, {"Idempotency-Key": slug}
    made = api.post("/assistants", body, headers=once)
    assert made.status_code == 201 and made.json()["recipe"] == "blocks-700-0-a2" and made.json()["sources"]["given"] == 0
    assert api.post("/assistants", body, headers=once).json() == made.json()
    refused(api.post("/assistants", {"name": "Other", "slug": slug}), 409, "conflict")
    path = f"/assistants/{made.json()['id']}"
    changed = api.patch(path, {"look": {"greeting": "Hello", "colour": "#aa0000"}, "language": "de", "limits": {"everyone_hour": 5}})
    assert changed.status_code == 200, changed.text
    changed = api.patch(path, {"look": {"colour": None}, "profile_settings": {"retrieval": {"k": 3}}}).json()
    assert changed["look"] == {"greeting": "Hello"} and changed["language"] == "de" and changed["has_changes"]
    assert changed["profile_settings"] == {"limits": {"everyone_hour": 5}, "retrieval": {"k": 3}} and changed["limits"] == {
        "everyone_hour": 5
    }
    for wrong in (
        {"profile_settings": {"answer": {"max_tokens": 0}}}, {"publication": {"mode": "public", "origins": ["https://a.org/page"]}},
        {"publication": {"origins": ["*"]}}, {"handover": {"kind": "link", "to": "javascript:alert(1)"}}, {"slug": "Not A Slug"},
        {"handover": {"kind": "mail", "to": "no address"}}, {"handover": {"kind": "mail", "to": "ada@example.org"}},
        {"handover": {"kind": "webhook", "to": "ftp://a.org/x"}}, {"hosts": [{"name": "x"}]}, {"look": {"colour": "red"}},
        {"limits": {"everyone_hour": -1}}, {"nobody": 1},
    ):  # fmt: skip
        refused(api.patch(path, wrong), 422, "invalid_field")
    refused(api.patch(path, {"handover": {"kind": "webhook", "to": "http://127.0.0.1/x"}}), 422, "url_not_public")
    assert api.delete(path).status_code == 204
    refused(api.get(path), 404, "not_found")
    assert made.json()["id"] in [one["id"] for one in api.get("/trash").json()["items"] if one["kind"] == "assistant"]
    assert api.post(f"{path}/restore").json()["slug"] == slug
    assert made.json()["id"] in [one["id"] for one in api.get("/assistants").json()["items"]]


def test_a_source_is_given_paused_and_taken_back_and_cut_as_the_assistant_cuts(here: Booth) -> None:
    # S3-14: a new assistant holds nothing; a paused source is kept and not searched.
    api, source = here.api, here.source(f"{LAKE} {uuid4()}")
    made = api.post("/assistants", {"name": "Blocks", "profile": "help"}).json()
    path = f"/assistants/{made['id']}/sources"
    listed = {one["id"]: one["state"] for one in api.get(path).json()["items"]}
    assert listed[source] == "none"
    refused(api.put(f"{path}/{uuid4()}", {"grant": "given"}), 404, "not_found")
    given = api.put(f"{path}/{source}", {"grant": "given"}).json()
    assert (given["state"], given["searchable"]) == ("given", "none")

    def is_found() -> bool:
        found = {one["id"]: one for one in api.get(path).json()["items"]}[source]
        return bool(found["searchable"] != "none")

    until_sync(is_found, 60, "the source to be cut in blocks")
    assert api.get(f"/assistants/{made['id']}").json()["sources"] == {"given": 1, "paused": 0, "pending": 0}
    question = "How deep is the lake at its southern end?"
    assert "forty metres" in str(tried(here, made["id"], question))
    assert api.put(f"{path}/{source}", {"grant": "paused"}).json()["state"] == "paused"
    assert "forty metres" not in str(tried(here, made["id"], question))
    assert api.get(f"/assistants/{made['id']}").json()["sources"]["paused"] == 1
    api.put(f"{path}/{source}", {"grant": "given"})
    assert "forty metres" in str(tried(here, made["id"], question))
    assert [api.delete(f"{path}/{source}").status_code for _ in range(2)] == [204, 404]
    assert "forty metres" not in str(tried(here, made["id"], question))


def test_all_sources_are_swapped_at_once_or_not_at_all(here: Booth) -> None:
    api, old, new = here.api, here.source(f"{LAKE} {uuid4()}"), here.source(f"{MILL} {uuid4()}")
    assistant = here.assistant(old)["id"]
    path = f"/assistants/{assistant}/sources"
    refused(api.put(path, {"source_ids": [new, str(uuid4())]}), 404, "not_found")
    assert {one["id"] for one in api.get(path).json()["items"] if one["state"] == "given"} == {old}
    assert api.put(path, {"source_ids": [new, new]}).json()["given"] == 1
    assert {one["id"] for one in api.get(path).json()["items"] if one["state"] != "none"} == {new}
    assert api.put(path, {"source_ids": []}).json()["given"] == 0


def test_visitors_are_answered_by_what_was_published_while_the_draft_is_tried(here: Booth) -> None:
    lake = here.source(f"{LAKE} {uuid4()}")
    assistant = here.assistant(lake, look={"greeting": "First"})
    visitor, path = here.anonymous(assistant["slug"]), f"/assistants/{assistant['id']}"
    assert here.api.get(path).json()["has_changes"] is False
    here.api.patch(path, {"look": {"greeting": "Second"}, "profile": "help", "profile_settings": {"answer": {"without_model": "cards"}}})
    draft = here.api.get(path).json()
    assert draft["has_changes"] and draft["published"]["look"] == {"greeting": "First"} and draft["recipe"] == assistant["recipe"]
    question = "How deep is the lake at its southern end?"
    answers = visitor.ask(question), tried(here, assistant["id"], question)
    assert visitor.get().json()["look"] == {"greeting": "First"}
    assert answers[0]["citations"] and answers[0].get("cards") in (None, []) and answers[1]["cards"]
    here.publish(assistant["id"])
    assert visitor.get().json()["look"] == {"greeting": "Second"} and visitor.ask("How deep is the lake?")["cards"]
    turn = answers[1]["turn_id"]
    assert here.api.get(f"/turns/{turn}/why").json()["candidates"] and len(here.api.get(f"{path}/conversations").json()["items"]) == 1
    refused(here.api.get(f"/turns/{answers[0]['turn_id']}"), 404, "not_found")  # a visitor's turn is nobody else's (S2-52)
    here.api.patch(path, {"limits": {"per_person_hour": 1}})
    assert tried(here, assistant["id"], question)["cards"]
    refused(here.api.post(f"{path}/ask", {"question": question}), 429, "rate_limited")
    assert [bool(visitor.ask(question)["cards"]) for _ in range(2)] == [True, True]  # the draft's limit is not theirs yet


def test_publishing_searches_the_test_questions_and_says_which_changed(here: Booth) -> None:
    lake, mill = here.source(f"{LAKE} {uuid4()}"), here.source(f"{MILL} {uuid4()}")
    made = here.api.post("/assistants", {"name": "Tested", "profile": "notebook"}).json()
    here.give(made["id"], lake, mill)
    path = f"/assistants/{made['id']}"
    for question, sources in (("How deep is the lake at its southern end?", [lake]), ("Who built the mill?", [mill])):
        assert here.api.post(f"{path}/questions", {"question": question, "source_ids": sources}).status_code == 201
    nowhere = here.api.post(f"{path}/questions", {"question": "Wie heißt die Hauptstadt von Peru?"}).json()
    first = here.publish(made["id"], "never")
    assert (first["total"], first["right"], first["changed"], first["published"]) == (3, 3, 0, False)
    assert here.api.get(path).json()["published_at"] is None
    assert here.publish(made["id"])["published"]
    here.api.delete(f"{path}/sources/{mill}")
    told = here.publish(made["id"], "as_before")
    assert (told["as_before"], told["changed"], told["total"], told["published"]) == (2, 1, 3, False)
    (changed,) = told["questions"]
    assert (changed["question"], changed["was_right"], changed["is_right"]) == ("Who built the mill?", True, False)
    assert here.api.get(path).json()["last_check"] == {"as_before": 2, "changed": 1, "right": 2, "total": 3, "published": False}
    assert here.publish(made["id"])["published"] and here.publish(made["id"])["changed"] == 0
    assert here.api.delete(f"/questions/{nowhere['id']}").status_code == 204
    assert here.publish(made["id"])["total"] == 2


async def test_members_do_what_their_role_says_and_nothing_else(here: Booth) -> None:
    lake, other = here.source(f"{LAKE} {uuid4()}"), here.source(f"{MILL} {uuid4()}")
    assistant = here.assistant(lake)
    path = f"/assistants/{assistant['id']}"
    secret, mail = await here.person("Edda")
    with here.api.other(secret) as member:
        refused(member.get(path), 404, "not_found")
        own = member.post("/assistants", {"name": "Own"}).json()["id"]
        refused(member.put(f"/assistants/{own}/sources/{lake}", {"grant": "given"}), 404, "not_found")
        refused(member.put(f"/assistants/{own}/sources", {"source_ids": [lake]}), 404, "not_found")
        assert member.get(f"/assistants/{own}/sources").json()["items"] == []
        refused(here.api.post(f"{path}/members", {"email": "nobody@example.org"}), 422, "invalid_field")
        person = here.api.post(f"{path}/members", {"email": mail.upper(), "role": "viewer"}).json()["person_id"]
        assert member.get(path).json()["role"] == "viewer"
        assert member.post(f"{path}/ask", {"question": "How deep is the lake?"}).json()["citations"]
        for refusal in (
            member.patch(path, {"name": "Mine"}), member.post(f"{path}/publish"), member.delete(path),
            member.post(f"{path}/token", {"subject": "a"}), member.post(f"{path}/questions", {"question": "When?"}),
            member.post(f"{path}/members", {"email": mail, "role": "editor"}),
        ):  # fmt: skip
            refused(refusal, 403, "forbidden")
        here.api.post(f"{path}/members", {"email": mail, "role": "editor"})
        assert member.patch(path, {"name": "Ours"}).json()["name"] == "Ours"
        # An editor sees what it holds and no other source of the owner's; giving is for whom the library belongs to.
        assert [one["id"] for one in member.get(f"{path}/sources").json()["items"]] == [lake]
        refused(member.put(f"{path}/sources/{other}", {"grant": "given"}), 404, "not_found")
        assert member.put(f"{path}/sources/{lake}", {"grant": "paused"}).json()["state"] == "paused"
        refused(member.put(f"{path}/sources", {"source_ids": []}), 403, "forbidden")
        refused(member.delete(f"{path}/sources/{lake}"), 403, "forbidden")
        refused(member.get(f"/sources/{lake}"), 404, "not_found")
        assert here.api.delete(f"{path}/members/{person}").status_code == 204
        refused(member.get(path), 404, "not_found")


def test_the_inbox_has_visitors_questions_without_who_asked_them(here: Booth, postgres: TestPostgres) -> None:
    assistant = here.assistant(here.source(f"{LAKE} {uuid4()}"))
    path = f"/assistants/{assistant['id']}"
    visitors = [here.signed_in(assistant, f"employee-{n}@corp.example") for n in range(2)]
    for visitor in visitors:
        visitor.ask("Wer erfand die Fahrradklingel?")
    tried(here, assistant["id"], "Who invented the paper clip?")  # its people's tries are no visitors' questions
    (miss,) = here.api.get(f"{path}/misses").json()["items"]
    assert (miss["question"], miss["count"], miss["people"], miss["turn_id"]) == ("Wer erfand die Fahrradklingel?", 2, 2, None)
    asked = here.api.get(f"{path}/turns")
    assert [one["question"] for one in asked.json()["items"]] == ["Wer erfand die Fahrradklingel?"] * 2
    assert "employee" not in asked.text and "corp.example" not in here.api.get(f"{path}/misses").text
    made = here.api.post(f"{path}/misses/{miss['key']}/question", {"source_ids": []})
    assert made.status_code == 201 and made.json()["kind"] == "unanswerable"
    assert here.api.get(f"{path}/misses").json()["items"] == []
    here.api.delete(f"/questions/{made.json()['id']}")
    assert here.api.post(f"{path}/misses/{miss['key']}", {"state": "solved"}).json()["state"] == "solved"
    here.api.post(f"{path}/misses/{miss['key']}", {"state": "open"})
    # A visitor who begins anew takes nothing out of the inbox, and leaves nothing of themselves in it.
    canary = f"Hagebutte{uuid4().hex[:8]}"
    visitors[1].ask("How deep is the lake?", context={"note": canary})
    visitors[1].ask("Was kostet eine Fähre nach Thule?", context={"note": canary})
    assert visitors[1].post("/reset").status_code == 204 and visitors[1].said() == []
    left = {one["question"]: one["count"] for one in here.api.get(f"{path}/misses").json()["items"]}
    assert left == {"Was kostet eine Fähre nach Thule?": 1, "Wer erfand die Fahrradklingel?": 2}
    until_sync(lambda: canary not in postgres.dump(here.database), 30, "the rest to be gone")
    assert here.api.post(f"{path}/misses/{miss['key']}", {"state": "solved"}).json()["state"] == "solved"
    for one in here.api.get(f"{path}/misses").json()["items"]:
        here.api.post(f"{path}/misses/{one['key']}", {"state": "solved"})
    turn = visitors[0].ask("How deep is the lake?")
    assert visitors[0].post(f"/turns/{turn['turn_id']}/feedback", {"value": -1}).status_code == 200
    assert [one["reasons"] for one in here.api.get(f"{path}/misses").json()["items"]] == [{"thumbs_down": 1}]


def test_an_assistant_that_is_purged_takes_its_visitors_and_their_words_along(here: Booth, postgres: TestPostgres) -> None:
    canary = f"Quittenschnaps{uuid4().hex[:8]}"
    assistant = here.assistant(here.source(f"{LAKE} {uuid4()}"))
    here.signed_in(assistant, f"subject-{canary}").ask(f"Was ist {canary}?")
    path = f"/assistants/{assistant['id']}"
    assert here.api.delete(path).status_code == 204
    visitor = here.api.post(f"{path}/token", {"subject": "late"})
    refused(visitor, 404, "not_found")
    assert here.api.delete(f"/trash/{assistant['id']}").status_code == 204

    async def count() -> int:
        async with rows.opened(here.database) as conn:
            await trash.delete_due_assistants(conn, 14, 10)
            found: int = await conn.fetchval("select count(*) from assistants where id = $1", UUID(assistant["id"]))
            return found

    until_sync(lambda: asyncio.run(count()) == 0, 30, "the assistant to be purged")
    until_sync(lambda: canary not in postgres.dump(here.database), 30, "its words to be gone")
