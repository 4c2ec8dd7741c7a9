"""A desk whose notebook answers by another profile, and sources with facts in their `meta`."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from sourcebook_core import profiles
from sourcebook_core import settings as core_settings
from tests import rows
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Request
from tests.rag_rig import Desk, chat_settings, desk, embedding_settings


async def use(office: Desk, profile: str, **overrides: Any) -> None:
    """Let the desk's notebook answer by this profile."""
    kept = profiles.merged({}, overrides)
    profiles.of(profile, kept)
    async with office.db.transaction() as conn:
        await conn.execute(
            "update notebooks set profile = $2, settings = $3 where id = $1", office.notebook.id, profile, {"profile": kept} if kept else {}
        )


async def add(office: Desk, text: str, *, meta: Mapping[str, Any] | None = None, heading: str | None = None, **more: Any) -> rows.Source:
    """A source of one passage with facts and a heading."""
    source = await office.add(text, **more)
    async with office.db.transaction() as conn:
        await conn.execute("update sources set meta = $2 where id = $1", source.id, dict(meta or {}))
        await conn.execute("update corpus.chunks set heading = $2 where source_id = $1", source.id, heading)
    return source


@asynccontextmanager
async def profile_desk(
    environment: Mapping[str, str],
    fake: FakeProvider,
    profile: str,
    *,
    chat: bool = True,
    vectors: bool = True,
    more: Mapping[str, str] = {},
    **overrides: Any,
) -> AsyncIterator[Desk]:
    """A desk of one profile; the fake writes, translates and embeds."""
    roles = {**(chat_settings(fake) if chat else {}), **(embedding_settings(fake) if vectors else {}), **more}
    async with desk(core_settings.load({**environment, **roles})) as made:
        if vectors:
            await made.use_vectors(fake)
        await use(made, profile, **overrides)
        yield made


def asked_of(fake: FakeProvider, place: int = -1) -> Request:
    """A request to the writing model."""
    return [one for one in fake.script.requests("chat") if one.model == "fake-chat"][place]
