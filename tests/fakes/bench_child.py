"""`python -m tests.fakes.bench_child`: work of a length that the test says, for the protocol of `sourcebook_models.bench`."""

import os
import signal
import time
from typing import Any

from sourcebook_models.bench_child import Talk, Unreadable


def answer(head: dict[str, Any], body: bytes) -> dict[str, Any]:
    """Says its process and how many bytes it got; hangs, ends or refuses when told."""
    if head.get("refuse"):
        raise Unreadable("It is blank.")
    if head.get("end"):
        os.kill(os.getpid(), signal.SIGKILL)
    while head.get("hang"):
        time.sleep(0.05)
        if head["hang"] == "going on":
            talk.going_on()
    return {"pid": os.getpid(), "bytes": len(body)}


if __name__ == "__main__":
    talk = Talk()
    talk.serve(answer)
