"""The start of a turn: what is asked, by whom, over what, with which models, and what was said before."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sourcebook_core import roles
from sourcebook_core.db import Conn
from sourcebook_core.events import Route
from sourcebook_core.host_data import HostData
from sourcebook_core.profiles import Profile
from sourcebook_core.settings import RoleName, RoleSettings, Settings
from sourcebook_core.store import citations, scopes, spaces, turns
from sourcebook_core.store.citations import CitedChunk
from sourcebook_core.store.scopes import Holder, Scope
from sourcebook_core.store.turns import Turn
from sourcebook_core.text import language
from sourcebook_rag.answer import embedding, follow_up, route, sureness
from sourcebook_rag.answer.compose import Said
from sourcebook_rag.answer.embedding import Question
from sourcebook_rag.answer.instructions import Style
from sourcebook_rag.answer.route import Taken
from sourcebook_rag.answer.run import Run


@dataclass(frozen=True, slots=True)
class Asked:
    """Everything an answer needs to know before it searches. `turn` is the row as it was before this run; `cited_before` are the chunks
    of the last answer where the question is a follow-up, else none (C9)."""

    turn: Turn
    profile: Profile
    scope: Scope
    roles: dict[RoleName, RoleSettings]
    question_role: RoleSettings | None
    history: list[Said]
    cited_before: list[CitedChunk]
    language: str | None
    taken: Taken
    translation: str | None = None
    host: HostData | None = None

    @property
    def route(self) -> Route:
        """How the question is taken."""
        return self.taken.route

    @property
    def search_text(self) -> str:
        """What is searched: the translation where there is one, else the question."""
        return self.translation or self.question

    @property
    def search_language(self) -> str | None:
        """The language of what is searched, where it is sure."""
        return self.profile.answer.translate_to if self.translation else self.language

    @property
    def style(self) -> Style | None:
        """The length that the asker wishes."""
        wished = self.turn.request.get("style")
        return wished if wished in ("shorter", "longer") else None

    @property
    def question(self) -> str:
        """The question as it was asked."""
        return self.turn.question

    @property
    def context(self) -> dict[str, Any]:
        """Facts of the host application that came with the question."""
        return dict(self.turn.request.get("context") or {})

    @property
    def reply_language(self) -> str | None:
        """The language to answer in: the asker's wish, else the question's where it is sure."""
        wished = self.turn.request.get("answer_language")
        return str(wished) if wished else self.language


async def read(conn: Conn, settings: Settings, turn: Turn) -> Asked | None:
    """What this turn asks; None when what it asks is no longer there for the asker."""
    scope = await scopes.of(conn, turn.holder, turn.person_id, chosen(turn))
    if scope is None:
        return None
    profile = sureness.profile_of(scope)
    in_force = await roles.effective_roles(conn, settings)
    space = await spaces.find_in_use(conn)
    earlier = await turns.history(conn, turn, profile.conversation.max_messages) if profile.conversation.store == "db" else []
    spoken = language.identify(turn.question)
    goes_on = bool(earlier) and follow_up.is_follow_up(turn.question, spoken)
    taken = route.of(turn.question, dict(turn.request.get("context") or {}), profile, scope, spoken)
    return Asked(
        turn=turn,
        profile=profile,
        scope=scope,
        roles={name: allowed(role, scope) for name, role in in_force.items()},
        question_role=embedding.role_of_space(space, in_force["embedding"], scope),
        history=said(turn, earlier),
        cited_before=await citations.chunks_of(conn, earlier[-1].id) if goes_on else [],
        language=spoken,
        taken=taken,
        host=HostData.of(turn.request.get("host")),
    )


async def question(conn: Conn, run: Run, asked: Asked) -> Question:
    """The question as it will be searched, with the call that embeds it written down; a profile that searches by words makes none."""
    role = asked.question_role if asked.profile.retrieval.mode != "lexical" else None
    return await embedding.begin(conn, run, asked.scope, asked.search_text, asked.search_language, role, asked.turn.id)


def unkept(turn_id: UUID, holder: Holder, person_id: UUID, question: str, request: dict[str, Any]) -> Turn:
    """The question as a turn that is nowhere kept, in a conversation in which nothing was said."""
    return Turn(
        id=turn_id, conversation_id=uuid4(), notebook_id=holder.notebook_id, assistant_id=holder.assistant_id, person_id=person_id,
        question=question, request=request, status="queued", finish=None, answer="", outcome=None, error=None, in_history=False,
        replaces=None, fence=None, opened_at=None, stop_requested=False, feedback=None, feedback_note=None,
        created_at=datetime.now(UTC), finished_at=None,
    )  # fmt: skip


def chosen(turn: Turn) -> list[UUID] | None:
    """The sources the asker chose, or None for all of them."""
    given = turn.request.get("source_ids")
    return None if given is None else [UUID(str(one)) for one in given]


def allowed(role: RoleSettings, scope: Scope) -> RoleSettings:
    """The role as this notebook may use it: one that is kept on this machine has no hosted model."""
    if scope.settings.get("local_only") and role.provider == "api":
        return RoleSettings(name=role.name)
    return role


def situation(asked: Asked) -> dict[str, str]:
    """The facts of the host application that the model is told: those that the profile names, as plain words."""
    told = {name: asked.context.get(name) for name in asked.profile.prompt.situation}
    plain = {
        name: ", ".join(map(str, value)) if isinstance(value, list) else str(value) for name, value in told.items() if value is not None
    }
    return {name: value for name, value in plain.items() if value.strip()}


def said(turn: Turn, earlier: Sequence[Turn]) -> list[Said]:
    """The earlier messages, oldest first: those the request brought, else the complete turns of the conversation."""
    given = turn.request.get("history")
    if given:
        return [Said(str(one["role"]), str(one["content"])) for one in given if one.get("role") in ("user", "assistant")]
    return [message for one in earlier for message in (Said("user", one.question), Said("assistant", one.answer))]
