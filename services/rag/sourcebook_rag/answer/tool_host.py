"""The host application's declared reads as tools: typed parameters, ids that the question fixed stay fixed. Read only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sourcebook_core import host_calls, host_data
from sourcebook_core.errors import RequestError
from sourcebook_core.host_data import HostData
from sourcebook_core.host_declared import Host, NotOfType, Read
from sourcebook_core.providers.tool_calls import Tool
from sourcebook_core.settings import Settings
from sourcebook_rag.answer import tool_words
from sourcebook_rag.answer.gathered import Gathered


class _Refused(Exception):
    """The arguments of a use are not right; `line` is what the model is told."""

    def __init__(self, line: str) -> None:
        self.line = line
        super().__init__(line)


@dataclass(frozen=True, slots=True)
class HostTool:
    """One declared read of one host. `before` is what the gateway read: the same read with the same values is not made again."""

    host: Host
    read: Read
    before: HostData

    @property
    def pinned(self) -> dict[str, str]:
        """Its parameters that the question's context fixed."""
        names = {name: self.read.context_of(name) for name in self.read.params}
        return {name: self.before.pinned[field] for name, field in names.items() if field in self.before.pinned}

    @property
    def told(self) -> Tool:
        """What the model is told of it: only the parameters that are its to choose."""
        pinned = self.pinned
        free = {name: one for name, one in self.read.params.items() if name not in pinned}
        schema = {
            "type": "object",
            "properties": {name: one.schema_of() for name, one in free.items()},
            "required": [name for name, one in free.items() if one.required],
            "additionalProperties": False,
        }
        about = self.read.description or f"Gives: {self.read.heading}."
        return Tool(self.read.name, " ".join([about, *self.read.notes]), schema)

    async def use(self, settings: Settings, token: str | None, gathered: Gathered, given: Mapping[str, Any], fence: str, most: int) -> str:
        """What the read gives, or one line; `token` is the asker's own for the host."""
        try:
            values = self._values(given)
        except _Refused as refused:
            return refused.line
        known = next((one for one in self.before.reads if (one.name, one.values) == (self.read.name, values)), None)
        try:
            taken = known or await host_calls.read(settings, self.host, self.read, values, token)
        except RequestError as error:
            if error.code == "host_refused":
                return tool_words.not_found()
            return tool_words.unavailable("the application does not answer as it should just now")
        gathered.keep(taken)
        if taken.is_list and not taken.count:
            return tool_words.no_result("the list is empty")
        return tool_words.block(host_data.as_block(taken), fence, most)

    def _values(self, given: Mapping[str, Any]) -> dict[str, str]:
        """The parameters, each of its type before it becomes part of an address (N-11); another id than the fixed one is not there."""
        if unknown := set(given) - set(self.read.params):
            raise _Refused(tool_words.unavailable(f"this tool takes no {min(unknown)[:40]!r}"))
        values = self.pinned
        for name, param in self.read.params.items():
            if given.get(name) in (None, ""):
                continue
            try:
                parsed = param.parse(given[name])
            except NotOfType as error:
                line = tool_words.not_found() if param.type == "uuid" else tool_words.unavailable(f"{name} must be {error.says}")
                raise _Refused(line) from None
            if values.setdefault(name, parsed) != parsed:
                raise _Refused(tool_words.not_found())
        missing = [name for name, param in self.read.params.items() if param.required and name not in values]
        if missing:
            raise _Refused(tool_words.unavailable(f"{missing[0]} is needed"))
        return values


def tools_of(hosts: Sequence[Host], before: HostData | None) -> list[HostTool]:
    """Everything that these hosts declare, as tools."""
    return [HostTool(host, read, before or HostData()) for host in hosts for read in host.all_reads]
