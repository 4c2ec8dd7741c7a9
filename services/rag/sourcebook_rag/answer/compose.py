"""What the writing model is given: rules, earlier messages, the list of documents and the fenced passages."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sourcebook_core.events import Route
from sourcebook_core.profiles import Profile
from sourcebook_core.providers.embed import token_estimate
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.text.cleaned import one_line
from sourcebook_rag import prompts
from sourcebook_rag.answer import instructions
from sourcebook_rag.answer.cite import strip_marks
from sourcebook_rag.answer.instructions import Style
from sourcebook_rag.answer.passages import Passage

TITLE_CHARS = 120  # N-12
HEADING_CHARS = 200
LEAD_CHARS = 600
SITUATION_CHARS = 1000
ANALOGY = "analogy"  # of a source's `meta.transfer`
LISTED_DOCUMENTS = 100  # the rest is told as a count, so that a large notebook does not fill the prompt
SAFETY = 1.15  # our estimate of tokens against a tokeniser we do not know
FENCE_BYTES = 9
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
    "note": "note of the asker, made from the others",
}


@dataclass(frozen=True, slots=True)
class Said:
    """One earlier message of the conversation."""

    role: str
    content: str


@dataclass(frozen=True, slots=True)
class Composed:
    """The messages for the model; `passages` are those that fitted, `tokens` our estimate, `is_cut` when some were left out.

    `fingerprint` is the same for the same prompt, whatever its fence: the first 16 hex digits of its SHA-256. `notice` is told to the
    asker as well.
    """

    messages: list[dict[str, str]]
    passages: list[Passage]
    tokens: int
    is_cut: bool
    label: str
    fingerprint: str = ""
    notice: str = ""


@dataclass(frozen=True, slots=True)
class Brief:
    """What a request says beside its passages and history. `situation` are facts of the host application that go into the prompt,
    `data` is the host's data block as it stands between passages and question, `notice` a line about the catalog."""

    question: str
    profile: Profile
    documents: Sequence[ScopeSource] = ()
    route: Route = field(default_factory=Route)
    language: str | None = None
    style: Style | None = None
    situation: Mapping[str, str] = field(default_factory=dict)
    data: str = ""
    notice: str = ""


def compose(
    brief: Brief,
    passages: Sequence[Passage],
    history: Sequence[Said],
    *,
    fence: str,
    context_tokens: int | None,
    reply_tokens: int,
) -> Composed:
    """The messages of one request. Pure: the same input gives the same words.

    `fence` must be new and random for each request, so that no passage can close it. With `context_tokens`, passages are
    dropped from the end until the prompt and `reply_tokens` fit; then earlier messages.
    """
    told = bounded_history(history, brief.profile.conversation.max_messages, brief.profile.conversation.max_chars)
    kept = list(passages)
    label, rules = instructions.of(brief.profile, brief.route, brief.language, brief.style)
    while True:
        earlier = [{"role": said.role, "content": said.content} for said in told]
        messages = [{"role": "system", "content": rules}, *earlier, {"role": "user", "content": asked_of(brief, kept, fence)}]
        tokens = estimate(messages)
        fits = context_tokens is None or tokens * SAFETY + reply_tokens <= context_tokens
        if fits or (len(kept) <= 1 and not told):
            is_cut = len(kept) < len(passages) or not fits
            return Composed(messages, kept, tokens, is_cut, label, fingerprint(messages, fence), brief.notice)
        if len(kept) > 1:
            kept.pop()
        else:
            told = told[2:]


def asked_of(brief: Brief, passages: Sequence[Passage], fence: str) -> str:
    """The last message: documents, passages, data and situation, each where there is one, and the question.

    Without a passage a `silent` profile says nothing of passages (S3-17); with `document_names` none no title is said at all (S3-07).
    """
    knobs, parts = brief.profile.prompt, []
    if knobs.gives_list:
        parts.append(prompts.load("part_documents").fill(documents=document_list(brief.documents)))
    if passages or brief.profile.answer.on_empty != "silent":
        shown = fenced(passages, fence, with_names=knobs.gives_titles, with_pools=bool(brief.profile.routing.rules))
        parts.append(prompts.load("part_passages").fill(fence=fence, passages=shown or "(no passage was found)"))
    if brief.data:
        parts.append(brief.data)
    if brief.notice:
        parts.append(prompts.load("part_catalog").fill(notice=brief.notice))
    if brief.situation:
        facts = "\n".join(f"- {name}: {one_line(value, SITUATION_CHARS)}" for name, value in brief.situation.items())
        parts.append(prompts.load("part_situation").fill(facts=facts))
    return prompts.load("question").fill(parts="".join(f"{part}\n\n" for part in parts), question=brief.question)


