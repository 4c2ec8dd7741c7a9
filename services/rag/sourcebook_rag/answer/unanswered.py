"""Whether an answer of a model stands on nothing: its search came out empty, no passage is cited, and it is not about the documents."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sourcebook_core.text import numbers
from sourcebook_core.text.folding import fold
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.cite import Mark
from sourcebook_rag.answer.passages import Passage
from sourcebook_rag.answer.retrieve import Retrieved

_EXTENSION = re.compile(r"\.\w{2,5}\Z")
# What a question for the list of documents calls them (S1-45): en, de, cs, es, fr.
_DOCUMENTS = re.compile(
    r"\b(?:documents?|files?|sources?|pdfs?|uploads?|notebook|titles?|texts?"
    r"|dokumente?n?|dateien?|quellen?|unterlagen|texte|notizbuch"
    r"|dokument\w*|soubor\w*|zdroj\w*|poznámkov\w*"
    r"|documentos?|archivos?|fuentes?|ficheros?|textos?|cuaderno"
    r"|fichiers?|carnet|textes?)\b"
)


def stands_on_nothing(asked: Asked, found: Retrieved, given: Sequence[Passage], marks: Sequence[Mark], answer: str) -> bool:
    """Whether nothing in the sources answers the question, whatever the model wrote: it is told and kept as *nothing found*.

    Passages of the last answer alone (`carried`) are no evidence until the answer cites one. What the host application told is
    evidence, and so is the list of documents for a question that asks for it. Profiles that answer without sources on purpose
    (`silent`, `low_confidence`) keep their own rule. Source: C14, S1-45, ui.md state 17.
    """
    if asked.profile.answer.on_empty != "model_with_list" or not answer.strip() or marks:
        return False
    has_reads = asked.host is not None and bool(asked.host.reads)
    has_evidence = has_reads or bool(found.passages) or any(not passage.carried for passage in given)
    return not has_evidence and not _tells_the_list(asked, answer)


def _tells_the_list(asked: Asked, answer: str) -> bool:
    """Whether the question is about the documents and the answer names one of them, or how many there are."""
    if not asked.profile.prompt.gives_list or not _DOCUMENTS.search(fold(asked.question)):
        return False
    said = fold(answer)
    titles = (fold(_EXTENSION.sub("", source.title)).strip() for source in asked.scope.granted)
    return any(title and title in said for title in titles) or _tells_the_count(asked, answer)


def _tells_the_count(asked: Asked, answer: str) -> bool:
    count = numbers.Grounding([str(len(asked.scope.granted))])
    return bool(numbers.scan(answer)) and not numbers.ungrounded(answer, count)
