"""A quoted answer holds the sources' own words and never sounds surer than the search was."""

from dataclasses import replace

import pytest

from sourcebook_core.events import ReplyKind
from sourcebook_core.profiles import Replying
from sourcebook_core.text.lexemes import question_lexemes
from sourcebook_rag import lines
from sourcebook_rag.answer import quoted
from sourcebook_rag.answer.quoted import QuotablePassage, Sentence, reply_kind
from sourcebook_rag.answer.statements import statements

Scored = list[tuple[str, float]]
KNOBS = Replying(weak_words=9, weak_similarity=0.45, clear_ratio=1.25, clear_lead=0.10)
WARRANTY = QuotablePassage(
    "# Warranty\n\nHow long is the warranty?\nThe warranty covers all parts for 24 months [3]. It begins on the day of purchase.\n\n"
    "Batteries are excluded.",
    "Manual > Warranty",
    "en",
)
DELIVERY = QuotablePassage(
    "Delivery takes three working days in most cases.\r\nA parcel may be\r\ncollected at the shop.", "Delivery", "en"
)


def ask(text: str, *passages: QuotablePassage) -> list[quoted.Sentence]:
    return quoted.candidates(passages, question_lexemes(text, {"en"}, "en"))


def test_headings_questions_and_references_are_no_quotes() -> None:
    texts = [one.text for one in ask("How long is the warranty?", WARRANTY)]
    assert texts[0] == "The warranty covers all parts for 24 months"  # the reference [3] of the source is left out, it would read as a mark
    assert not any("#" in text or "?" in text for text in texts)


def test_every_candidate_is_a_slice_of_its_passage_and_there_are_at_most_twelve() -> None:
    long = QuotablePassage(" ".join(f"Sentence number {number} tells of something else entirely." for number in range(40)), "", "en")
    passages = [WARRANTY, DELIVERY, long, long, long, long, long, long]
    found = ask("warranty", *passages)
    assert len(found) == 12
    assert all(passages[one.passage - 1].text[one.start : one.end] == one.text for one in found)
    assert {one.passage for one in found} >= {1, 2, 3, 4, 5, 6}


def test_a_question_in_another_language_still_has_candidates() -> None:
    assert ask("Mennyi a garancia?", WARRANTY, DELIVERY)
    assert ask("", DELIVERY)


def test_the_nearest_sentences_are_chosen_and_duplicates_once() -> None:
    found = ask("warranty", WARRANTY, WARRANTY, DELIVERY)
    cosines = [0.8 if "covers" in one.text else 0.75 if "begins" in one.text else 0.1 for one in found]
    chosen = quoted.choose(found, cosines, floor=0.3)
    assert [one.text for one in chosen] == ["The warranty covers all parts for 24 months", "It begins on the day of purchase."]


def test_shared_words_decide_without_an_embedding_model() -> None:
    chosen = quoted.choose(ask("How long does delivery take?", WARRANTY, DELIVERY), None)
    assert chosen[0].text.startswith("Delivery takes three working days")


def test_the_answer_is_a_line_titles_and_slices_with_marks() -> None:
    passages = [WARRANTY, DELIVERY]
    found = ask("warranty delivery", *passages)
    chosen = [one for one in found if "24 months" in one.text or "three" in one.text or "collected" in one.text]
    made = quoted.compose_quotes(sorted(chosen, key=lambda one: (one.passage, one.start)), passages, "several", "en")
    assert made.answer == (
        "Several places in your sources may answer this:"
        "\n\n**Warranty**\n\n\u201cThe warranty covers all parts for 24 months\u201d [1]"
        "\n\n**Delivery**\n\n\u201cDelivery takes three working days in most cases. A parcel may be collected at the shop.\u201d [2]"
    )
    assert [made.answer[mark.start : mark.end] for mark in made.marks] == ["[1]", "[2]"]
    assert made.order == [1, 2]


def test_a_quote_over_several_lines_is_one_statement_with_its_mark() -> None:
    text = "Table 1: Members of the union\nCountry Population (millions) Capi\u00ad\ntal Official language.\n\nThe table has no more rows."
    passage = QuotablePassage(text, "Union", "en")
    made = quoted.compose_quotes([Sentence(1, 0, text.index(".") + 1, text, 1.0)], [passage], "weak", "en")
    assert "\u201cTable 1: Members of the union Country Population (millions) Capital Official language.\u201d [1]" in made.answer
    assert [one.cited for one in statements(made.answer, made.marks)] == [[1]]


