"""The other side of `bench`: reads pieces of work from standard input, answers on standard output, dies with its parent."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import resource
import signal
import threading
from collections.abc import Callable
from typing import Any

from sourcebook_models.bench import HEAD

MEMORY_BYTES = 4_000_000_000  # address space: 0.5 to 0.9 GB of it are used; what runs away fails instead of filling the machine
Answer = Callable[[dict[str, Any], bytes], dict[str, Any]]


class Unreadable(Exception):
    """What was sent cannot be worked on; the sentence is for the caller."""


class Talk:
    """The two ends of the conversation with the parent."""

    def __init__(self) -> None:
        self._out = os.fdopen(os.dup(1), "wb")
        os.dup2(2, 1)  # what libraries print must not come between
        self._pieces: queue.Queue[tuple[dict[str, Any], bytes]] = queue.Queue()

    def serve(self, answer: Answer) -> None:
        """Answer piece after piece (head, bytes) until standard input ends; then this process and all it started are killed.

        An exception other than Unreadable ends the process: the parent starts another.
        """
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        threading.Thread(target=self._listen, daemon=True).start()
        while True:
            head, body = self._pieces.get()
            try:
                reply = answer(head, body)
            except Unreadable as error:
                reply = {"refused": str(error)}
            del body
            self._say(reply)

    def going_on(self) -> None:
        """Tell the parent that work goes on."""
        self._say({"going_on": True})

    def _listen(self) -> None:
        while len(sizes := _exactly(HEAD.size)) == HEAD.size:
            said, length = HEAD.unpack(sizes)
            self._pieces.put((json.loads(_exactly(said)), _exactly(length)))
        # The parent is gone, however it went; the group is this process's own when `bench` started it.
        os.killpg(0, signal.SIGKILL) if os.getpgrp() == os.getpid() else os._exit(0)

    def _say(self, reply: dict[str, Any]) -> None:
        said = json.dumps(reply).encode()
        self._out.write(HEAD.pack(len(said), 0) + said)
        self._out.flush()


def _exactly(length: int) -> bytes:
    """So many bytes of standard input, fewer at its end. Unbuffered: a buffer's lock would be held while the process ends."""
    read = bytearray()
    while len(read) < length and (part := os.read(0, min(length - len(read), 1 << 20))):
        read += part
    return bytes(read)
