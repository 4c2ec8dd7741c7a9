"""`sourcebook eval`: measure the search with a question set, compare two runs, find the floor."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from sourcebook.ask import find_notebook
from sourcebook.evaluation import checks as pair_checks
from sourcebook.evaluation import floor as floors
from sourcebook.evaluation import live, sets
from sourcebook.evaluation import report as reports
from sourcebook.evaluation import run as runs
from sourcebook.evaluation.run import Report
from sourcebook.evaluation.sets import EvalSet
from sourcebook.reach import REFUSED, connect, fail, sentences

app = typer.Typer(no_args_is_help=True, help="Measure how well questions find what answers them.")
Name = Annotated[
    str | None, typer.Argument(metavar="SET", help="A folder with corpus.jsonl and questions.jsonl, or a name under evals/sets.")
]
Own = Annotated[str | None, typer.Option("--notebook", help="Instead of a set: this notebook's own test questions (id or title).")]
Drop = Annotated[bool, typer.Option("--drop", help="Remove the set's notebook and sources for good afterwards.")]
Opened = Annotated[bool, typer.Option("--open-sealed", help="Open a sealed set; needs --rule.")]
Rule = Annotated[str | None, typer.Option(help="What result is accepted, written before a sealed set is opened.")]
Data = Annotated[Path | None, typer.Option("--data", help="The stack's data folder.", show_default="the platform's")]
OUT = Path("build/evaluation")
_WORDS = re.compile(r"\W+")


@app.command()
def run(
    name: Name = None,
    notebook: Own = None,
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions of each kind and language.")] = None,
    out: Annotated[Path | None, typer.Option(help="Where the JSON report goes.", show_default="build/evaluation/SET.json")] = None,
    drop: Drop = False,
    open_sealed: Opened = False,
    rule: Rule = None,
    data: Data = None,
) -> None:
    """Run a set, or a notebook's test questions, through the server's own search. Exit 1 when the set's thresholds are missed
    (with --limit none is judged: they are set for all questions)."""
    _one_of(name, notebook)
    with sentences():
        if name is not None:
            found = _opened(name, rule if open_sealed else None, out)
            with connect(data) as client:
                made = runs.run(client, found, _say, limit=limit, keep=not drop)
        else:
            found = EvalSet("", [], [])
            with connect(data) as client:
                made = runs.run_notebook(client, find_notebook(client, notebook), _say, limit=limit)
        path = out or OUT / f"{_file_of(made.set_name)}.json"
        reports.write(made, path)
        for line in [*([] if name else [*reports.each(made), ""]), *reports.lines(made)]:
            typer.echo(line)
        typer.echo(f"\nThe report is {path}.")
        if name and not drop:
            _say(f'The notebook "{runs.title_of(found)}" is kept for the next run; --drop removes it.')
        misses = judged(made, found, limit)
    raise typer.Exit(1 if misses else 0)


@app.command()
def answers(
    name: Name = None,
    notebook: Own = None,
    limit: Annotated[int, typer.Option(min=1, help="At most so many questions of each kind and language; each is a paid answer.")] = 3,
    out: Annotated[Path | None, typer.Option(help="Where the JSON goes.", show_default="build/evaluation/SET-answers.json")] = None,
    drop: Drop = False,
    open_sealed: Opened = False,
    rule: Rule = None,
    data: Data = None,
) -> None:
    """Ask the questions as people do, and keep what each answer cited, took and cost. What it says is not judged."""
    _one_of(name, notebook)
    with sentences():
        found = _opened(name, rule if open_sealed else None, out) if name is not None else None
        with connect(data) as client:
            if found is not None:
                of, sources = runs.prepared(client, found, _say)
                questions = found.questions
            else:
                of = find_notebook(client, notebook)
                questions, sources = runs.of_notebook(client, of, _say)
            made = live.run(client, of["id"], runs.first_of_each(questions, limit), sources, _say)
            if found is not None and drop:
                runs.remove(client, of["id"], list(sources))
        path = out or OUT / f"{_file_of(found.name if found is not None else of['title'])}-answers.json"
        live.write(made, path)
        for line in [*live.lines(made), f"\nThe answers' rows are in {path}."]:
            typer.echo(line)


def judged(made: Report, of: EvalSet, limit: int | None) -> list[str]:
    """The thresholds that stop a release and were missed, each told; none where only some of the questions were asked."""
    if limit is not None and of.thresholds and len(made.rows) < len(of.questions):
        _say(f"The thresholds are set for all {len(of.questions)} questions; with --limit {len(made.rows)} were asked, so none is judged.")
        return []
    for line in reports.missed(made, of.thresholds, of.diagnostic):
        _say(f"known gap: {line}")
    misses = reports.missed(made, of.thresholds, of.gating)
    for line in misses:
        _say(line)
    return misses


def _one_of(name: str | None, notebook: str | None) -> None:
    if (name is None) == (notebook is None):
        fail("Name a set, or a notebook with --notebook.", REFUSED)


def _file_of(title: str) -> str:
    return _WORDS.sub("-", title).strip("-") or "notebook"


def _opened(name: str, rule: str | None, out: Path | None = None) -> EvalSet:
    """The set of a name. A sealed one only under a rule, which is written down beside the report before anything is asked: a run
    that is stopped has opened it too (S0-94). Tells of questions that stand in the corpus."""
    found = sets.load(name)
    if found.is_sealed:
        if not (rule and rule.strip()):
            fail(f"{found.name} is sealed: give --open-sealed and --rule with what you will accept.", REFUSED)
            return found
        _write_opening(out.parent if out is not None else OUT, found.name, rule)
    quoted = sets.quoted_questions(found)
    if quoted:
        _say(f"{len(quoted)} questions stand word for word in the corpus and flatter the figures: {', '.join(quoted[:5])} …")
    return found


def _say(line: str) -> None:
    typer.echo(line, err=True)


@app.command()
def compare(
    ours: Annotated[Path, typer.Argument(metavar="A", help="A report of `eval run`.")],
    other: Annotated[Path, typer.Argument(metavar="B", help="Another one of the same set.")],
) -> None:
    """A minus B, paired by question, with bootstrap intervals."""
    with sentences():
        for line in reports.compared(reports.read(ours), reports.read(other)):
            typer.echo(line)


@app.command()
def floor(
    name: Annotated[str, typer.Argument(metavar="SET", help="The set whose questions are real.")],
    limit: Annotated[int | None, typer.Option(min=1, help="At most so many questions of each kind and language.")] = 20,
    profile: Annotated[str, typer.Option(help="The profile whose numbers are meant.")] = "notebook",
    keep: Annotated[bool, typer.Option("--set", help="Set what is proposed, for this profile and the embedding model in use.")] = False,
    data: Data = None,
) -> None:
    """Ask real questions and noise, and propose the floor of the embedding model in use; with --set, set it."""
    with sentences():
        found = _opened(name, None)
        with connect(data) as client:
            made = floors.measure(client, found, _say, limit=limit)
            for line in floors.lines(made):
                typer.echo(line)
            if keep:
                typer.echo(floors.put(client, profile, made))


@app.command()
def checks(
    open_sealed: Annotated[bool, typer.Option("--open-sealed", help="Score the sealed half too; needs --rule.")] = False,
    rule: Rule = None,
    publish: Annotated[Path | None, typer.Option(help="Write the sealed half's figure here, for the product to show.")] = None,
    folder: Annotated[Path, typer.Option(help="Where the labelled pairs lie.")] = pair_checks.FOLDER,
) -> None:
    """Run the checker of answers over labelled pairs and say how often it is wrong, by kind and pair of languages."""
    with sentences():
        if open_sealed and not (rule and rule.strip()):
            fail("The sealed half: give --open-sealed and --rule with what you will accept.", REFUSED)
        for line in pair_checks.lines(pair_checks.run("tuning", folder)):
            typer.echo(line)
        if open_sealed and rule:
            _write_opening(OUT, "checks", rule)
            judged = pair_checks.run("sealed", folder)
            for line in ["", "sealed half", *pair_checks.lines(judged)]:
                typer.echo(line)
            if publish is not None:
                pair_checks.publish(pair_checks.figure(judged), publish)


def _write_opening(folder: Path, name: str, rule: str) -> None:
    """A sealed half is opened only on the record, before anything of it is measured (S0-94)."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "openings.txt").open("a", encoding="utf-8") as openings:
        openings.write(f"{datetime.now(UTC).isoformat(timespec='seconds')}\t{name}\t{rule.strip()}\n")
