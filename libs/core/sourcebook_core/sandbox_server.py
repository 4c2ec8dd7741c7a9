"""The fork server: forks one walled child per file, so that each starts with its reader loaded. Never reads a file itself."""

from __future__ import annotations

import codecs
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

from sourcebook_core import sandbox_walls
from sourcebook_core.sandbox_talk import FILE_FD, HEADER, TALK_FD, Answer, Refused

# A child may not be able to read these any more when a file asks for them (a Python under a folder of root's own).
_CODECS = ("utf-8", "utf-16", "utf-16-le", "utf-16-be", "latin-1", "cp1252", "ascii", "mac-roman", "raw-unicode-escape", "idna")


def main() -> None:
    """Serve orders from the socket whose descriptor is the first argument until it closes; news go to standard output."""
    sandbox_walls.die_with_parent()
    orders = socket.socket(fileno=int(sys.argv[1]))
    for name in sys.argv[2:]:
        importlib.import_module(name)
    for codec in _CODECS:
        codecs.lookup(codec)
    alarm, ring = os.pipe()
    os.set_blocking(ring, False)
    os.set_blocking(alarm, False)
    signal.set_wakeup_fd(ring)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.collect()
    gc.freeze()
    children: dict[int, int] = {}
    while True:
        ready, _, _ = select.select([orders.fileno(), alarm], [], [])
        if alarm in ready:
            with suppress(BlockingIOError):
                os.read(alarm, 4096)
            _bury(children)
        if orders.fileno() in ready and not _obey(orders, children):
            for pid in children:
                _kill(pid)
            return


def _tell(**news: Any) -> None:
    os.write(1, json.dumps(news).encode() + b"\n")


def _bury(children: dict[int, int]) -> None:
    while children:
        pid, status, usage = os.wait4(-1, os.WNOHANG)
        if not pid:
            return
        order = children.pop(pid, None)
        if order is not None:
            _tell(op="ended", id=order, status=status, peak_bytes=usage.ru_maxrss * 1024)


def _kill(pid: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _obey(orders: socket.socket, children: dict[int, int]) -> bool:
    """Carry out one order; False when the other side is gone."""
    message, descriptors, _, _ = socket.recv_fds(orders, 65536, 2)
    if not message:
        return False
    order = json.loads(message)
    if order["op"] == "kill":
        for pid, known in children.items():
            if known == order["id"]:
                _kill(pid)
        return True
    importlib.import_module(order["module"])
    pid = os.fork()
    if pid == 0:
        _become_child(order, descriptors)
    for descriptor in descriptors:
        os.close(descriptor)
    children[pid] = order["id"]
    return True


def _become_child(order: Mapping[str, Any], descriptors: list[int]) -> None:
    """Never returns."""
    code = 1
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        null = os.open(os.devnull, os.O_RDWR)
        # Well above the targets first, for one may stand where another is to go.
        high = [os.dup(descriptor) for descriptor in (*descriptors, null, null, null, null, null)][:2]
        for target in (0, 1, 2):
            os.dup2(null, target)
        for target, source in zip((FILE_FD, TALK_FD), high, strict=True):
            os.dup2(source, target)
        os.closerange(TALK_FD + 1, 4096)
        walls = sandbox_walls.build(order["memory_bytes"])
        serve(importlib.import_module(order["module"]).CALLS, walls)
        code = 0
    finally:
        os._exit(code)


def serve(calls: Mapping[str, Callable[[dict[str, Any]], Answer]], walls: list[str]) -> None:
    """Answer calls until the other side closes: frames of the answer, then one with `end` or `error`."""
    send({"walls": walls})
    while (call := receive()) is not None:
        sandbox_walls.allow_cpu(call["seconds"])
        try:
            for head, body in calls[call["name"]](call["args"]):
                send({"part": head}, body)
                sandbox_walls.allow_cpu(call["seconds"])
            send({"end": True})
        except Refused as refusal:
            send({"error": refusal.code, "facts": refusal.facts})
        except MemoryError:
            send({"error": "resource_limit", "facts": {}, "broke": True})
        except BrokenPipeError:
            return
        except Exception as error:  # noqa: BLE001 - whatever a parser raises on hostile bytes (B12) is one verdict
            send({"error": "damaged_file", "facts": {"why": type(error).__name__}, "broke": True})


def send(head: Mapping[str, Any], body: bytes = b"") -> None:
    """One frame to the other side; plain writes, for the socket calls are walled off."""
    text = json.dumps(head).encode()
    data = memoryview(HEADER.pack(len(text), len(body)) + text + body)
    while data:
        data = data[os.write(TALK_FD, data) :]


def receive() -> dict[str, Any] | None:
    """The next frame from the other side; None when it has closed."""
    head = _exactly(HEADER.size)
    if head is None:
        return None
    text = _exactly(HEADER.unpack(head)[0])
    found: dict[str, Any] | None = json.loads(text) if text is not None else None
    return found


def _exactly(count: int) -> bytes | None:
    parts = []
    while count:
        part = os.read(TALK_FD, count)
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main()
