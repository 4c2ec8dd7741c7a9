"""The tools of one answer: which there are, how far they go, and what each use replies. A use never throws what a model or host did."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from sourcebook_core import log, seal
from sourcebook_core.errors import DatabaseAway, RequestError, SourcebookError
from sourcebook_core.host_declared import OWN_TOOLS, hosts_of
from sourcebook_core.providers.tool_calls import Tool, ToolCall, object_of
from sourcebook_rag.answer import tool_documents, tool_host, tool_words
from sourcebook_rag.answer.begin import Asked
from sourcebook_rag.answer.gathered import Gathered
from sourcebook_rag.answer.run import Run
from sourcebook_rag.answer.tool_host import HostTool

_log = log.get(__name__)


@dataclass(slots=True)
class Toolbox:
    """`left` uses of this answer. `token` is the asker's own for the host, which leaves this process only towards it."""

    run: Run
    asked: Asked
    gathered: Gathered
    fence: str
    own: list[Tool]
    host: dict[str, HostTool]
    token: str | None = field(repr=False)
    left: int

    @property
    def told(self) -> list[Tool]:
        """Every tool, for the request."""
        return [*self.own, *(one.told for one in self.host.values())]

    async def use(self, call: ToolCall, seconds: float) -> str:
        """What one use replies, within `seconds`: a block or one line. Raises DatabaseAway and Overtaken, which end the run."""
        if self.left <= 0:
            return tool_words.unavailable("no use of a tool is left")
        self.left -= 1
        knobs = self.asked.profile.tools
        if len(call.arguments.encode()) > knobs.argument_bytes:
            return tool_words.unavailable("the arguments are too long")
        given = object_of(call.arguments)
        if given is None:
            return tool_words.unavailable("the arguments are no JSON object")
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                said = await self._said(call.name, given, knobs.result_bytes)
        except TimeoutError:
            said = tool_words.unavailable("it took too long")
        except DatabaseAway:
            raise
        except SourcebookError as error:
            gone = error.code == "not_found"
            said = tool_words.not_found("the documents are no longer there") if gone else tool_words.unavailable("it failed")
            _log.warning("tool.failed", code=error.code)
        known = call.name if call.name in self.host or call.name in OWN_TOOLS else "unknown"
        _log.info("tool.used", tool=known, bytes=len(said.encode()), left=self.left)
        return said

    async def _said(self, name: str, given: Mapping[str, Any], most: int) -> str:
        run, asked, gathered, fence = self.run, self.asked, self.gathered, self.fence
        if name not in {tool.name for tool in self.told}:
            return tool_words.unavailable("there is no tool of this name")
        if name == tool_documents.SEARCH.name:
            return await tool_documents.search(run, asked, gathered, given, fence, most)
        if name == tool_documents.LIST.name:
            return await tool_documents.list_sources(run, asked, fence, most)
        if name == tool_documents.READ.name:
            return await tool_documents.read_passage(run, asked, gathered, given, fence, most)
        return await self.host[name].use(run.deps.settings, self.token, gathered, given, fence, most)


def toolbox(run: Run, asked: Asked, gathered: Gathered, fence: str) -> Toolbox:
    """The tools of this answer. The asker's token is opened from the job's sealed part. Raises PermanentError `bad_setting`."""
    try:
        hosts = hosts_of(asked.scope.settings)
    except RequestError:  # saved under rules of another version
        _log.error("tools.without_host", holder=str(asked.scope.holder.id))
        hosts = ()
    sealed = run.work.claim.sealed
    return Toolbox(
        run, asked, gathered, fence,
        own=tool_documents.offered(asked),
        host={one.read.name: one for one in tool_host.tools_of(hosts, asked.host)},
        token=seal.open_text(run.deps.settings, sealed) if sealed is not None else None,
        left=asked.profile.tools.calls,
    )  # fmt: skip
