"""Search terms of chunks and questions agree, and their weights are BM25."""

import re

import bm25s
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
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
    ["departments department", "categories category", "statuses status", "adding added adds add", "settings setting set",
     "create created creating", "route routing", "business businesses"],
)  # fmt: skip
def test_inflections_of_a_word_fall_together(family: str) -> None:
    assert len({lexemes.stem(word, "en") for word in family.split()}) == 1


def test_words_that_only_look_inflected_stay_apart() -> None:
    apart = ["class", "analysis", "business", "department", "category", "status", "add", "create", "route", "ad", "busy", "as"]
    assert len({lexemes.stem(word, "en") for word in apart}) == len(apart)
    assert [lexemes.stem(word, "en") for word in ("settings", "adding", "class", "business", "created")] == [
        "set", "add", "class", "business", "creat",
    ]  # S2-06, S2-07  # fmt: skip


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


def test_a_question_whose_language_is_not_sure_keeps_what_is_a_stop_word_in_one_language_only_if_nothing_else_is_left() -> None:
    assert [word.word for word in question_lexemes("most?", {"en", "cs"}).words] == ["most"]
    assert [word.word for word in question_lexemes("most Tarnholt", {"en", "cs"}).words] == ["tarnholt"]


def test_a_question_of_ten_thousand_words_has_at_most_64_terms() -> None:
    question = question_lexemes(" ".join(f"settings{number} wordings-{number}" for number in range(5000)), {"en", "de"}, "en")
    assert 60 <= len(question.terms) <= 64


@pytest.mark.parametrize(
    ("question", "together", "apart"),
    [
        ("LK-204", "LK-204|the lk-204|LK 204|LK204|LK_204|ＬＫ－２０４|lk\u2011204", "LK-205|LK-2040|LK-20-4|LK|204"),
        ("COVID-19", "covid-19|COVID19|COVID 19", "COVID-20|covid in 19 towns"),
        ("v1.2.3", "V1.2.3|from v1.2.3.|(v1.2.3)", "v1.2.4|v1.2|v12.3"),
        ("max_tokens", "max_tokens|maxTokens|MAX_TOKENS|max-tokens", "min_tokens|max of tokens"),
        ("a/b/c.py", "in a/b/c.py:|A/B/C.py", "a/b/d.py|c.py"),
        ("H2O", "h2o|H\u2082O", "H2|H3O"),
        ("ISO 9001", "ISO 9001:2015|ISO-9001|iso-9001", "ISO 9002|ISO|9001"),
        ("C++", "c++|in C++.", "C|C#|c+"),
        ("jan@example.org", "write to Jan@Example.org.", "eva@example.org|jan at example.org"),
        ("NATO", "NATO|Nato|nato", "NAT"),
    ],
)
def test_an_identifier_is_found_whole_and_not_by_its_neighbour(question: str, together: str, apart: str) -> None:
    asked = question_lexemes(question, {"en"}, "en")
    names = [word for word in asked.words if word.is_identifier]
    assert len(names) == 1
    for text in together.split("|"):
        assert set(names[0].terms) & set(chunk_lexemes(text, "en").counts), text
    for text in apart.split("|"):
        assert not set(names[0].terms) & set(chunk_lexemes(text, "en").counts), text


def test_a_question_about_one_number_of_a_series_holds_less_of_the_neighbours_text() -> None:
    question = question_lexemes("What does the LK-205 cost?", {"en"}, "en")
    texts = ["The LK-204 costs 40 euros.", "The LK-205 costs 45 euros."]
    held = matrix(question, *(document_weights(chunk_lexemes(text, "en").counts, 4, 4) for text in texts))
    shares, has_identifier = lexemes.idf_shares(question, dict.fromkeys(question.terms, 1.0), held)
    assert has_identifier.tolist() == [False, True]
    assert shares.tolist() == [0.5, 1.0]


