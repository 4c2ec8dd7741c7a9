"""Which questions are the same question in other words: the key by which misses are grouped."""

from __future__ import annotations

from uuid import UUID, uuid5

from sourcebook_core.text import lexemes

_NAMESPACE = UUID("5b0c1d7e-9a4f-4d0b-8d53-6f3f2a5e7c11")
UNSURE = "en"  # decisions "Models": a language that cannot be told is taken for English


def key_of(question: str, language: str | None) -> UUID:
    """The key of a question: the same for questions of the same words in any order and inflection, whatever their stop words.

    `language` is the question's own (ISO 639-1), None where it is not sure. A question of stop words alone is keyed by all its
    words, one without words (a lone sign) by its text. It is a digest: an address or a log that carries it tells no word.
    """
    spoken = language or UNSURE
    said = lexemes.words(question)
    told = [word for word in said if not lexemes.is_stop_word(word, spoken)] or said
    stems = sorted({lexemes.forms(word, spoken)[-1] for word in told})
    return uuid5(_NAMESPACE, "words " + " ".join(stems) if stems else "text " + lexemes.fold(question).strip())
