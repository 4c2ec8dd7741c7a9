"""`sourcebook up`: the stack in the foreground, with the demo and one question when asked for."""

import contextlib
import importlib
import importlib.util
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from sourcebook import ask
from sourcebook.client import Client
from sourcebook.show import is_sound
from sourcebook.stack import ports, supervisor
from sourcebook.stack.errors import StackError
from sourcebook.stack.plan import Options
from sourcebook.stack.supervisor import Stack

SAMPLE = "sourcebook.sample"
SAMPLE_QUESTION = "How does Sourcebook check that a citation is right?"


def run(options: Options, say: Callable[[str], None], *, demo: bool, question: str | None, once: bool) -> int:
    """Start, load the demo, ask, and stay until Ctrl-C; `once` stops after the answer. The exit code.

    With `once` it is 0 only when the answer was cited and every check passed.
    """
    page_port = ports.any_free()
    if demo:
        options = replace(options, url_allow=(*options.url_allow, f"127.0.0.1:{page_port}"))
    with Stack(options, say).running() as stack:
        if stack.stopping:
            return 0
        with Client(stack.address, stack.folder.owner_token()) as client:
            notebook = load_sample(client, page_port) if demo else None
            code = 0
            if question is not None:
                code = _answer(client, question, notebook, say)
            if once:
                return code
            say("")
            say(f"Sourcebook is at {stack.address}")
            say(f"Sign in (this link works once): {client.post('/auth/links')['url']}")
            say("Ctrl-C stops it. Everything is kept in " + str(options.data))
        stack.wait()
    return 0


def load_sample(client: Client, page_port: int) -> dict[str, Any]:
    """Load the sample notebook when it is not there yet, and return it. Its web page is served at 127.0.0.1:`page_port` meanwhile."""
    if importlib.util.find_spec(SAMPLE) is None:
        raise StackError("no_sample", "The sample notebook is not part of this installation: leave --demo out.")
    notebook: dict[str, Any] = importlib.import_module(SAMPLE).load(client, page_port)
    return notebook


def _answer(client: Client, question: str, notebook: dict[str, Any] | None, say: Callable[[str], None]) -> int:
    chosen = notebook or ask.find_notebook(client, None)
    say("")
    say(f"Question: {question}")
    say("")
    answer = ask.print_answer(client, question, chosen["id"], say)
    sound = is_sound(answer)
    say("every check passed" if sound else "not every check passed")
    return 0 if sound else 1


@contextlib.contextmanager
def throw_away_folder() -> Iterator[Path]:
    """A data folder for one run, removed afterwards with everything the stack put elsewhere for it."""
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-once-"))
    try:
        yield folder
    finally:
        supervisor.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)