@pytest.mark.parametrize(
    ("question", "together", "apart"),
    [
        ("Wi-Fi", "wifi|Wi-Fi|WiFi", "wide"),
        ("e-mails", "email|E-Mail|emails|mail", "mall"),
        ("Kfz-Steuer", "Kfzsteuer|Kfz-Steuer", "Kraftfahrzeug"),
        ("14.2", "14,2|14.2 %", "15.2|1.42|142"),
        ("3.5", "3,5|3.5", "5.3|35"),
        ("1.234", "1,234|1 234|1\u202f234|1234|1'234", "1235|12.34"),
        ("1,234.50", "1.234,50|1 234", "1234,05|12345"),
        ("50km", "50 km|50km", "60 mi"),
        ("2.5kg", "2.5 kg|2,5kg", "25 g"),
        ("1990s", "1990|the 1990s", "1980s"),
        ("24/7", "24/7", "25/8"),
        ("3/4", "3/4 cup", "3|4"),
        ("10:30", "10:30", "11:31"),
        ("2024-03-01", "2024-03-01|2024", "2023"),
        ("I/O", "i/o", "io|in|out"),
        ("AT&T", "AT&T", "at|T"),
        ("U.S.", "U.S.|the US", "u.k.|let us in"),
        ("WHO", "the WHO says", "who says"),
        ("l'eau", "l'eau|de l\u2019eau|eau", "leau"),
        ("d'Artagnan", "d\u2019Artagnan|Artagnan", "dart"),
        ("O'Neil's", "O'Neil|Neil|ONeil Neil", "Neill"),
        ("Donau\u00addampf", "Donaudampf|donau\u00addampf", "Donau"),
        ("İSTANBUL", "istanbul|İstanbul|Istanbul", "ankara"),
        ("IŞIK", "ışık|Işık", "aşık"),
        ("Straße", "STRASSE|Strasse", "Strase"),
        ("ＡＢＣ", "abc", "abd"),
        ("٢٠٢٤", "2024", "2025"),
        ("ﬁnanz", "finanz", "fnanz"),
        ("كِتَاب", "كتاب", "كاتب"),
        ("שָׁלוֹם", "שלום", "שלם"),
        ("ёлка", "елка", "ель"),
        ("œuvre", "oeuvre", "ouvre"),
        ("学校教育", "学校", "教室"),
        ("ｶﾀｶﾅ", "カタカナ", "ひらがな"),
        ("ジョンスミス", "ジョン・スミス", "ジヨソ"),
        ("학교에서", "학교", "회사"),
        ("word\u00b2", "word", "words2"),
        ("5 m\u00b2", "m2", "m3"),
    ],
)
def test_spellings_of_one_word_fall_together_and_others_stay_apart(question: str, together: str, apart: str) -> None:
    terms = set(question_lexemes(question, {"en"}, "en").terms)
    for text in together.split("|"):
        assert terms & set(chunk_lexemes(text, "en").counts), text
    for text in apart.split("|"):
        assert not terms & set(chunk_lexemes(text, "en").counts), text


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [("cs", "prilohy", "přílohy"), ("cs", "smlouva", "smlouvy"), ("es", "camion", "el camión"), ("fr", "reglement", "règlement"),
     ("de", "Grosse", "Größe"), ("pl", "lodz", "łódź"), ("tr", "isik", "ışık"), ("sk", "zmluvna", "zmluvná")],
)  # fmt: skip
def test_a_question_typed_without_accents_finds_the_word(language: str, question: str, text: str) -> None:
    assert set(question_lexemes(question, {language}).terms) & set(chunk_lexemes(text, language).counts)


def test_the_word_with_its_accents_still_tells_more_than_the_word_without() -> None:
    cider, bridge = (chunk_lexemes(text, "cs") for text in ("mošt ze sklepa", "most přes řeku"))
    asked = question_lexemes("mošt", {"cs"}, "cs")
    assert asked.terms == ("mošt", "most")
    assert set(cider.counts) > set(asked.terms) and "mošt" not in bridge.counts


