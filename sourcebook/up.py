"""`sourcebook up`: the stack in the foreground, with the sample notebook and one question when asked for."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from sourcebook import ask, sample
from sourcebook.client import Client
from sourcebook.show import is_sound
from sourcebook.stack import plan, ports, supervisor
from sourcebook.stack.errors import StackError
from sourcebook.stack.plan import Options
from sourcebook.stack.supervisor import Stack

EVERYWHERE = {"0.0.0.0", "::"}  # noqa: S104 - compared, not bound


def run(options: Options, say: Callable[[str], None], *, demo: bool, question: bool, once: bool) -> int:
    """Start, load the sample, ask it, and stay until Ctrl-C; `once` stops after the answer. The exit code.

    With `once` it is 0 only when the answer was cited and every check passed.
    """
    if demo:  # one of the sample's sources is a page that the gateway itself serves
        options = replace(options, url_allow=(*options.url_allow, urlsplit(plan.gateway_url(options)).netloc))
    with Stack(options, say).running() as stack:
        if stack.stopping:
            return 1
        with Client(stack.address, stack.folder.owner_token()) as client:
            code = 0
            if demo:
                notebook = sample.load(client)
                # The page opens on an answer: a sample that was never asked is asked without being told to.
                asked = client.get(f"/notebooks/{notebook['id']}/conversations")["items"]
                code = _first_answer(client, notebook["id"], say) if question or not asked else 0
            if once:
                return code
            say("")
            say(f"Sourcebook is at {stack.address}")
            say(f"Sign in (this link works once): {client.post('/auth/links')['url']}")
            if options.host in EVERYWHERE and (lan := ports.lan_address()):
                say(f"On your network: http://{lan}:{options.port} (`sourcebook open` gives links; put {lan} in for 127.0.0.1)")
            say(f"Ctrl-C stops it. Everything is kept in {options.data}")
        stack.wait()
    return 0


def _first_answer(client: Client, notebook_id: str, say: Callable[[str], None]) -> int:
    """Wait until the sample is read, ask its question, print the answer; 0 when it is cited and every check passed."""
    failed = [source for source in sample.wait_until_read(client, notebook_id) if source["status"] != "ready"]
    if failed:
        worst = failed[0]
        why = worst["error"]["message"] if worst.get("error") else "it takes too long"
        raise StackError("sample_failed", f"The sample source {worst['title']} is {worst['status']}: {why}")
    say("")
    say(f"Question: {sample.QUESTION}")
    say("")
    sound = is_sound(ask.print_answer(client, sample.QUESTION, notebook_id, say))
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
