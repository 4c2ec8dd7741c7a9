"""What the writing model is given: rules, earlier messages, the list of documents and the fenced passages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from sourcebook_core.profiles import Prompting
from sourcebook_core.providers.embed import token_estimate
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_rag import prompts
from sourcebook_rag.answer.cite import strip_marks
from sourcebook_rag.answer.passages import Passage

TITLE_CHARS = 120  # N-12
HEADING_CHARS = 200
LEAD_CHARS = 600
LISTED_DOCUMENTS = 100  # the rest is told as a count, so that a large notebook does not fill the prompt
SAFETY = 1.15  # our estimate of tokens against a tokeniser we do not know
MESSAGE_TOKENS = 8  # what a chat template adds to a message

KIND_WORDS = {
    "pdf": "PDF",
    "markdown": "Markdown",
    "text": "text",
    "url": "web page",
    "image": "picture",
    "audio": "recording",
    "office": "document",
    "generated": "made document",
}
LANGUAGE_NAMES = {
    "ar": "Arabic", "bg": "Bulgarian", "ca": "Catalan", "cs": "Czech", "da": "Danish", "de": "German", "el": "Greek", "en": "English",
    "es": "Spanish", "et": "Estonian", "fi": "Finnish", "fr": "French", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "id": "Indonesian", "it": "Italian", "ja": "Japanese", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian",
    "nb": "Norwegian", "nl": "Dutch", "no": "Norwegian", "pl": "Polish", "pt": "Portuguese", "ro": "Romanian", "ru": "Russian",
    "sk": "Slovak", "sl": "Slovenian", "sr": "Serbian", "sv": "Swedish", "th": "Thai", "tr": "Turkish", "uk": "Ukrainian",
    "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")


@dataclass(frozen=True, slots=True)
class Said:
    """One earlier message of the conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Composed:
    """The messages for the model; `passages` are those that fitted, `tokens` our estimate, `is_cut` when some were left out."""

    messages: list[dict[str, str]]
    passages: list[Passage]
    tokens: int
    is_cut: bool
    label: str


def clean(text: str, limit: int) -> str:
    """Words a person typed, on one line, without angle brackets and invisible characters, at most `limit` long. Source: N-12."""
    plain = " ".join(_CONTROLS.sub(" ", text).replace("<", " ").replace(">", " ").split())
    return plain if len(plain) <= limit else plain[: limit - 3].rstrip() + "..."


def compose(
    question: str,
    passages: Sequence[Passage],
    documents: Sequence[ScopeSource],
    history: Sequence[Said],
    knobs: Prompting,
    *,
    fence: str,
    language: str | None,
    context_tokens: int | None,
    reply_tokens: int,
) -> Composed:
    """The messages of one request. Pure: the same input gives the same words.

    `fence` must be new and random for each request, so that no passage can close it. With `context_tokens`, passages are
    dropped from the end until the prompt and `reply_tokens` fit; then earlier messages.
    """
    told = bounded_history(history, knobs.max_messages, knobs.max_chars)
    kept = list(passages)
    while True:
        messages = _messages(question, kept, documents, told, knobs, fence, language)
        tokens = estimate(messages)
        fits = context_tokens is None or tokens * SAFETY + reply_tokens <= context_tokens
        if fits or (len(kept) <= 1 and not told):
            is_cut = len(kept) < len(passages) or not fits
            return Composed(messages, kept, tokens, is_cut, prompts.load("answer").label)
        if len(kept) > 1:
            kept.pop()
        else:
            told = told[2:]


def _messages(
    question: str,
    passages: Sequence[Passage],
    documents: Sequence[ScopeSource],
    history: Sequence[Said],
    knobs: Prompting,
    fence: str,
    language: str | None,
) -> list[dict[str, str]]:
    name = LANGUAGE_NAMES.get(language or "")
    system = prompts.load("answer").fill(language=f"- Answer in {name}." if name else "- Answer in the language of the question.")
    asked = prompts.load("question").fill(
        documents=document_list(documents) if knobs.document_list and knobs.document_names == "titles" else "(not listed)",
        fence=fence,
        passages=fenced(passages, fence, with_names=knobs.document_names == "titles") or "(no passage was found)",
        question=question,
    )
    earlier = [{"role": said.role, "content": said.content} for said in history]
    return [{"role": "system", "content": system}, *earlier, {"role": "user", "content": asked}]


