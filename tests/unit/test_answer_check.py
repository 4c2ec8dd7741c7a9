"""What is said of an answer's citations, statements and numbers."""

from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.checks import Citation, Use
from sourcebook_rag.answer.check import Checked, check, texts_to_compare, with_uses
from sourcebook_rag.answer.cite import CitationFilter
from sourcebook_rag.answer.compare import CheckPassage

BRIDGE_TEXT = "Work went on for nine years. The bridge was opened on a rainy Sunday in April 1932. Nobody came to the party."
BRIDGE = CheckPassage(BRIDGE_TEXT, start=1000, language="en")
FIRE = CheckPassage("The fire was probably caused by a faulty cable. Fourteen of 41 houses burned.", language="en", around="Annual report")
ODD = [
    "",
    "[1]",
    "`code` [1]",
    "```\n[1]\n```",
    "- [1]",
    "| a [1] |",
    "# [1]",
    "\u201c\u201d [1]",
    "\ufffd\ufffd [1]",
    "12 [1]",
    "1.5 [1] 3",
]


def run(reply: str, *passages: CheckPassage, **options: object) -> tuple[str, Checked]:
    marks = CitationFilter(len(passages))
    answer = marks.feed(reply) + marks.finish()
    return answer, check(answer, marks.marks, passages, invalid_numbers=marks.invalid_numbers, **options)  # type: ignore[arg-type]


def only(checked: Checked) -> Use:
    ((use,),) = checked.uses.values()
    return use


def test_a_mark_in_a_heading_a_question_or_a_lead_in_is_compared_and_not_counted() -> None:
    titles = ["## The bridge was opened in 1932 [1]", "Was the bridge opened on a Sunday [1]?", "On the tunnel [1]:"]
    answer, checked = run("\n\n".join([*titles, "Nobody came to the party [1]."]), BRIDGE)
    assert (checked.checks.found, checked.checks.total) == (1, 1)
    assert [use.verdict for use in checked.uses[1]] == ["found", "found", "not_found", "found"]
    assert [answer[row.start : row.end] for row in checked.checks.statements[:3]] == titles


def test_what_was_made_from_sources_is_no_evidence_like_one() -> None:
    made = CheckPassage(BRIDGE_TEXT, language="en", is_made=True)
    _, checked = run("The bridge was opened in April 1932 [1]. The bridge was opened in April 1932 [1][2].", made, BRIDGE)
    assert [row.status for row in checked.checks.statements] == ["partly", "found"] and checked.checks.found == 1


def test_a_found_statement_quotes_the_sentence_that_carries_it_in_offsets_of_the_passage() -> None:
    _, checked = run("The bridge was opened in April 1932 [1].", BRIDGE)
    use = only(checked)
    assert use.verdict == "found"
    assert use.quote == "The bridge was opened on a rainy Sunday in April 1932."
    assert (use.start, use.end) == (1029, 1029 + len(use.quote))
    assert use.start is not None
    assert BRIDGE.text[use.start - 1000 :].startswith(use.quote)
    assert use.context.before.strip() == "Work went on for nine years."
    assert use.context.after.strip() == "Nobody came to the party."
    assert [BRIDGE.text[a - 1000 : b - 1000] for a, b in use.evidence.spans][:2] == ["bridge", "opened"]
    assert use.evidence.numbers.matched == ["1932"]
    assert (checked.checks.found, checked.checks.total) == (1, 1)


def test_a_statement_that_is_not_there_has_no_quote() -> None:
    use = only(run("Penguins sleep standing up in groups [1].", BRIDGE)[1])
    assert (use.verdict, use.quote, use.start) == ("not_found", None, None)


def test_another_number_is_named() -> None:
    use = only(run("The bridge was opened in April 1923 [1].", BRIDGE)[1])
    assert use.verdict == "number_differs"
    assert use.evidence.numbers.missing == ["1923"]


def test_lost_caution_makes_it_partly_and_says_the_word() -> None:
    use = only(run("The fire was caused by a faulty cable [1].", FIRE)[1])
    assert (use.verdict, use.evidence.caution) == ("partly", "probably")


def test_words_that_the_passage_lacks_are_listed() -> None:
    use = only(run("The bridge was opened on a Sunday by the smiling queen herself [1].", BRIDGE)[1])
    assert use.verdict == "partly"
    assert {"smiling", "queen"} <= set(use.evidence.missing)


def test_a_name_in_the_title_of_the_source_counts_as_present() -> None:
    passage = CheckPassage("The engine was loud and heavy.", language="en", around="Kestrel manual")
    assert only(run("The engine of the Kestrel was loud and heavy [1].", passage)[1]).verdict == "found"


def test_a_statement_takes_the_best_verdict_of_its_marks_and_one_use_each() -> None:
    _, checked = run("The bridge was opened in April 1932 [2][1].", BRIDGE, FIRE)
    assert {n: [use.verdict for use in uses] for n, uses in checked.uses.items()} == {1: ["not_found"], 2: ["found"]}
    assert checked.checks.statements[0].status == "found"
    assert checked.checks.statements[0].cited == [1, 2]


def test_statements_are_counted_and_located_in_the_answer() -> None:
    answer, checked = run("The bridge was opened in April 1932 [1]. It is very long. Is it old?", BRIDGE)
    assert [(answer[row.start : row.end], row.status) for row in checked.checks.statements] == [
        ("The bridge was opened in April 1932 [1].", "found"),
        ("It is very long.", "uncited"),
    ]
    assert (checked.checks.found, checked.checks.total) == (1, 2)


