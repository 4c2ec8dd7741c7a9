"""Where noise ends in a space whose model nobody measured: questions that nothing answers, over passages of other matters."""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

import numpy as np

from sourcebook_core import accounting, jobs, log, noise, profiles, roles
from sourcebook_core.db import Conn
from sourcebook_core.errors import PermanentError, TransientError
from sourcebook_core.jobs import MeasureFloor, task
from sourcebook_core.providers import embed
from sourcebook_core.providers.embed import Embedded, Mode
from sourcebook_core.settings import RoleSettings, Settings
from sourcebook_core.store import floors, spaces
from sourcebook_core.text import language
from sourcebook_ingest.deps import Deps

_log = log.get(__name__)
# Above the highest noise, for there are fifteen passages here and thousands in a notebook. Like `noise.WEAK` a part of the way to 1,
# so that it fits models whose cosines lie high and low. For the local model they give the numbers that were tuned for it
# (docs/evaluation.md): its highest noise is 0.254, its floor 0.31, and under 0.36 a quote is called weak.
MARGIN = 0.075
# A model that is away is asked again for hours, as for a source; the next look of care begins anew.
ATTEMPTS = 40


async def want(conn: Conn, settings: Settings) -> None:
    """Queue the measurement of every space that has no number yet, unless the environment sets one; ring `care` after the commit."""
    if settings.floor is not None:
        return
    for space_id in await floors.unmeasured(conn, profiles.NOTEBOOK.name):
        await jobs.insert(conn, MeasureFloor(space_id=space_id), once=space_id)


@task(MeasureFloor, attempts=ATTEMPTS)
async def measure_floor(work: MeasureFloor, deps: Deps) -> None:
    """Embed the shipped noise and keep its highest cosine plus a margin as the floor of the space, for every profile.

    Safe to run twice: the calls are in the ledger, and one row for each profile is written. Ends without a row when the space is
    no longer that of the embedding role: what asks it may not be asked any more. Raises the embedding role's errors.
    """
    async with deps.db.transaction() as conn:
        target = await spaces.find(conn, work.space_id)
        role = (await roles.effective_roles(conn, deps.settings))["embedding"]
    if target is None or not role.is_on or not roles.is_of_space(role, target):
        return
    inputs = accounting.fingerprint([noise.QUESTIONS, noise.PASSAGES])
    call = await accounting.begin(deps.db, work, "floor", role, inputs, prices=deps.prices)
    try:
        asked = await _embedded(role, _questions(role), "query")
        held = await _embedded(role, [(text, language.identify(text)) for text in noise.PASSAGES], "passage")
    except (TransientError, PermanentError) as error:
        await accounting.fail(deps.db, call, error.code)
        raise
    highest = float((np.stack(asked.vectors) @ np.stack(held.vectors).T).max())
    floor = round(highest + MARGIN * (1 - highest), 3)
    weak = floor + noise.WEAK * (1 - floor)
    tokens = asked.tokens + held.tokens if asked.tokens is not None and held.tokens is not None else None
    units = {"texts": len(asked.vectors) + len(held.vectors), "tokens_in": tokens, "calls": asked.calls + held.calls}
    async with jobs.finishing(deps.db, work) as conn:
        await floors.put_noise(conn, get_args(profiles.ProfileName), target.id, floor=floor, weak_similarity=weak)
        await accounting.finish(conn, call, response={}, units=units, cost=deps.prices.cost_of(role, units))
    _log.info("floor.measured", space_id=str(target.id), model=target.model, floor=floor)


async def _embedded(role: RoleSettings, texts: Sequence[tuple[str, str | None]], mode: Mode) -> Embedded:
    return await embed.embed_counted(role, [text for text, _ in texts], mode=mode, languages=[spoken for _, spoken in texts])


def _questions(role: RoleSettings) -> list[tuple[str, str | None]]:
    """The noise with its languages, as questions are embedded: a short one also as English where the model tells languages apart."""
    told = [(text, language.identify(text)) for text in noise.QUESTIONS]
    is_local = role.provider == "local"
    return told + [(text, "en") for text, spoken in told if is_local and spoken != "en" and embed.word_count(text) < embed.SHORT_WORDS]
