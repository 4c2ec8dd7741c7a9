"""Names of any script and length: found whatever their case, and always in the same order (bad-input row 73)."""

from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from sourcebook_core import settings as core_settings
from sourcebook_core.jobs import SearchNotebook
from sourcebook_core.store import conversations
from sourcebook_core.store.scopes import Holder
from tests.rag_rig import Desk, desk

NAMES = {
    "İSTANBUL": ("istanbul", "İstanbul", "ıstanbul"),
    "Diyarbakır": ("DIYARBAKIR", "diyarbakir"),
    "Straße": ("STRASSE", "strasse"),
    "ΣΊΣΥΦΟΣ": ("Σίσυφος", "σίσυφοσ"),
    "Ångström": ("A\u030angstro\u0308m",),
    "東京都": ("東京都",),
}


@pytest.fixture
async def office(environment: dict[str, str]) -> AsyncIterator[Desk]:
    async with desk(core_settings.load(environment)) as made:
        yield made


async def found(office: Desk, query: str) -> list[str]:
    work = SearchNotebook(notebook_id=office.notebook.id, person_id=office.notebook.owner_id, query=query, k=50)
    return [item["chunk_id"] for item in (await office.result(work)).result["items"]]


async def test_a_name_is_found_in_every_case_and_form_it_is_written_in(office: Desk) -> None:
    for name in NAMES:
        await office.add(f"{name} 1968", title=name * (300 // len(name)), language=None)
    for name, ways in NAMES.items():
        first = await found(office, name)
        assert len(first) == 1, name
        for way in ways:
            assert await found(office, way) == first, way


async def test_equal_passages_come_in_one_order_however_often_they_are_searched(office: Desk) -> None:
    for n in range(30):
        await office.add("The ferry leaves Lindow at nine.", title=f"{'é' * 290} {n}")
    first = await found(office, "When does the ferry leave Lindow?")
    assert len(first) >= 8
    for _ in range(3):
        assert await found(office, "When does the ferry leave Lindow?") == first


async def test_conversations_of_the_same_moment_are_listed_in_one_order_page_by_page(office: Desk) -> None:
    made: list[UUID] = []
    for title in [*NAMES, "x" * 300]:
        got = await office.answer(f"{title}?")
        made.append(got.turn.conversation_id)
    async with office.db.transaction() as conn:
        await conn.execute("update conversations set updated_at = now()")
        whole = await conversations.list_for_holder(conn, office.notebook.owner_id, Holder("notebook", office.notebook.id), 50)
        paged = []
        at, last = None, None
        while page := await conversations.list_for_holder(
            conn, office.notebook.owner_id, Holder("notebook", office.notebook.id), 2, at, last
        ):
            paged += page
            at, last = page[-1].updated_at, page[-1].id
    assert paged == whole and {one.id for one in whole} == set(made)
