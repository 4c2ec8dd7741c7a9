"""Search terms of chunks and questions agree, and their weights are BM25."""

import bm25s
import numpy as np
import pytest
from numpy.typing import NDArray

from sourcebook_core.text import lexemes
from sourcebook_core.text.lexemes import chunk_lexemes, document_weights, idf, question_lexemes, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wi-Fi/ÖPNV_2", ["wi", "fi", "öpnv"]),
        ("Straße STRASSE", ["strasse", "strasse"]),
        ("e\u0301te\u0301 été", ["été", "été"]),
        ("Wort\u00adteil zero\u200bwidth", ["wortteil", "zerowidth"]),
        ("学校教育", ["学校", "校教", "教育"]),
        ("学", ["学"]),
        ("학교에서", ["학교", "교에", "에서"]),
        ("x " + "y" * 300 + " ok", ["ok"]),
    ],
)
def test_words_are_folded_and_scripts_without_spaces_become_pairs(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    "family",
    ["departments department", "categories category", "statuses status", "adding added adds add", "settings setting",
     "create created creating", "route routing"],
)  # fmt: skip
def test_inflections_of_a_word_fall_together(family: str) -> None:
    assert len({lexemes.stem(word, "en") for word in family.split()}) == 1


def test_words_that_only_look_inflected_stay_apart() -> None:
    apart = ["class", "analysis", "business", "department", "category", "status", "add", "create", "route"]
    assert len({lexemes.stem(word, "en") for word in apart}) == len(apart)


def test_a_question_finds_inflected_words_of_every_language_in_the_scope() -> None:
    question = question_lexemes("Einstellungen settings", {"de", "en"})
    for text, language in (("Die Einstellung", "de"), ("the setting", "en"), ("Einstellungen", None)):
        assert set(chunk_lexemes(text, language).counts) & set(question.terms)


def test_stop_words_of_the_questions_own_language_are_left_out() -> None:
    assert [word.word for word in question_lexemes("How do I create a ticketing department?", {"en"}, "en").words] == [
        "create",
        "ticketing",
        "department",
    ]
    assert [word.word for word in question_lexemes("Wer war die Frau", {"en", "de"}, "de").words] == ["frau"]
    assert [word.word for word in question_lexemes("to die for", {"en", "de"}, "en").words] == ["die"]


def test_a_question_has_at_most_64_terms() -> None:
    question = question_lexemes(" ".join(f"settings{number} wordings{number}" for number in range(200)), {"en", "de"}, "en")
    assert 60 <= len(question.terms) <= 64


def test_names_that_mean_one_thing_are_identifiers() -> None:
    found = lexemes.identifiers_in("H2O, COVID-19 and v1.2.3 in snake_case or CamelCase of NATO; the year 2024, in-between, 3.5 and I")
    assert found == ["H2O", "COVID-19", "v1.2.3", "snake_case", "CamelCase", "NATO"]
    assert lexemes.identifiers_in("WHAT IS THIS") == []
    assert lexemes.identifiers_in("an 18-year-old of the 10th-century, 1/2/2024, and/or 3-4; /usr/local/bin") == ["usr/local/bin"]
    assert lexemes.identifiers_in("Ab-" * 20_000) == []
    assert [word.is_identifier for word in question_lexemes("what does E1234 mean", {"en"}, "en").words] == [True, False]


def test_a_title_word_counts_as_if_it_stood_three_times_more() -> None:
    plain, titled = (
        chunk_lexemes("settings for tickets", "en"),
        chunk_lexemes("settings for tickets", "en", title="Tickets", title_weight=3),
    )
    assert titled.counts["ticket"] == plain.counts["ticket"] + 3
    assert titled.length == plain.length == 2


def test_idf_has_the_values_of_the_ledger() -> None:
    assert [round(idf(1853, n), 3) for n in (513, 262, 99)] == [1.284, 1.955, 2.925]
    assert idf(10, 10) > 0


def test_dimensions_are_stable_and_fit_a_sparse_vector_in_either_base() -> None:
    assert lexemes.dimension("ticket") == lexemes.dimension("ticket")
    places = [lexemes.dimension(f"term{number}") for number in range(2000)]
    assert min(places) >= 1
    assert max(places) <= 999_999_999
    assert len(set(places)) == 2000


def test_an_average_length_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="average"):
        document_weights({"a": 1}, 1, 0)


def corpus(rng: np.random.Generator, size: int) -> list[list[str]]:
    vocabulary = [f"term{number}" for number in range(3000)]
    odds = 1 / np.arange(3, 3003)
    return [list(rng.choice(vocabulary, rng.integers(20, 200), p=odds / odds.sum())) for _ in range(size)]


def matrix(question: lexemes.QuestionLexemes, *weights: dict[int, float]) -> NDArray[np.float64]:
    return np.array([[one.get(lexemes.dimension(term), 0.0) for term in question.terms] for one in weights])


def test_the_best_twenty_are_those_of_bm25s_with_the_same_terms() -> None:
    rng = np.random.default_rng(7)
    documents = [chunk_lexemes(" ".join(one), None) for one in corpus(rng, 400)]
    average = sum(one.length for one in documents) / len(documents)
    weights = [document_weights(one.counts, one.length, average) for one in documents]
    reference = bm25s.BM25(method="lucene", k1=lexemes.K1, b=lexemes.B)
    reference.index([[term for term, count in one.counts.items() for _ in range(count)] for one in documents], show_progress=False)
    overlaps = []
    for _ in range(20):
        question = question_lexemes(" ".join(rng.choice([f"term{number}" for number in range(20, 900)], 5, replace=False)), {"en"})
        question = lexemes.QuestionLexemes(tuple(lexemes.QuestionWord(one.word, (one.word,), False) for one in question.words))
        idfs = {term: idf(len(documents), sum(term in one.counts for one in documents)) for term in question.terms}
        ours = lexemes.best_scores(question, idfs, matrix(question, *weights))
        theirs = reference.get_scores(list(question.terms))
        assert np.allclose(ours / (lexemes.K1 + 1), theirs, rtol=1e-4, atol=1e-4)
        overlaps.append(len(set(np.argsort(-ours)[:20]) & set(np.argsort(-theirs)[:20])) / 20)
    assert float(np.mean(overlaps)) >= 0.99


def test_a_word_counts_once_at_its_best_term() -> None:
    question = question_lexemes("settings", {"en"}, "en")
    weights = document_weights(chunk_lexemes("settings", "en").counts, 1, 1)
    idfs = {"settings": 3.0, "set": 1.0}
    assert question.words[0].terms == ("settings", "set")
    assert lexemes.best_scores(question, idfs, matrix(question, weights)) == pytest.approx([3.0])


def test_the_share_of_the_idf_mass_tells_how_much_of_a_question_a_chunk_holds() -> None:
    question = question_lexemes("unicorn settings E1234", {"en"}, "en")
    idfs = {"unicorn": 6.0, "settings": 4.0, "set": 2.0, "e1234": 2.0}
    held = matrix(question, {lexemes.dimension("set"): 1.0}, {lexemes.dimension("e1234"): 1.0})
    shares, has_identifier = lexemes.idf_shares(question, idfs, held)
    assert shares.tolist() == [0.2, 0.2]
    assert has_identifier.tolist() == [False, True]
    assert lexemes.idf_shares(question, {}, held)[0].tolist() == [0.0, 0.0]
