"""An archive at the door: its files become items of their own, as if each had been uploaded by itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace

from sourcebook_core import kinds
from sourcebook_core.errors import PermanentError, RequestError
from sourcebook_core.sandbox import Crashed, Part
from sourcebook_gateway import filing
from sourcebook_gateway.adding import Kept, Refused
from sourcebook_gateway.deps import Caller, Shared

_CHILD = "sourcebook_core.archive_child"


async def unpack(shared: Shared, caller: Caller, name: str, key: str, items: list[Kept | Refused]) -> None:
    """Append one item per file of the archive stored under `key`, in its order; the archive itself is removed.

    The bytes are unpacked in the walled child and streamed on, so that memory stays flat. Each item stands in `items` as
    soon as it is stored: who sweeps them sweeps all. Raises TransientError when storage or the child is away.
    """
    before = len(items)
    try:
        await _unpack(shared, caller, name, key, items)
    except PermanentError as error:
        items.append(Refused(name, error))
    finally:
        await shared.blobs.delete(key)
    if len(items) == before:
        items.append(Refused(name, PermanentError("empty_file", f"{name} holds no files. Add an archive with files in it.")))


async def _unpack(shared: Shared, caller: Caller, name: str, key: str, items: list[Kept | Refused]) -> None:
    limits = shared.settings.limits
    bounds = [limits.archive_entries, limits.archive_bytes, limits.archive_ratio]
    async with (
        shared.blobs.opened(key) as opened,
        shared.child.open(_CHILD, opened, name) as child,
        aclosing(child.call("unpack", limits.page_seconds, bounds=bounds, files=limits.archive_files)) as parts,
    ):
        async for part in parts:
            if "more" in part.head:
                why = f"{name} holds {part.head['more']} files more than the limit of {limits.archive_files}. Split it and add the parts."
                items.append(Refused(name, RequestError(413, "too_large", why)))
            elif "member" in part.head:
                items.append(await _member(shared, caller, f"{name} › {kinds.clean_name(part.head['member'])}", parts))


async def _member(shared: Shared, caller: Caller, shown: str, parts: AsyncGenerator[Part, None]) -> Kept | Refused:
    name = shown.rpartition(" › ")[2]
    try:
        filed = await filing.keep(shared, caller, name, _bytes_of(name, parts), may_be_archive=False)
    except Crashed:
        raise  # the rest of the archive cannot be had
    except PermanentError as error:
        return Refused(shown, error)
    return Refused(shown, filed.item.error) if isinstance(filed.item, Refused) else replace(filed.item, shown=shown)


async def _bytes_of(name: str, parts: AsyncGenerator[Part, None]) -> AsyncIterator[bytes]:
    """The bytes of the file that began last. Raises PermanentError with what was wrong with it."""
    async for part in parts:
        if "end" in part.head:
            if part.head["end"] is not None:
                raise PermanentError(part.head["end"], name=name, why=part.head.get("why", ""))
            return
        yield part.body
