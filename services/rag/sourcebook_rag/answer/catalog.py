"""The list of what is sold: read when the model says that a question needs it, told only where it is cited. Source: S4-08, S4-25."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from time import monotonic
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import orjson

from sourcebook_core import addresses, egress, jobs, log
from sourcebook_core.addresses import NotAnAddress
from sourcebook_core.egress import Bounds
from sourcebook_core.errors import SourcebookError
from sourcebook_core.routing import Catalog
from sourcebook_core.settings import Settings
from sourcebook_core.store.scopes import ScopeSource
from sourcebook_core.store.search import ChunkRow
from sourcebook_core.text import lexemes
from sourcebook_core.text.cleaned import one_line
from sourcebook_rag import lines, prompts
from sourcebook_rag.answer import ledger
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.passages import CATALOG, Passage
from sourcebook_rag.answer.run import Run
from sourcebook_rag.deps import Deps, Kept

STEP = "catalog"
DECIDE_S = 15.0
REPLY_TOKENS = 5
READ = 5000  # records of one catalog
NAME_CHARS, TEXT_CHARS, LINK_CHARS = 200, 1000, 1000
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Record:
    """One article: its name, what it is, and where it stands in the shop."""

    name: str
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Consulted:
    """Records that fit, as passages; a notice for the asker: the catalog cannot be reached, or where the shop is."""

    passages: tuple[Passage, ...] = ()
    notice: str = ""


async def consult(run: Run, asked: Asked) -> Consulted:
    """What the catalog has for this question, where the profile has one and the model says that it is needed.

    The answer never waits for it longer than its own bounds, and never fails for it.
    """
    of = asked.profile.routing.catalog
    if of is None or asked.route.answer_mode == "science":
        return Consulted()
    if not await _is_wanted(run, asked):
        return Consulted()
    records = await read(run.deps, of)
    if records is None:
        return Consulted(notice=lines.line("catalog_away", asked.reply_language))
    # Thousands of records take most of a second, and other answers stream meanwhile.
    fitting = await asyncio.to_thread(best, records, asked.search_text, asked.search_language, of.records)
    if not fitting and of.link:
        return Consulted(notice=lines.line("catalog_link", asked.reply_language).replace("{link}", of.link))
    return Consulted(tuple(as_passage(one) for one in fitting))


async def read(deps: Deps, of: Catalog) -> tuple[Record, ...] | None:
    """The records of a catalog, read anew when its time is over; None when it cannot be read, which is in the log."""
    kept = deps.catalogs.get(of.address)
    if kept is not None and monotonic() < kept.until:
        return kept.records
    try:
        async with asyncio.timeout(of.seconds):
            records = await _read(deps.settings, of)
    except (SourcebookError, NotAnAddress, TimeoutError, ValueError) as error:
        _log.warning("catalog.not_read", error=getattr(error, "code", type(error).__name__))
        return None
    deps.catalogs[of.address] = Kept(records, monotonic() + of.ttl_s)
    return records


async def _read(settings: Settings, of: Catalog) -> tuple[Record, ...]:
    address = addresses.parse(of.address, settings.host_allow)
    got = await egress.get_once(address, {"Accept": "application/json"}, Bounds(of.max_bytes, of.seconds), settings.host_allow)
    if not 200 <= got.status < 300:
        raise ValueError("its status is no success")
    found = orjson.loads(got.content)
    items = found.get("items") if isinstance(found, dict) else found
    if not isinstance(items, list):
        raise ValueError("it is no list")
    return tuple(_record(one) for one in items[:READ] if isinstance(one, dict) and one.get("name"))


def _record(given: Mapping[str, Any]) -> Record:
    url = one_line(str(given.get("url") or ""), LINK_CHARS)
    is_link = url.startswith(("https://", "http://")) and " " not in url
    text = one_line(str(given.get("text") or ""), TEXT_CHARS)
    return Record(one_line(str(given["name"]), NAME_CHARS), text, url if is_link else "")


def best(records: Sequence[Record], question: str, language: str | None, most: int) -> list[Record]:
    """The records that share most words with the question, best first; none that shares none. Pure."""
    words = lexemes.question_lexemes(question, {language} if language else set(), language).words
    scored = []
    for place, one in enumerate(records):
        held = lexemes.chunk_lexemes(f"{one.name}\n{one.text}", language).counts
        share = sum(any(term in held for term in word.terms) for word in words)
        if share:
            scored.append((-share, place, one))
    return [one for _, _, one in sorted(scored, key=lambda row: row[:2])[:most]]


def as_passage(record: Record) -> Passage:
    """The record as a passage: of no source of the library, and no evidence for how the product is used (S4-20)."""
    key = uuid5(NAMESPACE_URL, f"catalog:{record.url}:{record.name}")
    text = f"{record.name}. {record.text}".strip()
    source = ScopeSource(key, key, record.name, CATALOG, "ready", None, 1, "full", {"url": record.url} if record.url else {})
    chunk = ChunkRow(key, key, key, 0, 0, 0, len(text), None, None, None, text)
    return Passage(chunk, source, None, pool=CATALOG, is_evidence=False)


async def _is_wanted(run: Run, asked: Asked) -> bool:
    """One short call at temperature 0, paid once however often the turn is begun; a model that fails wants no catalog."""
    role = asked.roles["chat"]
    async with jobs.holding(run.deps.db, run.work) as conn:
        call = await ledger.begin(conn, run, STEP, role, {"question": asked.question}, asked.scope.holder, asked.turn.id)
    if call.response is not None:
        return bool(call.response.get("is_wanted"))
    message = prompts.load("catalog_wanted").fill(question=asked.question)
    asking = [{"role": "user", "content": message}]
    said = await ledger.ask(run, call, role, asking, seconds=DECIDE_S, temperature=0.0, max_tokens=REPLY_TOKENS)
    if isinstance(said, SourcebookError):
        _log.warning("catalog.not_decided", code=said.code)
        return False
    text, bill = said
    is_wanted = text.strip().upper().startswith("YES")
    async with jobs.holding(run.deps.db, run.work) as conn:
        await ledger.settle(conn, bill, {"is_wanted": is_wanted})
    return is_wanted
