"""The question in the language of the sources, for the search alone: the answer is in the asker's. Source: S0-04, S0-26, S0-27, N-20."""

from __future__ import annotations

from dataclasses import dataclass

from sourcebook_core import log
from sourcebook_core.db import Conn
from sourcebook_core.errors import SourcebookError
from sourcebook_core.store.calls import Call
from sourcebook_rag import prompts
from sourcebook_rag.answer import instructions, ledger
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.run import Run

STEP = "translate"
TRANSLATE_S = 20.0
LONGEST = 4000  # characters: a model that writes on and on has not translated
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Translated:
    """The text to search with, and what it cost; `text` None when the question is searched as written."""

    text: str | None = None
    bill: Bill | None = None


def is_wanted(asked: Asked) -> bool:
    """Whether the profile wants another language than the question's, and a model for it is there.

    A question of a language that is not sure is translated unless all its letters are plain ones: then it reads as English.
    """
    wanted = asked.profile.answer.translate_to
    if not wanted or not asked.roles["translate"].is_on or not asked.scope.sources:
        return False
    if asked.language is not None:
        return asked.language != wanted
    return wanted != "en" or not asked.question.isascii()


async def begin(conn: Conn, run: Run, asked: Asked) -> Call:
    """Write the call down before it is made."""
    key = {"question": asked.question, "to": asked.profile.answer.translate_to}
    return await ledger.begin(conn, run, STEP, asked.roles["translate"], key, asked.scope.holder, asked.turn.id)


async def translated(run: Run, asked: Asked, call: Call) -> Translated:
    """One call at temperature 0. Where the model fails the question is searched as written, unless the profile wants an error."""
    role = asked.roles["translate"]
    if call.response is not None:
        return Translated(call.response.get("text"))
    said = await ledger.ask(run, call, role, messages_of(asked), seconds=TRANSLATE_S, temperature=0.0)
    if isinstance(said, SourcebookError):
        _log.warning("question.not_translated", code=said.code)
        is_empty = said.code == "model_bad_reply"  # N-20: an empty reply is no reason to fail
        if asked.profile.answer.on_unavailable == "error" and not is_empty:
            raise said
        return Translated()
    text, bill = " ".join(said[0].split()), said[1]
    return Translated(text if text and len(text) <= LONGEST else None, bill)


def messages_of(asked: Asked) -> list[dict[str, str]]:
    """The request."""
    name = instructions.LANGUAGE_NAMES.get(asked.profile.answer.translate_to or "", "English")
    system = prompts.load("translate").fill(language=name)
    return [{"role": "system", "content": system}, {"role": "user", "content": asked.question}]


async def settle(conn: Conn, found: Translated) -> None:
    """Write what it cost, in the commit that uses it."""
    if found.bill is not None:
        await ledger.settle(conn, found.bill, {"text": found.text})
