"""The pure parts of assistants: sites, slugs, where a visitor is led, and what publishing compares."""

from datetime import UTC, datetime
from uuid import uuid4

import pytest

from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.settings import load
from sourcebook_core.store.handovers import Handover
from sourcebook_core.store.questions import TestQuestion
from sourcebook_gateway import drafting, handing_over, visits
from sourcebook_ingest import mail
from sourcebook_ingest.handing_over import letter
from sourcebook_rag.publishing import compared


@pytest.mark.parametrize(
    ("given", "site"),
    [
        ("https://Help.Example.org", "https://help.example.org"),
        ("https://help.example.org/", "https://help.example.org"),
        ("https://help.example.org:443", "https://help.example.org"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:80", "http://[::1]"),
        ("https://help.example.org/page", None),
        ("https://help.example.org?x", None),
        ("https://ada@help.example.org", None),
        ("https://*.example.org", None),
        ("https://", None),
        ("null", None),
        ("*", None),
        ("ftp://help.example.org", None),
        ("https://help.example.org:99999", None),
        ("https://hülp.example.org", None),
        ("https://help.example.org\r\nX: y", None),
    ],
)
def test_a_site_is_the_beginning_of_a_web_address_and_nothing_else(given: str, site: str | None) -> None:
    assert visits.site_of(given) == site


def test_our_own_page_is_where_the_public_address_says() -> None:
    assert visits.own_sites(load({"SOURCEBOOK_PUBLIC_URL": "https://books.example.org/app"})) == {"https://books.example.org"}
    assert "http://127.0.0.1:8400" in visits.own_sites(load({}))


def test_a_slug_tells_the_name_and_is_nobody_elses() -> None:
    first, second = drafting.slug_for("Hilfe für Läufer!"), drafting.slug_for("Hilfe für Läufer!")
    assert first.startswith("hilfe-fur-laufer-") and first != second
    assert drafting.slug_for("帮助").startswith("assistant-") and len(drafting.slug_for("x" * 300)) <= 63


@pytest.mark.parametrize(
    ("kind", "to", "is_right"),
    [
        ("none", None, True), ("link", "https://a.org/help", True), ("link", None, False), ("link", "javascript:alert(1)", False),
        ("link", "https://a@b.org", False), ("webhook", "https://[", False), ("link", "https://a.org/a b", False),
        ("mail", "desk@a.org", True), ("mail", "desk", False), ("mail", "desk@a.org, b@c.org", False),
        ("mail", "a@b.org\nBcc: c@d.org", False),
    ],
)  # fmt: skip
def test_a_visitor_is_led_to_a_web_address_or_one_mail_address(kind: str, to: str | None, is_right: bool) -> None:
    assert (handing_over.why_not(kind, to) is None) == is_right


def question(before: dict[str, object] | None) -> TestQuestion:
    return TestQuestion(uuid4(), None, uuid4(), "Who?", "en", "plain", [uuid4()], before, datetime.now(UTC))


def test_a_question_changed_when_it_finds_something_else_or_is_new_and_wrong() -> None:
    right: dict[str, object]
    wrong: dict[str, object]
    other: dict[str, object]
    right, wrong, other = {"is_right": True, "first": "a"}, {"is_right": False, "first": None}, {"is_right": True, "first": "b"}
    pairs: list[tuple[dict[str, object] | None, dict[str, object]]]
    pairs = [(None, right), (None, wrong), (right, right), (right, other), (right, wrong), (wrong, right), (wrong, wrong)]
    asked = [question(before) for before, _ in pairs]
    told = compared(asked, {one.id: now for one, (_, now) in zip(asked, pairs, strict=True)})
    assert (told["as_before"], told["changed"], told["right"], told["total"]) == (3, 4, 4, 7)
    assert [(one["was_right"], one["is_right"]) for one in told["questions"]] == [(None, False), (True, True), (True, False), (False, True)]


def handover(**changes: object) -> Handover:
    told: dict[str, object] = {
        "id": uuid4(), "assistant_id": uuid4(), "owner_id": uuid4(), "assistant": "Help\r\nBcc: x@y.org", "kind": "mail",
        "target": "desk@a.org", "reply_to": None, "note": "Bcc: z@y.org", "visitor": "Ada", "subject": "7", "state": "queued",
        "turns": [("Who?", "Ada.", "Manual"), ("When?", "", "")],
    }  # fmt: skip
    return Handover(**(told | changes))  # type: ignore[arg-type]


def test_no_word_of_a_visitor_or_an_owner_becomes_a_header_of_the_mail() -> None:
    made = letter(handover(), "help@a.org")
    assert made["Bcc"] is None and made["Subject"] == "Help Bcc: x@y.org: a visitor asks for a person"
    body = made.get_content()
    assert "Sources: Manual" in body and "Answer: (none)" in body and "Bcc: z@y.org" in body


@pytest.mark.parametrize(
    "given",
    [
        "ada@example.org",
        " ada@example.org ",
        "+44 20 7946 0958",
        "(020) 7946-0958",
        "030/1234567",
        "0351 46555 ext. 12",
        "+420 123 456 789",
    ],
)
def test_an_e_mail_address_and_a_phone_number_are_ways_to_reach_somebody(given: str) -> None:
    assert handing_over.reachable(given) == given.strip()


@pytest.mark.parametrize(
    "given",
    [
        "",
        " ",
        "ada",
        "ada@",
        "@example.org",
        "1234",
        "++49 123456",
        "call me at 5",
        "123\n456789",
        "9" * 30,
        "a@b.co\nBcc: x@y.z",
        "a@b.co, c@d.ee",
    ],
)
def test_what_is_neither_an_address_nor_a_number_is_refused_as_a_way_to_reach_somebody(given: str) -> None:
    with pytest.raises(ValueError, match="neither an e-mail address nor a phone number"):
        handing_over.reachable(given)


def test_without_a_mail_server_it_is_said_for_good_and_with_one_that_is_away_for_now() -> None:
    made = letter(handover(), "help@a.org")
    with pytest.raises(PermanentError, match="SOURCEBOOK_SMTP_HOST"):
        mail.send(load({}), made)
    with pytest.raises(TransientError, match="handover_failed"):
        mail.send(load({"SOURCEBOOK_SMTP_HOST": "127.0.0.1", "SOURCEBOOK_SMTP_PORT": "1", "SOURCEBOOK_SMTP_TLS": "off"}), made)
