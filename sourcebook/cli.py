"""The program `sourcebook`: one command each for what people do from a terminal."""

import contextlib
import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

import sourcebook
from sourcebook import ask as asking
from sourcebook import sites
from sourcebook import up as upping
from sourcebook.carry import app as carrying
from sourcebook.client import Client, Refused
from sourcebook.corpus.command import app as corpus_app
from sourcebook.evaluation.command import app as eval_app
from sourcebook.keep import app as keeping
from sourcebook.reach import connect, data_folder, sentences
from sourcebook.stack import ports, surroundings
from sourcebook.stack.plan import Options
from sourcebook_core import settings as core_settings

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Answers from your own sources, with every citation checked.",
)
app.registered_commands += [*keeping.registered_commands, *carrying.registered_commands]
token_app = typer.Typer(no_args_is_help=True, help="Tokens for programs.")
app.add_typer(token_app, name="token")
app.add_typer(eval_app, name="eval")
app.add_typer(corpus_app, name="corpus")

Data = Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")]
Notebook = Annotated[str | None, typer.Option("--notebook", help="A notebook's id or title.", show_default="the one used last")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the API's object.")]


class Capture(StrEnum):
    """How a PDF is read."""

    text = "text"
    vision = "vision"
    auto = "auto"


class Listed(StrEnum):
    """What `list` shows."""

    notebooks = "notebooks"
    sources = "sources"
    misses = "misses"
    questions = "questions"
    jobs = "jobs"


@app.command()
def up(
    data: Data = None,
    host: Annotated[str | None, typer.Option(help="The address to listen on; 0.0.0.0 for your network.", show_default="127.0.0.1")] = None,
    port: Annotated[int | None, typer.Option(min=1, max=65535, help="The port of the page.", show_default="8400")] = None,
    workers_ingest: Annotated[int, typer.Option(min=1, max=16, help="Processes that read sources.")] = 1,
    workers_rag: Annotated[int, typer.Option(min=1, max=16, help="Processes that answer.")] = 1,
    no_models: Annotated[bool, typer.Option("--no-models", help="Start no local models.")] = False,
    local_chat: Annotated[bool, typer.Option("--local-chat", help="Start the local writing model too.")] = False,
    demo: Annotated[bool, typer.Option("--demo", help="Add the sample notebook.")] = False,
    ask_sample: Annotated[bool, typer.Option("--ask-sample", help="Ask the sample notebook one question when it is ready.")] = False,
    once: Annotated[bool, typer.Option("--once", help="Ask the sample and stop; exit 0 only if cited and every check passed.")] = False,
) -> None:
    """Start the whole stack on this machine and keep it running until Ctrl-C."""
    with sentences(), contextlib.ExitStack() as cleanup:
        settings = core_settings.load(surroundings.environment())
        chosen_port = port or settings.port
        if once and port is None and not ports.is_free("127.0.0.1", chosen_port):
            chosen_port = ports.any_free()  # nobody will open the page of this run
        folder = cleanup.enter_context(upping.throw_away_folder()) if once and data is None else data_folder(data).path
        options = Options(
            data=folder,
            host=host or settings.host,
            port=chosen_port,
            workers_ingest=workers_ingest,
            workers_rag=workers_rag,
            models=not no_models,
            local_chat=local_chat or settings.local_chat,
        )
        question = ask_sample or once
        code = upping.run(options, _say, demo=demo or question, question=question, once=once)
    raise typer.Exit(code)


@app.command()
def ask(
    question: Annotated[str, typer.Argument(help="What you want to know.")],
    notebook: Notebook = None,
    source: Annotated[list[str] | None, typer.Option("--source", help="Only this source (id); may be repeated.")] = None,
    as_json: AsJson = False,
    no_stream: Annotated[bool, typer.Option("--no-stream", help="Print the answer when it is complete.")] = False,
    data: Data = None,
) -> None:
    """Ask a notebook; the answer comes with numbered, checked citations."""
    with sentences(), connect(data) as client:
        found = asking.find_notebook(client, notebook)
        if as_json:
            _print_json(asking.ask(client, question, found["id"], source_ids=source or []))
        elif no_stream:
            answer = asking.ask(client, question, found["id"], source_ids=source or [])
            _say(answer["answer"])
            asking.print_below(answer, _say)
        else:
            asking.print_answer(client, question, found["id"], _say, source or [])


@app.command()
def add(
    what: Annotated[list[str], typer.Argument(help="Files, http addresses, or - for text on standard input.")],
    notebook: Notebook = None,
    capture: Annotated[Capture | None, typer.Option(help="How PDFs are read.")] = None,
    wait: Annotated[bool, typer.Option("--wait", help="Wait until everything is read.")] = False,
    site: Annotated[bool, typer.Option("--site", help="The address is a site (sitemap, feed or page): add every page of it.")] = False,
    refresh_hours: Annotated[int | None, typer.Option(help="With --site: look for new and changed pages this often.")] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Add sources to a notebook."""
    refused = 0
    with sentences(), connect(data) as client:
        found = asking.notebook_for_adding(client, notebook, _say_aside if as_json else _say)
        added = []
        if site:
            raise typer.Exit(0 if _add_sites(client, found["id"], what, refresh_hours, wait=wait, as_json=as_json) else 1)
        for one in what:
            for item in _added(client, found["id"], one, capture):
                if item.get("error"):
                    refused += 1
                    _say_aside(f"{item['name']}: {item['error']['message']} ({item['error']['code']})")
                elif item.get("same_as"):
                    _say_aside(f"{item['name']}: the same content as {item['same_as']}; they are one source.")
                else:
                    added.append(item["source"])
                    _say_aside(f"{item['source']['title']}: {item['source']['status']}, id {item['source']['id']}")
        if wait and not asking.wait_until_read(client, [one["id"] for one in added], _say_aside):
            refused += 1
        if as_json:
            _print_json({"items": added})
    raise typer.Exit(1 if refused else 0)


@app.command(name="list")
def list_rows(what: Listed, notebook: Notebook = None, as_json: AsJson = False, data: Data = None) -> None:
    """List notebooks, sources, what a notebook could not answer (misses), its test questions, or jobs."""
    with sentences(), connect(data) as client:
        path = "/admin/jobs" if what is Listed.jobs else f"/{what.value}"
        if what in (Listed.misses, Listed.questions) or (what is Listed.sources and notebook):
            path = f"/notebooks/{asking.find_notebook(client, notebook)['id']}{path}"
        rows = list(client.everything(path))
        if as_json:
            _print_json({"items": rows})
            return
        for row in rows:
            _say("\t".join([row.get("id") or row["key"], *columns(what, row)]))


@app.command()
def reindex(
    notebook: Annotated[
        str | None, typer.Option("--notebook", help="A notebook's id or title.", show_default="all with stale sources")
    ] = None,
    as_json: AsJson = False,
    data: Data = None,
) -> None:
    """Read and index stale sources under the settings of now; what is there answers until the new is whole."""
    with sentences(), connect(data) as client:
        found = [asking.find_notebook(client, notebook)] if notebook else list(client.everything("/notebooks"))
        begun = []
        for one in found:
            if notebook or one["stale"] or one["wanted_recipe"]:
                begun.append(client.post(f"/notebooks/{one['id']}/reindex"))
                _say_aside(f"{one['title']}: {one['stale']} of {one['source_counts']['total']} sources are indexed anew.")
        if not begun:
            _say_aside("No source is stale.")
        if as_json:
            _print_json({"items": begun})


@app.command(name="open")
def open_page(data: Data = None) -> None:
    """Print a new sign-in link; it works once."""
    with sentences(), connect(data) as client:
        _say(client.post("/auth/links")["url"])


@token_app.command("create")
def token_create(
    name: str,
    scope: Annotated[list[str] | None, typer.Option("--scope", help="read, ask, add, manage or admin; may be repeated.")] = None,
    data: Data = None,
) -> None:
    """Make a token for a program and print it; it is shown this once only."""
    with sentences(), connect(data) as client:
        body: dict[str, Any] = {"name": name} | ({"scopes": scope} if scope else {})
        _say(client.post("/tokens", body)["token"])


@app.command()
def version() -> None:
    """Print the version."""
    _say(sourcebook.__version__)


def _added(client: Client, notebook_id: str, what: str, capture: str | None) -> list[dict[str, Any]]:
    """The reply's items; a refusal of this one is an item too, so that the others are still added."""
    try:
        return asking.add(client, notebook_id, what, capture)
    except Refused as refused:
        return [{"name": what, "error": {"code": refused.code, "message": refused.message}}]


def _add_sites(client: Client, notebook_id: str, urls: list[str], hours: int | None, *, wait: bool, as_json: bool) -> bool:
    """Add each address as a site; True when nothing was refused (with `wait`: and every page is ready)."""
    added = [sites.add(client, notebook_id, url, hours) for url in urls]
    for one in added:
        _say_aside(f"{one['url']}: {one['status']}, site {one['id']}")
    is_ready = [sites.wait(client, one["id"], _say_aside) for one in added] if wait else []
    if as_json:
        _print_json({"items": [client.get(f"/sites/{one['id']}") for one in added]})
    return all(is_ready)


def columns(what: Listed, row: dict[str, Any]) -> list[str]:
    """What stands behind the id in the line of a row; nothing for what it does not have."""
    if what is Listed.notebooks:
        counts = row["source_counts"]
        return [row["title"], f"{counts['ready']} of {counts['total']} sources ready"]
    if what is Listed.sources:
        return [row["status"], row["title"], *([row["error"]["message"]] if row.get("error") else [])]
    if what is Listed.misses:
        reasons = ", ".join(f"{reason} {count}" for reason, count in row["reasons"].items())
        return [str(row["count"]), reasons, " ".join(row["question"].split())]
    if what is Listed.questions:
        return [row["kind"], " ".join(row["question"].split())]
    tries = f"{row['attempts']} {'try' if row['attempts'] == 1 else 'tries'}"
    return [row["kind"], row["state"], tries, *([row["error"]["message"]] if row.get("error") else [])]


def _say(line: str) -> None:
    typer.echo(line)


def _say_aside(line: str) -> None:
    typer.echo(line, err=True)


def _print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def main() -> None:
    """Run the program."""
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    app()
