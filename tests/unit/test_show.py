"""How the command line prints an answer, and when it calls one sound."""

from typing import Any

import pytest

from sourcebook import ask, show
from sourcebook.cli import Listed, columns


def answer(**changes: Any) -> dict[str, Any]:
    """A complete answer with one citation that was found."""
    use = {"statement": 0, "quote": "Speed was 14.2 m/s.", "verdict": "found"}
    citation = {"n": 1, "source_title": "Report", "passage": 2, "page": 3, "heading": "Measures > Speed", "removed": False, "uses": [use]}
    checks = {"citations_valid": True, "numbers_grounded": True, "ungrounded_numbers": [], "found": 1, "total": 1}
    return {"finish": "complete", "answer": "It was 14.2 m/s [1].", "citations": [citation], "checks": checks, "degraded": []} | changes


def printed(given: dict[str, Any]) -> str:
    lines: list[str] = []
    show.citations(given, lines.append)
    show.checks(given, lines.append)
    return "\n".join(lines)


def test_a_citation_is_printed_with_title_place_verdict_and_quote() -> None:
    assert printed(answer()) == (
        "[1] Report, page 3 · Measures > Speed\n"
        '    Found in source: "Speed was 14.2 m/s."\n'
        "1 of 1 statements found in the sources · numbers match"
    )


def test_headings_that_begin_with_the_title_do_not_repeat_it() -> None:
    assert show.place({"source_title": "Report", "heading": "Report > Speed"}) == "Speed"
    assert show.place({"source_title": "Report", "heading": "Report"}) == ""


def test_a_removed_source_is_named_as_removed_without_its_words() -> None:
    given = answer()
    given["citations"][0] |= {"removed": True}
    assert "[1] source removed" in printed(given)
    assert "14.2 m/s." not in printed(given).split("\n")[0]


def test_an_answer_that_found_nothing_is_printed_with_what_came_closest() -> None:
    near = {"source_title": "Report", "heading": "Report > Speed", "quote": "Speed was\n14.2 m/s."}
    lines: list[str] = []
    ask.print_below(answer(citations=[], checks=None, closest=[near], degraded=["no_chat_model"]), lines.append)
    assert lines == ["", "Closest, but not an answer:", "Report, Speed", '    "Speed was 14.2 m/s."', ""]


def test_a_number_without_a_source_is_named() -> None:
    given = answer()
    given["checks"] |= {"numbers_grounded": False, "ungrounded_numbers": ["17"]}
    assert "numbers without a source: 17" in printed(given)


def test_a_degraded_answer_says_so_in_words() -> None:
    assert "note: searched by words only" in printed(answer(degraded=["words_only"]))


@pytest.mark.parametrize(
    ("changes", "sound"),
    [
        ({}, True),
        ({"finish": "stopped"}, False),
        ({"citations": []}, False),
        ({"checks": {"citations_valid": False, "numbers_grounded": True, "found": 1, "total": 1}}, False),
        ({"checks": {"citations_valid": True, "numbers_grounded": False, "found": 1, "total": 1}}, False),
        ({"checks": {"citations_valid": True, "numbers_grounded": True, "found": 1, "total": 2}}, False),
        ({"checks": {"citations_valid": True, "numbers_grounded": True, "found": 0, "total": 0}}, False),
    ],
)
def test_an_answer_is_sound_only_when_complete_cited_and_checked(changes: dict[str, Any], sound: bool) -> None:
    assert show.is_sound(answer(**changes)) is sound


@pytest.mark.parametrize(
    ("citation", "words"),
    [
        ({"passage": 4}, ""),
        ({"passage": 4, "start_ms": 760_000}, "12:40"),
        ({"passage": 4, "sheet": "Sheet 2", "rows": [41, 41]}, "Sheet 2, row 41"),
        ({"passage": 4, "sheet": "", "rows": [41, 43]}, "rows 41 to 43"),
    ],
)
def test_a_place_is_said_in_the_words_of_its_kind(citation: dict[str, Any], words: str) -> None:
    assert show.place(citation) == words


def test_a_job_is_listed_with_what_it_has_and_never_with_none() -> None:
    row = {"id": "1", "kind": "ReadSource", "state": "done", "attempts": 1, "subject": None, "error": None}
    assert columns(Listed.jobs, row) == ["ReadSource", "done", "1 try"]
    failed = row | {"state": "failed", "attempts": 3, "error": {"code": "url_failed", "message": "The page answered 503."}}
    assert columns(Listed.jobs, failed) == ["ReadSource", "failed", "3 tries", "The page answered 503."]
