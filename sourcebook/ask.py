"""Asks a notebook and adds sources to it over the API, for the command line."""

import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from uuid import UUID

from sourcebook import show
from sourcebook.client import Client, Refused

_POLL_S = 1.0
_DONE = {"ready", "failed", "stopped", "paused", "needs_approval"}


def find_notebook(client: Client, wanted: str | None) -> dict[str, Any]:
    """The notebook of this id or title (any case), or the one used last. Raises Refused `not_found`."""
    notebooks = list(client.everything("/notebooks"))
    if wanted is None:
        if not notebooks:
            raise Refused(404, "not_found", "There is no notebook yet: `sourcebook add FILE` makes one.")
        return max(notebooks, key=lambda one: str(one.get("last_asked_at") or one["updated_at"]))
    named = [one for one in notebooks if one["id"] == wanted or one["title"].casefold() == wanted.casefold()]
    if len(named) == 1:
        return named[0]
    if named:
        raise Refused(409, "conflict", f'{len(named)} notebooks are called "{wanted}": name one by its id (`sourcebook list notebooks`).')
    raise Refused(404, "not_found", f'There is no notebook "{wanted}": `sourcebook list notebooks` shows yours.')


def notebook_for_adding(client: Client, wanted: str | None, say: Callable[[str], None]) -> dict[str, Any]:
    """`find_notebook`, but a title that is not there yet becomes a new notebook (an id does not)."""
    try:
        return find_notebook(client, wanted)
    except Refused as refused:
        if refused.code != "not_found" or (wanted and _is_id(wanted)):
            raise
    made: dict[str, Any] = client.post("/notebooks", {"title": wanted or "My notebook"})
    say(f'made the notebook "{made["title"]}"')
    return made


def ask(
    client: Client,
    question: str,
    notebook_id: str,
    *,
    source_ids: Iterable[str] = (),
    on_text: Callable[[str], None] | None = None,
) -> dict[str, Any]:
    """Ask and return the `done` event; `on_text` gets the answer piece by piece. Raises Refused when it ends in an error."""
    body: dict[str, Any] = {"question": question}
    if sources := list(source_ids):
        body["source_ids"] = sources
    for event in client.events(f"/notebooks/{notebook_id}/ask", body):
        if event.name == "token" and on_text:
            on_text(event.data["text"])
        elif event.name == "error":
            raise Refused(503, event.data["code"], event.data["message"])
        elif event.name == "done":
            return event.data
    raise Refused(503, "interrupted", "The answer broke off before its end: ask again.")


def print_answer(
    client: Client, question: str, notebook_id: str, say: Callable[[str], None], source_ids: Iterable[str] = ()
) -> dict[str, Any]:
    """Ask, stream the answer to standard output, and print its citations and checks below."""

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    answer = ask(client, question, notebook_id, source_ids=source_ids, on_text=write)
    say("")
    print_below(answer, say)
    return answer


def print_below(answer: dict[str, Any], say: Callable[[str], None]) -> None:
    """What stands under an answer: its citations and the sum of its checks; where it found nothing, what came closest."""
    say("")
    show.citations(answer, say)
    show.closest(answer, say)
    say("")
    show.checks(answer, say)


def add(client: Client, notebook_id: str, what: str, capture: str | None) -> list[dict[str, Any]]:
    """Add a file, an address or standard input (`-`) to a notebook; the items of the reply, each `source` or `error`."""
    path = f"/notebooks/{notebook_id}/sources"
    fields = {"capture": capture} if capture else {}
    if what == "-":
        reply = client.post(path, {"title": "Standard input", "text": sys.stdin.read(), "format": "plain"})
    elif what.startswith(("http://", "https://")):
        reply = client.post(path, {"url": what})
    else:
        file = Path(what).expanduser()
        if not file.is_file():
            raise Refused(404, "not_found", f"{what} is not a file here, and not an address that starts with http.")
        reply = client.upload(path, file, fields)
    items: list[dict[str, Any]] = reply["items"]
    return items


def wait_until_read(client: Client, source_ids: list[str], say: Callable[[str], None]) -> bool:
    """Wait until every source is read or has failed, saying how far each is; True when all are ready."""
    waiting, all_ready = list(source_ids), True
    said: dict[str, str] = {}
    while waiting:
        for source_id in list(waiting):
            source = client.get(f"/sources/{source_id}")
            line = _progress(source)
            if said.get(source_id) != line:
                said[source_id] = line
                say(f"{source['title']}: {line}")
            if source["status"] in _DONE:
                waiting.remove(source_id)
                all_ready = all_ready and source["status"] == "ready"
        if waiting:
            time.sleep(_POLL_S)
    return all_ready


def _progress(source: dict[str, Any]) -> str:
    if source.get("error"):
        return f"{source['status']}: {source['error']['message']}"
    progress = source.get("progress")
    if source["status"] == "ready" or not progress:
        return str(source["status"])
    total = progress.get("total")
    return f"{progress['step']} {progress.get('done', 0)} of {total}" if total else str(progress["step"])


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
