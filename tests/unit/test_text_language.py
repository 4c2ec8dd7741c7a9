"""A language is named only when the text is sure of it."""

import pytest

from sourcebook_core.text.language import identify


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "How do I create a ticketing department?"),
        ("en", "The committee met in March and decided that the budget would be cut by four percent."),
        ("de", "Wie lege ich eine Abteilung an?"),
        ("de", "Einstellungen"),
        ("cs", "Jak vytvořím oddělení pro tikety?"),
        ("cs", "Kolik je hodin?"),
        ("es", "¿Cuánto dura la garantía?"),
        ("fr", "Quelle est la durée de la garantie ?"),
        ("sk", "Ako vytvorím oddelenie pre tikety?"),
        ("pl", "Jak utworzyć dział?"),
        ("it", "Come funziona il sistema?"),
        ("nl", "Hoe werkt het systeem?"),
        ("ru", "Как работает эта система?"),
        ("uk", "Як працює ця система?"),
        ("ar", "كيف يعمل هذا النظام؟"),
        ("zh", "这个系统如何工作"),
        ("ja", "このシステムはどう動きますか"),
        ("ko", "이 시스템은 어떻게 작동합니까"),
    ],
)
def test_a_sentence_tells_its_language(language: str, text: str) -> None:
    assert identify(text) == language


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Wer war das?"), ("de", "Was kostet das?"), ("de", "Die Frau"), ("cs", "kde je most"), ("cs", "co to je"),
        ("cs", "Kdo to byl?"), ("es", "¿Qué es eso?"), ("es", "¿Quién fue?"), ("fr", "où se garer"), ("fr", "Est-ce sûr ?"),
        ("en", "Who was he?"), ("en", "What is it?"),
    ],
)  # fmt: skip
def test_a_few_words_tell_it_where_a_stop_word_and_the_likeliest_language_agree(language: str, text: str) -> None:
    assert identify(text) == language


@pytest.mark.parametrize(
    "text", ["Wat is dit?", "Wie was hij?", "Chi era?", "non si può", "o que é isso?", "Mikä se on?", "Bu ne?", "last boat", "Kontakt"]
)
def test_a_stop_word_alone_decides_nothing(text: str) -> None:
    assert identify(text) not in ("en", "de", "cs", "es", "fr")


def test_numbers_inside_a_chinese_sentence_do_not_hide_it() -> None:
    assert identify("2015年黑豹队的防守有多少次拦截记录？") == "zh"


@pytest.mark.parametrize(
    "text", ["", "  ", "hello", "E1234", "Table 3. Results 12.5 14.2 0.003 GDP EU", "https://example.org/de/die-seite", "🎈🎈", "ok thanks"]
)
def test_a_text_that_is_too_short_or_no_sentence_tells_none(text: str) -> None:
    assert identify(text) is None


def test_addresses_inside_a_sentence_do_not_decide() -> None:
    assert identify("Die Anleitung steht unter https://example.org/the/english/manual und ist für alle lesbar.") == "de"
