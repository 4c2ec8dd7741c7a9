"""The guide of a notebook: what it is about, its topics, and questions that its search answers clearly."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sourcebook_core import jobs, log, roles
from sourcebook_core.errors import SourcebookError
from sourcebook_core.jobs import MakeGuide
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store import guides, scopes, spaces
from sourcebook_core.store.guides import Material
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.text import language, lexemes
from sourcebook_core.text.sentences import sentences
from sourcebook_rag import lines, prompts
from sourcebook_rag.answer import compose, embedding, ledger, seek, sureness
from sourcebook_rag.answer.begin import allowed
from sourcebook_rag.answer.instructions import LANGUAGE_NAMES
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps

STEP = "guide"
QUESTIONS, TOPICS = 4, 6
CANDIDATES = 12  # questions tried; each is one search
SUMMARY_CHARS = 400
REPLY_TOKENS = 500
PARAGRAPH_CHARS = 800
_HEADING_CHARS = range(3, 60)
_LEVELS = 2  # deeper headings are about details
_log = log.get(__name__)
_LINE = re.compile(r"^\W*(SUMMARY|QUESTION)\W*?:\W*?\s*(.+)$", re.MULTILINE | re.IGNORECASE)


async def make_guide(work: MakeGuide, deps: Deps) -> None:
    """Make the guide of a notebook from its ready sources. Safe to run twice; a model that is away leaves it quoted.

    Raises Overtaken, DatabaseAway.
    """
    run = Run(work, deps)
    async with jobs.holding(deps.db, work) as conn:
        scope = await scopes.of(conn, Holder("notebook", work.notebook_id), work.person_id, None)
        held = await guides.material(conn, work.notebook_id)
        in_force, space = await roles.effective_roles(conn, deps.settings), await spaces.find_in_use(conn)
    if scope is None or not held:
        return
    spoken = _language(held)
    topics = list(_topics(held))
    summary = _quoted(held)
    written: list[str] = []
    role = in_force["chat"]
    # A local writing model copies and misreads at this task (models page, section 4): the sources' own sentences are better.
    if allowed(role, scope).is_on and role.provider == "api":
        summary, written = await _written(run, role, scope, held, spoken) or (summary, written)
    asked = [*written, *(lines.line("guide_about", spoken).format(topic=topic["label"]) for topic in topics)]
    questions = await _clear(run, scope, embedding.role_of_space(space, in_force["embedding"], scope), asked[:CANDIDATES])
    told = {"summary": summary, "topics": topics, "questions": questions}
    async with jobs.finishing(deps.db, work) as conn:
        await guides.keep(conn, work.notebook_id, guides.fingerprint(held), told)
    _log.info("guide.made", notebook_id=str(work.notebook_id), topics=len(topics), tried=len(asked), questions=len(questions))


def _language(held: Sequence[Material]) -> str | None:
    """The language of most sources, where it is known."""
    known = [one.language for one in held if one.language]
    return max(set(known), key=known.count) if known else None


def _quoted(held: Sequence[Material]) -> dict[str, Any] | None:
    """The first sentences of the first two sources' paragraphs. Quoted only where both are the sources' own words."""
    parts: list[str] = []
    kinds: set[str | None] = set()
    for one in held:
        found = next(iter(sentences(one.summary or "")), None)
        if found is not None and len(parts) < 2:  # as many as it has lines
            parts.append((one.summary or "")[found[0] : found[1]])
            kinds.add(one.summary_kind)
    text = " ".join(parts)[:SUMMARY_CHARS]
    return {"text": text, "kind": "quoted" if kinds == {"quoted"} else "written"} if text else None


def _topics(held: Sequence[Material]) -> Iterator[dict[str, Any]]:
    """Headings that stand high in the sources, those of several sources first, then one of each source in turn."""
    where: dict[str, tuple[str, int, set[Any]]] = {}
    for one in held:
        for place, heading in enumerate(item for item in one.outline if int(item.get("level", 1)) <= _LEVELS):
            label = " ".join(str(heading.get("title", "")).split())
            if len(label) not in _HEADING_CHARS or not any(sign.isalpha() for sign in label) or label == one.title:
                continue
            key = lexemes.fold(label)
            known = where.get(key, (label, place, set()))
            where[key] = (known[0], min(known[1], place), known[2] | {one.source_id})
    ranked = sorted(where.values(), key=lambda one: (-len(one[2]), one[1], one[0]))
    for label, _, sources in ranked[:TOPICS]:
        yield {"label": label, "source_ids": sorted(str(source) for source in sources)}


async def _written(
    run: Run, role: RoleSettings, scope: Scope, held: Sequence[Material], spoken: str | None
) -> tuple[dict[str, Any], list[str]] | None:
    """Summary and questions by the chat model; None where it is away or writes something else."""
    fence = compose.new_fence()
    told = "\n\n".join((one.summary or "")[:PARAGRAPH_CHARS] for one in held if one.summary)
    if not told:
        return None
    system = prompts.load("guide")
    name = LANGUAGE_NAMES.get(spoken or "")
    words = system.fill(language=f"Write in {name}." if name else "Write in the language of the paragraphs.", fence=fence)
    async with jobs.holding(run.deps.db, run.work) as conn:
        call = await ledger.begin(conn, run, STEP, role, [system.label, told], scope.holder, None)
    text = (call.response or {}).get("text")
    if text is None:
        messages = [{"role": "system", "content": words}, {"role": "user", "content": f"{fence}\n{told}\n{fence}"}]
        said = await ledger.ask(run, call, role, messages, max_tokens=REPLY_TOKENS)
        if isinstance(said, SourcebookError):
            _log.warning("guide.not_written", code=said.code)
            return None
        text, bill = said
        async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
            await ledger.settle(conn, bill, {"text": text})
    found = [(kind.upper(), " ".join(words.split())) for kind, words in _LINE.findall(str(text))]
    summary = next((words for kind, words in found if kind == "SUMMARY"), None)
    if summary is None:
        return None
    return {"text": summary[:SUMMARY_CHARS], "kind": "written"}, [words for kind, words in found if kind == "QUESTION"]


async def _clear(run: Run, scope: Scope, role: RoleSettings | None, asked: Sequence[str]) -> list[str]:
    """The first questions that the notebook's own search answers clearly; `role` embeds them where it does not search by words alone."""
    profile = sureness.profile_of(scope)
    role = role if profile.retrieval.mode != "lexical" else None
    kept: list[str] = []
    for text in asked:
        if len(kept) == QUESTIONS:
            break
        async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
            question = await embedding.begin(conn, run, scope, text, language.identify(text), role, None)
        embedded = await embedding.embed_question(run, question)
        found = await seek.find(run, scope, question, embedded, profile.retrieval)
        async with jobs.holding(run.deps.db, run.work, checkpoint=True) as conn:
            await embedding.settle(conn, embedded)
        if sureness.reply_kind(found, profile, text) == "clear":
            kept.append(text)
    return kept