def test_in_languages_whose_accents_make_other_words_they_stay() -> None:
    assert not set(question_lexemes("ma", {"vi"}).terms) & set(chunk_lexemes("má", "vi").counts)
    assert not set(question_lexemes("for", {"sv"}).terms) & set(chunk_lexemes("för", "sv").counts)
    assert not set(question_lexemes("drucken", {"de"}).terms[:1]) & set(chunk_lexemes("drücken", "de").counts)


PIECES = [
    "LK-204", "v1.2.3", "a/b/c.py", "C++", "Wi-Fi", "14,2", "1 234", "50km", "2.5kg", "WHO", "U.S.", "i/o", "AT&T", "to be or not", "der",
    "Käse", "příloha", "x_y", "ISO 9001", "m²", "中文", "한국어", "É", "İ", "\u00ad", "'", "-", "/", ".", ",", ":", "@", "#", "\n", "٣",
    "ａ", "1", "NOT",
]  # fmt: skip
MIXED = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(PIECES), max_size=14).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=14).map(" ".join),
)


@settings(max_examples=400, deadline=None)
@given(MIXED, st.sampled_from([None, "en", "de", "cs", "fr", "ru", "tr"]), st.sampled_from([1, 2]))
def test_a_text_holds_every_word_of_itself_asked_as_a_question(text: str, language: str | None, analyser: int) -> None:
    held = chunk_lexemes(text, language, analyser=analyser).counts
    for word in question_lexemes(text, {language} if language else set(), language, analyser).words:
        assert set(word.terms) & set(held), word


@settings(max_examples=200, deadline=None)
@given(MIXED)
def test_words_are_the_runs_of_letters_and_digits_whatever_stands_between_them(text: str) -> None:  # S2-03
    # Names like C++ and C# are whole words of their own; other scripts have other borders.
    is_other = re.search(r"[^\x00-\u02ff\u0370-\u0482]|[^\W_][+#]", lexemes.fold(text))
    runs = re.findall(r"[^\W_]+", lexemes.fold(text)) if not is_other else None
    assert runs is None or words(text) == [run for run in runs if len(run) > 1]


def test_a_fraction_or_a_date_is_ranked_above_a_text_with_one_of_its_numbers() -> None:
    (nine,) = question_lexemes("9/11", {"en"}, "en").words
    assert nine.terms == ("11", "9/11")
    assert "9/11" in chunk_lexemes("after 9/11 all changed", "en").counts
    assert "9/11" not in chunk_lexemes("on 11/9", "en").counts


@pytest.mark.parametrize("text", ["हिन्दी भाषा", "می\u200cخواهم کتاب", "ภาษาไทย ครับ", "Ἀθήνα πόλις", "გამარჯობა მსოფლიო", "ደህና ነህ"])
def test_words_of_every_script_are_asked_as_they_are_indexed(text: str) -> None:
    assert set(question_lexemes(text, set()).terms) == set(chunk_lexemes(text, None).counts) != set()


def test_a_question_of_stop_words_alone_finds_the_text_where_they_stand_in_a_row() -> None:
    asked = question_lexemes("To be or not to be?", {"en", "de"}, "en")
    assert set(asked.terms) <= set(chunk_lexemes("He said: to be, or not to be, that is what he asked.", "en").counts)
    assert not set(asked.terms) & set(chunk_lexemes("It is not to that we are to be held.", "en").counts)
    assert set(question_lexemes("Es war einmal", {"de"}).terms) & set(chunk_lexemes("Es war einmal ein König.", "de").counts)
    assert question_lexemes("what is it", {"en"}, "en").terms == ("what is it",)
    assert question_lexemes("who is", {"en"}, "en").terms == ()


def test_capitals_make_a_name_of_a_stop_word_but_not_of_a_stressed_one() -> None:
    words_of = [word.word for word in question_lexemes("Does the WHO say what is NOT safe for US and IT?", {"en"}, "en").words]
    assert words_of == ["who", "say", "safe", "us", "it"]
    assert question_lexemes("WHO IS IT", {"en"}, "en").terms == ("who is it",)
    assert question_lexemes("WHO?", {"en"}, "en").terms == ("who",)