def new_fence() -> str:
    """A fence that no passage can know."""
    return f"<<{secrets.token_hex(FENCE_BYTES)}>>"


def fenced(passages: Sequence[Passage], fence: str, *, with_names: bool, with_pools: bool = False) -> str:
    """The passages, numbered from 1."""
    told = (numbered(passage, n, fence, with_names=with_names, with_pools=with_pools) for n, passage in enumerate(passages, 1))
    return "\n\n".join(told)


def numbered(passage: Passage, n: int, fence: str, *, with_names: bool, with_pools: bool = False) -> str:
    """One passage under its number, between two lines of the fence. Its words stay as they are."""
    head = f"[{n}]" + (f" {pool_label(passage)}" if with_pools else "") + (f" {_place(passage)}" if with_names else "")
    return f"{head}\n{fence}\n{passage.chunk.text.strip()}\n{fence}"


def pool_label(passage: Passage) -> str:
    """What an excerpt may be used for, by its pool and the `transfer` of its source (S4-17, S4-18)."""
    marks = [passage.pool or "background"]
    if ANALOGY in passage.source.values("transfer"):
        marks.append("analogy only")
    marks += [f"claim: {one_line(claim, 40)}" for claim in sorted(passage.source.values("claim"))]
    marks += [f"about {one_line(name, 40)}" for name in sorted(passage.source.values("technology"))]
    return " ".join(f"({mark})" for mark in marks)


def _place(passage: Passage) -> str:
    named = [one_line(passage.source.title, TITLE_CHARS)]
    if passage.chunk.page is not None:
        named.append(f"page {passage.chunk.page}")
    if passage.chunk.heading:
        named.append(one_line(passage.chunk.heading, HEADING_CHARS))
    if passage.chunk.sheet:
        named.append(f"sheet {one_line(passage.chunk.sheet, HEADING_CHARS)}")
    if passage.chunk.lead:
        named.append(f"columns: {one_line(passage.chunk.lead, LEAD_CHARS)}")
    if passage.source.is_made:
        named.append("made from the other documents, no source of its own")
    if passage.carried:
        named.append("used in the last answer")
    return ", ".join(named)


def document_list(documents: Sequence[ScopeSource]) -> str:
    """One line for each document: its kind and title, and that it cannot be searched yet where that is so (S1-45)."""
    lines = []
    for source in documents[:LISTED_DOCUMENTS]:
        state = "" if source.searchable != "none" else " (not read yet)"
        lines.append(f"- {KIND_WORDS.get(source.kind, source.kind)}: {one_line(source.title, TITLE_CHARS)}{state}")
    if len(documents) > LISTED_DOCUMENTS:
        lines.append(f"- and {len(documents) - LISTED_DOCUMENTS} more")
    return "\n".join(lines) or "(none)"


def compose_small(
    question: str,
    passages: Sequence[Passage],
    *,
    fence: str,
    language: str | None,
    context_tokens: int,
    reply_tokens: int,
    pinned: Sequence[str] = (),
) -> Composed:
    """The messages for a model that takes little text: a few sentences with three worked examples, no list, no history.

    Source: models.md section 4 (a 1.5B model answers and refuses best that way). Pure; passages that do not fit are dropped.
    """
    line = "\n".join([*pinned, instructions.language_line(language).removeprefix("- ")])
    system = prompts.load("answer_small").fill(language=line)
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


def fingerprint(messages: Sequence[Mapping[str, str]], fence: str) -> str:
    """What tells one prompt from another, without the fence, which is new each time."""
    plain = json.dumps([dict(one) for one in messages], ensure_ascii=False, sort_keys=True).replace(fence, "<<fence>>")
    return hashlib.sha256(plain.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def estimate(messages: Sequence[dict[str, str]]) -> int:
    """About how many tokens a model makes of these messages."""
    return sum(token_estimate(message["content"]) + MESSAGE_TOKENS for message in messages)
