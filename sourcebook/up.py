"""`sourcebook up`: the stack in the foreground, with the demo and one question when asked for."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from sourcebook import ask, sample
from sourcebook.client import Client
from sourcebook.show import is_sound
from sourcebook.stack import supervisor
from sourcebook.stack.plan import Options
from sourcebook.stack.supervisor import Stack

SAMPLE_QUESTION = sample.QUESTION


def run(options: Options, say: Callable[[str], None], *, demo: bool, question: str | None, once: bool) -> int:
    """Start, load the demo, ask, and stay until Ctrl-C; `once` stops after the answer. The exit code.

    With `once` it is 0 only when the answer was cited and every check passed.
    """
    if demo:  # the sample's web page is served by the gateway itself
        options = replace(options, url_allow=(*options.url_allow, f"127.0.0.1:{options.port}"))
    with Stack(options, say).running() as stack:
        if stack.stopping:
            return 0
        with Client(stack.address, stack.folder.owner_token()) as client:
            code = _show_sample(client, say, question) if demo else 0
            if once:
                return code
            say("")
            say(f"Sourcebook is at {stack.address}")
            say(f"Sign in (this link works once): {client.post('/auth/links')['url']}")
            say("Ctrl-C stops it. Everything is kept in " + str(options.data))
        stack.wait()
    return 0


def _show_sample(client: Client, say: Callable[[str], None], question: str | None) -> int:
    """Load the sample notebook and ask it `question`; without one, only a sample that was never asked is asked its own."""
    notebook = sample.load(client)
    unread = [source for source in sample.wait_until_read(client, notebook["id"]) if source["status"] != "ready"]
    for source in unread:
        say(f"sample: {source['title']} is {source['status']}" + (f": {source['error']['message']}" if source["error"] else ""))
    if question is None and not client.get(f"/notebooks/{notebook['id']}/conversations")["items"]:
        question = SAMPLE_QUESTION
    if question is None:
        return 0
    say("")
    say(f"Question: {question}")
    say("")
    sound = is_sound(ask.print_answer(client, question, notebook["id"], say))
    say("every check passed" if sound else "not every check passed")
    return 0 if sound and not unread else 1


@contextlib.contextmanager
def throw_away_folder() -> Iterator[Path]:
    """A data folder for one run, removed afterwards with everything the stack put elsewhere for it."""
    folder = Path(tempfile.mkdtemp(prefix="sourcebook-once-"))
    try:
        yield folder
    finally:
        supervisor.forget(folder)
        shutil.rmtree(folder, ignore_errors=True)
