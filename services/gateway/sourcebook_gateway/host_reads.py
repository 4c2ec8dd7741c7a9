"""What is read of a host application before an answer begins, as the asker and with their own token; its refusal is ours."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fastapi import Request

from sourcebook_core import host_calls, seal
from sourcebook_core.db import Conn
from sourcebook_core.errors import RequestError
from sourcebook_core.host_data import HostData, Taken
from sourcebook_core.host_declared import Host, NotOfType, Read, hosts_of
from sourcebook_core.store import asks
from sourcebook_core.store.scopes import Holder
from sourcebook_gateway.deps import Caller, Shared
from sourcebook_gateway.refusals import not_found
from sourcebook_gateway.shapes.turns import Question

TOKEN_HEADER = "X-Host-Authorization"
TOKEN_CHARS = 8000  # RFC 9110 names no bound; servers take about so much of one header
AT_ONCE = 4  # reads of one question at the host


@dataclass(frozen=True, slots=True)
class Gate:
    """What was read, as it is kept with the turn's request (None: nothing), and the asker's token, sealed for the job where its tools
    need it."""

    told: dict[str, Any] | None = None
    sealed: bytes | None = None


async def at_gate(
    request: Request, holder: Holder, asked: Question, caller: Caller, shared: Shared, admit: Callable[[Conn], Awaitable[object]]
) -> Gate:
    """Do every declared read whose parameters the question's context has; nothing where no host is declared.

    `admit` raises what refuses the question by itself, also for somebody who may not ask: then nothing is read. No database
    connection is held while the host is asked. Raises 404 for an assistant that is not there, the host's own 401, 403 or 404 as
    `host_refused`, 422 for a parameter that is not of its type, 502, 503. Source: S0-03, S0-33 to S0-36, S0-66.
    """
    if holder.kind != "assistant":
        return Gate()
    async with shared.db.transaction() as conn:
        how = await asks.find(conn, holder, caller.person_id)
        if how is None:
            raise not_found()
        hosts = hosts_of(how.settings)
        if not hosts:
            return Gate()
        await admit(conn)
    mode = how.profile.answer.mode
    token = _token(request)
    pinned = _pinned(hosts, asked.context or {})
    taken = await _read_all(shared, hosts, mode, pinned, token)
    needs_token = mode != "workflow" and token is not None
    return Gate(
        HostData(reads=tuple(taken), pinned=pinned).kept(), seal.close_text(shared.settings, token) if needs_token and token else None
    )


def _token(request: Request) -> str | None:
    given = request.headers.get(TOKEN_HEADER)
    if given is None:
        return None
    if not given.strip() or len(given) > TOKEN_CHARS or not (given.isascii() and given.isprintable()):
        raise RequestError(422, "invalid_field", why=f"{TOKEN_HEADER}: 1 to {TOKEN_CHARS} plain characters.")
    return given.strip()


def _pinned(hosts: Sequence[Host], context: Mapping[str, Any]) -> dict[str, str]:
    """The parameters that the question's context has, by the field of the context, each of its type: no other may be asked for later."""
    pinned: dict[str, str] = {}
    for read in (read for host in hosts for read in host.all_reads):
        for name, param in read.params.items():
            given = context.get(read.context_of(name))
            if given is None or given == "":
                continue
            try:
                pinned[read.context_of(name)] = param.parse(given)
            except NotOfType as error:
                why = f"context.{read.context_of(name)}: it must be {error.says}."
                raise RequestError(422, "invalid_field", why=why) from None
    return pinned


def values_of(read: Read, pinned: Mapping[str, str]) -> dict[str, str] | None:
    """The parameters of a read from what the context has; None when one that it needs is missing."""
    values = {name: pinned[read.context_of(name)] for name in read.params if read.context_of(name) in pinned}
    return values if all(name in values for name, param in read.params.items() if param.required) else None


async def _read_all(shared: Shared, hosts: Sequence[Host], mode: str, pinned: Mapping[str, str], token: str | None) -> list[Taken]:
    """What the reads gave, in the order of their declaration. The first refusal is raised, and nothing more is asked."""
    room = asyncio.Semaphore(AT_ONCE)

    async def one(host: Host, read: Read, values: Mapping[str, str]) -> Taken:
        async with room:
            return await host_calls.read(shared.settings, host, read, values, token)

    wanted = [
        (host, read, values)
        for host in hosts
        for read in host.reads
        if read.at_gate and (mode != "hybrid" or read.in_hybrid) and (values := values_of(read, pinned)) is not None
    ]
    reading = [asyncio.create_task(one(*each)) for each in wanted]
    try:
        async with asyncio.timeout(shared.settings.first_event_s):
            return list(await asyncio.gather(*reading))
    except TimeoutError:
        raise RequestError(503, "host_unavailable", host=hosts[0].name, retry_after_s=5) from None
    finally:
        for task in reading:
            task.cancel()
        await asyncio.gather(*reading, return_exceptions=True)