def test_an_index_of_the_first_version_is_asked_for_what_it_holds() -> None:
    asked = question_lexemes("What does LK-205 cost in km/h at 14.2?", {"en"}, "en", analyser=1)
    assert [(word.word, word.is_identifier) for word in asked.words] == [
        ("lk", True), ("205", True), ("cost", False), ("km", False), ("14", False),
    ]  # fmt: skip
    old = chunk_lexemes("LK-205 costs 14.2", "en", analyser=1)
    assert set(old.counts) == {"lk", "205", "costs", "cost", "14"}
    assert set(chunk_lexemes("LK-205 costs 14.2", "en").counts) == {*old.counts, "lk205", "14.2"}


@pytest.mark.parametrize("question", ["'; drop table people; --", "%drop% _table_ [people]", "drop\x00 table :* & ! people \\"])
def test_of_signs_that_mean_something_to_a_database_nothing_is_asked(question: str) -> None:  # bad-input row 58
    assert question_lexemes(question, {"en"}, "en").terms == ("drop", "table", "tabl", "people", "peopl")


def test_wholes_and_stems_do_not_lengthen_a_chunk() -> None:
    assert chunk_lexemes("The LK-205 costs 14.2 in Wi-Fi mode", "en").length == 7
    assert chunk_lexemes("The LK-205 costs 14.2 in Wi-Fi mode", "en", analyser=1).length == 7


@pytest.mark.parametrize(
    "text",
    ["x" * 20_000_000, "a-" * 300_000, "1." * 300_000, "e" + "\u0301" * 1_000_000, "ab/" * 100_000, "1 000 " * 50_000, "中" * 200_000],
)
def test_monstrous_texts_give_bounded_terms(text: str) -> None:
    counted = chunk_lexemes(text, "en")
    assert len(counted.counts) < 20
    assert all(len(term.encode()) <= lexemes.MAX_WORD_BYTES for term in counted.counts)
    assert len(question_lexemes(text[:100_000], {"en"}, "en").terms) < 20


def test_names_that_mean_one_thing_are_identifiers() -> None:
    found = lexemes.identifiers_in("H2O, COVID-19 and v1.2.3 in snake_case or CamelCase of NATO; the year 2024, in-between, 3.5 and I")
    assert found == ["H2O", "COVID-19", "v1.2.3", "snake_case", "CamelCase", "NATO"]
    assert lexemes.identifiers_in("WHAT IS THIS") == []
    assert lexemes.identifiers_in("an 18-year-old of the 10th-century, 1/2/2024, and/or 3-4; /usr/local/bin") == ["usr/local/bin"]
    assert lexemes.identifiers_in("Ab-" * 20_000) == []
    assert lexemes.identifiers_in("2015年黑豹队的防守有多少次拦截记录") == []
    assert lexemes.identifiers_in("戈登森提出UPT和哪个电视网合并") == ["UPT"]
    assert [word.word for word in question_lexemes("Super Bowl XXXIII 38 years", {"en"}, "en").words if word.is_identifier] == ["xxxiii"]
    assert [word.is_identifier for word in question_lexemes("what does E1234 mean", {"en"}, "en").words] == [True, False]
    strong = [
        word.word for word in question_lexemes("10th 50km 1990s 3D 18-year-old 14.2 and/or 3-5kg", {"en"}, "en").words if word.is_identifier
    ]
    assert strong == []


def test_a_title_word_counts_as_if_it_stood_three_times_more() -> None:
    plain, titled = (
        chunk_lexemes("settings for tickets", "en"),
        chunk_lexemes("settings for tickets", "en", title="Tickets", title_weight=3),
    )
    assert titled.counts["ticket"] == plain.counts["ticket"] + 3
    assert titled.length == plain.length == 2


def test_idf_and_the_knobs_of_bm25_have_the_values_of_the_ledger() -> None:
    assert (lexemes.K1, lexemes.B) == (1.2, 0.75)  # S2-12
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
