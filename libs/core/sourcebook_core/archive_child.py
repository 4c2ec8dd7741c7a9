"""Runs in the walled child: unpacks an archive file by file, bounded; nothing is ever written, a name is only told."""

from __future__ import annotations

import os
import stat
import zipfile
from typing import Any

from sourcebook_core.packed import Bounds, Package
from sourcebook_core.sandbox_talk import FILE_FD, Answer, Refused

NAME_CHARS = 1000


def _unpack(args: dict[str, Any]) -> Answer:
    """Each file as a part `{"member": name}`, parts with its bytes, and `{"end": code or None}` with what was wrong with it.

    Folders, hidden files and what macOS adds are passed over; `{"more": n}` ends an archive with more files than `files`.
    Raises Refused as `Package` does for the whole.
    """
    package = Package(os.fdopen(FILE_FD, "rb", closefd=False), Bounds(*args["bounds"]))
    wanted = [entry for entry in package.entries if not _is_passed_over(entry)]
    for entry in wanted[: args["files"]]:
        yield {"member": entry.filename[:NAME_CHARS]}, b""
        if stat.S_ISLNK(entry.external_attr >> 16):
            yield {"end": "unsupported_kind", "why": "it is a link to another file."}, b""
            continue
        try:
            for piece in package.stream(entry):
                yield {}, piece
        except Refused as refused:
            yield {"end": refused.code}, b""
            if package.is_spent:
                raise
            continue
        yield {"end": None}, b""
    if len(wanted) > args["files"]:
        yield {"more": len(wanted) - args["files"]}, b""


def _is_passed_over(entry: zipfile.ZipInfo) -> bool:
    parts = entry.filename.replace("\\", "/").split("/")
    return entry.is_dir() or parts[0] == "__MACOSX" or parts[-1].startswith(".") or parts[-1] in ("", "Thumbs.db", "desktop.ini")


CALLS = {"unpack": _unpack}