def test_a_number_outside_the_words_of_the_marks_must_stand_in_a_cited_passage() -> None:
    _, checked = run("The bridge was opened in April 1932 [1], with 77 guests.", BRIDGE)
    assert checked.checks.statements[0].status == "number_differs"


def test_numbers_are_grounded_by_passages_and_given_texts_but_not_by_the_mark() -> None:
    _, checked = run("Of 41 houses 14 burned [1]. There were 17 experts and 1 dog.", FIRE, grounding=["my 17 experts"])
    assert checked.checks.ungrounded_numbers == ["14", "1"]
    assert not checked.checks.numbers_grounded
    _, checked = run("There were 20 and 3 [1].", BRIDGE, constants=(20, 3))
    assert checked.checks.numbers_grounded


def test_a_mark_that_names_no_passage_makes_the_citations_invalid() -> None:
    assert run("It is so [9].", BRIDGE)[1].checks.citations_valid is False
    assert run("It is so [1].", BRIDGE)[1].checks.citations_valid is True


def test_another_language_is_compared_by_meaning_and_not_without_it() -> None:
    reply = "Der Brand wurde wahrscheinlich von einem defekten Kabel verursacht [1]."
    assert only(run(reply, FIRE)[1]).verdict == "not_checked"
    pairs: dict[tuple[str, str], float] = {}
    marks = CitationFilter(1)
    answer = marks.feed(reply) + marks.finish()
    for claim, sentence in texts_to_compare(answer, marks.marks, [FIRE]):
        pairs[claim, sentence] = 0.7 if "cable" in sentence else 0.1
    assert len(pairs) == 2
    use = only(run(reply, FIRE, similarity=lambda a, b: pairs.get((a, b)))[1])
    assert (use.verdict, use.quote) == ("found", "The fire was probably caused by a faulty cable.")


def test_a_quoted_line_is_found_word_for_word() -> None:
    _, checked = run("Your sources say:\n\n\u201cFourteen of 41 houses burned.\u201d [1]", FIRE)
    use = only(checked)
    assert (use.verdict, use.quote) == ("found", "Fourteen of 41 houses burned.")
    assert use.evidence.quoted_words_found is True
    assert checked.checks.total == 1


def test_invented_words_in_quotation_marks_are_told() -> None:
    use = only(run('The report says the fire was "an act of the owner himself" and probably caused by a cable [1].', FIRE)[1])
    assert use.evidence.quoted_words_found is False
    assert use.verdict != "found"


@pytest.mark.parametrize(
    "reply", ["", "[1]", "`code` [1]", "```\n[1]\n```", "- [1]", "| a [1] |", "# [1]", "\u201c\u201d [1]", "\ufffd\ufffd [1]"]
)
def test_odd_answers_are_checked_without_an_error(reply: str) -> None:
    run(reply, BRIDGE)
    run(reply, CheckPassage(""), language="xx")


def test_the_first_use_also_stands_on_the_citation() -> None:
    _, checked = run("The bridge was opened in April 1932 [1].", BRIDGE)
    citation = Citation(n=1, source_id=uuid4(), reading_id=uuid4(), source_title="t", kind="text", chunk_id=uuid4(), passage=0)
    filled = with_uses(citation, checked.uses[1])
    assert (filled.verdict, filled.start, filled.quote) == ("found", 1029, checked.uses[1][0].quote)
    assert with_uses(citation, []).verdict == "not_checked"


@pytest.mark.parametrize(("name", "verdict"), [("THP-1", "found"), ("THP 1", "found"), ("THP-5", "partly")])
def test_an_identifier_must_stand_there_with_its_digits(name: str, verdict: str) -> None:
    passage = CheckPassage("All THP-1 cells grew for 7 days.", language="en")
    assert only(run(f"All {name} cells grew for 7 days [1].", passage)[1]).verdict == verdict


SAID = [
    "The bridge ",
    "was opened ",
    "in April 1932",
    "not ",
    "may ",
    "[1]",
    " [2]",
    ". ",
    "\n- ",
    "\n\n",
    "| ",
    '"',
    "1.5 ",
    "Maria Kessler ",
    "`",
]
READ = [BRIDGE_TEXT, "", "\u00ad", "| a | b |\n", "中文字。中文。", "1932 not. ", "e\u0301te\u0301 "]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(SAID), max_size=25), st.lists(st.sampled_from(READ), max_size=4))
def test_every_quote_is_a_slice_and_every_span_lies_in_it(pieces: list[str], texts: list[str]) -> None:
    passage = CheckPassage("".join(texts), start=500, language="en")
    answer, checked = run("".join(pieces), passage, BRIDGE)
    for n, uses in checked.uses.items():
        for use in uses:
            assert use.quote is None or use.quote in passage.text or use.quote in BRIDGE_TEXT
            first, last = use.start or 0, use.end or 0
            assert all(first <= start < end <= last for start, end in use.evidence.spans)
            assert n in checked.checks.statements[use.statement].cited
    assert all(0 <= row.start < row.end <= len(answer) for row in checked.checks.statements)


def test_the_name_of_a_column_is_said_by_each_of_its_rows() -> None:
    row = CheckPassage("Inner ring\t4711\tcounted by hand", language="en", columns="Place\tVehicles\tRemark")
    assert only(run("The inner ring had 4711 vehicles [1].", row)[1]).verdict == "found"
    assert only(run("The inner ring had 4711 tractors [1].", row)[1]).verdict == "partly"
    assert only(run("The inner ring had 4712 vehicles [1].", row)[1]).verdict == "number_differs"