def fenced(passages: Sequence[Passage], fence: str, *, with_names: bool) -> str:
    """The passages, numbered from 1, each between two lines of the fence. Their words stay as they are."""
    parts = []
    for n, passage in enumerate(passages, 1):
        head = f"[{n}]" + (f" {_place(passage)}" if with_names else "")
        parts.append(f"{head}\n{fence}\n{passage.chunk.text.strip()}\n{fence}")
    return "\n\n".join(parts)


def _place(passage: Passage) -> str:
    named = [clean(passage.source.title, TITLE_CHARS)]
    if passage.chunk.page is not None:
        named.append(f"page {passage.chunk.page}")
    if passage.chunk.heading:
        named.append(clean(passage.chunk.heading, HEADING_CHARS))
    if passage.chunk.sheet:
        named.append(f"sheet {clean(passage.chunk.sheet, HEADING_CHARS)}")
    if passage.chunk.lead:
        named.append(f"columns: {clean(passage.chunk.lead, LEAD_CHARS)}")
    if passage.carried:
        named.append("used in the last answer")
    return ", ".join(named)


def document_list(documents: Sequence[ScopeSource]) -> str:
    """One line for each document: its kind and title, and that it cannot be searched yet where that is so (S1-45)."""
    lines = []
    for source in documents[:LISTED_DOCUMENTS]:
        state = "" if source.searchable != "none" else " (not read yet)"
        lines.append(f"- {KIND_WORDS.get(source.kind, source.kind)}: {clean(source.title, TITLE_CHARS)}{state}")
    if len(documents) > LISTED_DOCUMENTS:
        lines.append(f"- and {len(documents) - LISTED_DOCUMENTS} more")
    return "\n".join(lines) or "(none)"


def compose_small(
    question: str, passages: Sequence[Passage], *, fence: str, language: str | None, context_tokens: int, reply_tokens: int
) -> Composed:
    """The messages for a model that takes little text: a few sentences with three worked examples, no list, no history.

    Source: models.md section 4 (a 1.5B model answers and refuses best that way). Pure; passages that do not fit are dropped.
    """
    name = LANGUAGE_NAMES.get(language or "")
    system = prompts.load("answer_small").fill(language=f"Answer in {name}." if name else "Answer in the language of the question.")
    kept = list(passages)
    while True:
        numbered = "\n".join(f"[{n}] {' '.join(one.chunk.text.split())}" for n, one in enumerate(kept, 1))
        asked = prompts.load("question_small").fill(fence=fence, passages=numbered, question=question)
        messages = [{"role": "system", "content": system}, {"role": "user", "content": asked}]
        tokens = estimate(messages)
        fits = tokens * SAFETY + reply_tokens <= context_tokens
        if fits or len(kept) <= 1:
            return Composed(messages, kept, tokens, len(kept) < len(passages) or not fits, prompts.load("answer_small").label)
        kept.pop()


def bounded_history(history: Sequence[Said], max_messages: int, max_chars: int) -> list[Said]:
    """The newest earlier messages within both bounds: whole ones, beginning with a user's, marks taken out of answers.

    Source: S0-41, A8, N-06.
    """
    kept: list[Said] = []
    chars = 0
    for said in reversed(history):
        content = strip_marks(said.content) if said.role == "assistant" else said.content
        if len(kept) == max_messages or chars + len(content) > max_chars:
            break
        chars += len(content)
        kept.insert(0, Said(said.role, content))
    while kept and kept[0].role != "user":
        kept.pop(0)
    return kept


def estimate(messages: Sequence[dict[str, str]]) -> int:
    """About how many tokens a model makes of these messages."""
    return sum(token_estimate(message["content"]) + MESSAGE_TOKENS for message in messages)
