"""The question as vectors of the space in use, paid once a turn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np

from sourcebook_core import accounting, log
from sourcebook_core.db import Conn
from sourcebook_core.errors import DatabaseAway, SourcebookError
from sourcebook_core.providers import embed, failures
from sourcebook_core.providers.embed import Vector
from sourcebook_core.settings import RoleSettings
from sourcebook_core.store.calls import Call
from sourcebook_core.store.scopes import Scope
from sourcebook_core.store.spaces import Space
from sourcebook_rag.answer import ledger
from sourcebook_rag.answer.ledger import Bill
from sourcebook_rag.answer.run import Run

STEP = "question"
QUESTION_S = 10.0  # half of `first_event_s`: a busy model makes an answer by words, never none
_log = log.get(__name__)


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its language where that is sure, the role that embeds it (None: words alone) and the call in the ledger."""

    text: str
    language: str | None
    role: RoleSettings | None
    call: Call | None


@dataclass(frozen=True, slots=True)
class Embedded:
    """One vector, or two for a short question (a chunk counts with the higher cosine); none = search by words alone."""

    vectors: Sequence[Sequence[float]] = ()
    bill: Bill | None = None

    @property
    def arrays(self) -> list[Vector]:
        """The vectors as arrays."""
        return [np.asarray(vector, dtype=np.float32) for vector in self.vectors]


def role_of_space(space: Space | None, role: RoleSettings, scope: Scope) -> RoleSettings | None:
    """The embedding role as the space in use needs it, or None when it cannot be asked.

    Not the model that was chosen but the one whose vectors are here embeds the question (S2-40, S2-42). A key is only sent
    to the address it was given for; a local server may have moved to another port since.
    """
    if space is None or (scope.settings.get("local_only") and space.provider == "api"):
        return None
    if role.is_on and role.model == space.model and (role.base_url == space.base_url or role.provider == space.provider == "local"):
        return role.model_copy(
            update={"dimension": space.dimension, "query_prefix": space.query_prefix, "passage_prefix": space.passage_prefix}
        )
    if not role.is_on:
        return None
    return role.model_copy(
        update={
            "provider": space.provider,
            "base_url": space.base_url,
            "model": space.model,
            "api_key": role.api_key if role.base_url == space.base_url else None,
            "dimension": space.dimension,
            "query_prefix": space.query_prefix,
            "passage_prefix": space.passage_prefix,
            "options": {},
        }
    )


async def begin(
    conn: Conn, run: Run, scope: Scope, text: str, language: str | None, role: RoleSettings | None, turn_id: UUID | None
) -> Question:
    """The question, with `started` written for the call that will embed it (none without a role or without sources)."""
    if role is None or not scope.sources:
        return Question(text, language, role, None)
    asked = {"question": text, "language": language, "prefix": role.query_prefix}
    return Question(text, language, role, await ledger.begin(conn, run, STEP, role, asked, scope.holder, turn_id))


async def embed_question(run: Run, question: Question, *, must: bool = False) -> Embedded:
    """The vectors of the question; none where no model is asked, or it is away or refuses, which is logged: the search is by words
    then, and says so (`seek.find`). With `must` a model that is there and fails is an error. Source: C15, S2-39."""
    role, call = question.role, question.call
    if role is None or call is None:
        return Embedded()
    if call.response is not None:
        return Embedded(call.response["vectors"])
    try:
        async with failures.within(role, QUESTION_S):
            found = await embed.embed_question(role, question.text, language=question.language)
    except DatabaseAway:
        raise
    except SourcebookError as error:
        _log.warning("question.not_embedded", code=error.code)
        await accounting.fail(run.deps.db, call, error.code)
        if must:
            raise
        return Embedded()
    bill = ledger.bill(call, run.deps.prices, role, found.tokens)
    return Embedded([vector.tolist() for vector in found.vectors], bill)


async def settle(conn: Conn, embedded: Embedded) -> None:
    """Write what the question's vectors cost, in the commit that uses them."""
    if embedded.bill is not None:
        await ledger.settle(conn, embedded.bill, stored(embedded))


def stored(embedded: Embedded) -> dict[str, Any]:
    """What the ledger keeps, so that a second run of the job does not pay again."""
    return {"vectors": [list(vector) for vector in embedded.vectors]}