def test_each_quote_stands_under_the_heading_that_stands_above_it_in_the_source() -> None:
    text = "# Lake\n\nThe lake is forty metres deep.\n\n## Water\n\nThe water becomes warmer in summer."
    passage = QuotablePassage(text, "Report", "en")
    made = quoted.compose_quotes(ask("lake water", passage), [passage], "clear", "en")
    assert "**Lake**\n\n\u201cThe lake is" in made.answer and "**Water**\n\n\u201cThe water" in made.answer


def test_one_quote_is_introduced_neither_as_several_places_nor_as_a_sure_answer() -> None:
    covers, begins = (next(one for one in ask("warranty", WARRANTY) if word in one.text) for word in ("covers", "begins"))
    delivery = ask("delivery", DELIVERY)[0]
    cases: list[tuple[ReplyKind, list[Sentence], str]] = [
        ("several", [covers], "one_place"),
        ("weak", [covers], "weak"),
        ("several", [covers, begins], "several"),
        ("several", [covers, replace(delivery, passage=2)], "several"),
    ]
    for kind, chosen, line in cases:
        made = quoted.compose_quotes(chosen, [WARRANTY, DELIVERY], kind, "en")
        assert made.answer.startswith(lines.line(line, "en") + "\n")


@pytest.mark.parametrize("language", ["en", "de", "cs", "es", "fr", "hu", None])
def test_nothing_found_is_one_line_without_a_mark(language: str | None) -> None:
    made = quoted.compose_quotes(ask("warranty", WARRANTY), [WARRANTY], "none", language)
    assert "[" not in made.answer
    assert made.answer
    assert made.marks == []


@pytest.mark.parametrize(
    ("words", "meaning", "kind"),
    [
        ([], None, "none"),
        ([], [], "none"),
        ([("a", 8.99)], None, "weak"),
        ([("a", 9.0), ("b", 8.0)], None, "several"),
        ([("a", 8.9)], [("a", 0.449)], "weak"),
        ([("a", 8.9), ("b", 8.8)], [("b", 0.45), ("c", 0.44)], "several"),
        ([], [("a", 0.3)], "weak"),
        ([("a", 12.5), ("b", 10.0)], None, "clear"),
        ([("a", 12.4), ("b", 10.0)], None, "several"),
        ([("a", 12.0)], None, "clear"),
        ([("b", 10.0)], [("a", 0.7), ("b", 0.6)], "clear"),
        ([("b", 10.0)], [("a", 0.69), ("b", 0.6)], "several"),
        ([("a", 10.0), ("b", 9.9)], [("a", 0.61), ("b", 0.6)], "clear"),
    ],
)
def test_the_kind_of_reply_follows_the_thresholds(
    words: list[tuple[str, float]], meaning: list[tuple[str, float]] | None, kind: str
) -> None:
    assert reply_kind(words, meaning, KNOBS) == kind


def test_several_becomes_module_when_the_best_is_of_the_askers_module() -> None:
    assert reply_kind([("a", 10.0), ("b", 9.5)], None, KNOBS, is_best_of_module=True) == "module"
    assert reply_kind([("a", 19.0), ("b", 9.5)], None, KNOBS, is_best_of_module=True) == "clear"


def test_a_row_of_a_table_is_quoted_alone_and_found_by_the_names_of_its_columns() -> None:
    table = QuotablePassage(
        "Eaton | 4 | Crewe\nSandbach | 3 | Royle\nDane | 9 | Hall", "register", "en", "Mill | Wheels | Owner", is_table=True
    )
    found = ask("How many wheels has the mill of Sandbach?", table)
    assert (found[0].text, len(found)) == ("Sandbach | 3 | Royle", 3)
    assert quoted.compose_quotes(found, [table], "clear", "en").answer.count("[1]") == 3, "rows are no running text"
    assert found[0].share == 0.75 and table.text[found[0].start : found[0].end] == found[0].text


def test_a_row_of_a_table_in_a_text_may_be_quoted() -> None:
    text = QuotablePassage("Heights\n\n| Weir | Metres |\n| --- | --- |\n| Upper | 2.4 |\n| Lower | 1.9 |", "Weirs", "en")
    found = ask("How high is the upper weir?", text)
    assert "| Upper | 2.4 |" in [one.text for one in found[:2]] and not any("---" in one.text for one in found)
    assert not any("Metres" in one.text for one in found), "names of columns say nothing"
