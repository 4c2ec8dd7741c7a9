"""The local embedder's own rules: scripts, means, limits, and text that its engine must not get."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sourcebook_core.providers.embed import token_estimate
from sourcebook_models.embedder import SENTENCES, Embedder, by_script, safe
from sourcebook_models.embeddings import prepared, read, told_apart
from sourcebook_models.refused import Refused


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return Embedder(tmp_path_factory.mktemp("means"))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("図書館はどこですか", "ja"),
        ("图书馆在哪里", "zh"),
        ("도서관은 어디에 있습니까", "ko"),
        ("Где находится библиотека", "ru"),
        ("Де знаходиться бібліотека її", "uk"),
        ("Πού είναι η βιβλιοθήκη", "el"),
        ("אפה הספרייה", "he"),
        ("أين المكتبة", "ar"),
        ("پنجره کجاست", "fa"),
        ("पुस्तकालय कहाँ है", "hi"),
        ("ห้องสมุดอยู่ที่ไหน", "th"),
        ("Kde je knihovna", "en"),
        ("The Kremlin (Кремль) in Moscow is large", "en"),
        ("1234 !?", "en"),
        ("", "en"),
    ],
)
def test_the_script_decides_when_nobody_knows_the_language(text: str, language: str) -> None:
    assert by_script(text) == language


@pytest.mark.parametrize(
    ("given", "language"),
    [("cs", "cs"), ("CS-cz", "cs"), ("zh_Hant", "zh"), ("nb", "no"), ("und", "en"), ("", "en"), ("tlh", "en"), (" de ", "de")],
)
def test_a_given_language_counts_where_it_has_a_mean(embedder: Embedder, given: str, language: str) -> None:
    assert embedder.language_of("some words", given) == language


def test_every_language_has_five_sentences_of_its_own() -> None:
    sentences = json.loads(SENTENCES.read_text("utf-8"))
    assert len(sentences) >= 30
    assert all(len(set(own)) == 5 for own in sentences.values())
    assert len({sentence for own in sentences.values() for sentence in own}) == 5 * len(sentences)


def test_the_means_are_read_back_and_a_broken_file_is_made_again(tmp_path: Path) -> None:
    first = Embedder(tmp_path)
    (vector,) = first.embed("The lake is deep.", "passage", ["en"])
    (kept,) = tmp_path.glob("language-means-*.npz")
    assert np.array_equal(Embedder(tmp_path).embed("The lake is deep.", "passage", ["en"])[0], vector)
    kept.write_bytes(b"PK broken")
    assert np.allclose(Embedder(tmp_path).embed("The lake is deep.", "passage", ["en"])[0], vector)
    assert np.isclose(np.linalg.norm(vector), 1, atol=1e-5)


def test_a_folder_that_cannot_be_written_costs_nothing_but_time(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    assert len(Embedder(tmp_path / "file" / "models").embed("The lake is deep.", "query", ["en"])) == 1


@given(st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_the_engine_never_gets_what_it_cannot_take(text: str) -> None:
    cleaned = safe(text + "\0\ud800\ufdfa")
    assert "\0" not in cleaned and "\ufdfa" not in cleaned
    cleaned.encode("utf-8")


def test_tokens_are_estimated_near_what_the_model_counts(embedder: Embedder) -> None:
    samples = (
        "The ferry to the island leaves at half past nine from the northern pier. ",
        "Die Bundesregierung hat gestern den Gesetzentwurf zur Krankenhausfinanzierung verabschiedet. ",
        "政府昨天批准了关于医院资金和社会支持的法律草案,预计将于明年一月生效。",
        "सरकार ने कल अस्पतालों के वित्तपोषण पर विधेयक को मंजूरी दी। ",
        "| 12.50 | 1,204 | 0.0031 | 99.8 % | 2024-11-03 |\n",
        "https://example.org/path/to/file?id=8831&sort=asc#part-3 ",
    )
    for text in samples:
        counted = embedder.token_count(text * 4, "passage")
        assert 0.75 * counted <= token_estimate(text * 4) <= 1.4 * counted, text


def test_one_text_under_two_languages_is_one_piece_of_work(embedder: Embedder) -> None:
    asked = read({"input": ["query: kniha", "query: kniha", "passage: kniha"]}, "cs,en,cs", 384)
    question, passage = prepared(asked, embedder)
    assert (question.languages, question.is_question) == (("cs", "en"), True)
    assert (passage.languages, passage.is_question) == (("cs",), False)


def test_the_prefix_decides_the_mode() -> None:
    assert told_apart("query: x") == ("x", "query", True)
    assert told_apart("passage: query: x") == ("query: x", "passage", False)
    assert told_apart("x") == ("x", "query", False)


def test_languages_that_do_not_match_the_texts_are_refused() -> None:
    with pytest.raises(Refused, match="2 languages for 3 texts"):
        read({"input": ["a", "b", "c"]}, "cs,en", 384)
