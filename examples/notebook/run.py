"""The mixed notebook: a PDF, a scan, a web page, a voice memo and a workbook, asked one by one and together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from examples.scripted_model import Rule, ScriptedModel
from examples.served import served, website
from examples.stage import Stage, run

FILES = Path(__file__).parent / "files"
UPLOADS = ("orrin-survey.pdf", "harbour-notice.png", "voice-memo.mp3", "catches.xlsx")
PDF, SCAN, MEMO, SHEET, PAGE = "pdf", "image", "audio", "office", "url"
RULES = [
    Rule("deepest point", "The deepest point, 41.3 metres, lies 300 metres east of Heron Island [[41.3 metres]]."),
    Rule("crane lift", "The harbour crane lifts at most 900 kilograms [[900 kilograms]]."),
    Rule("last boat", "The first boat leaves the harbour at 6:20, the last one at 21:40 [[21:40]]."),
    Rule(
        "weather station",
        "The weather station on the island stopped working on Monday morning [[Monday morning]]. The battery is empty [1].",
    ),
    Rule("longest trout", "2025-07-01, River mouth, Trout: 19, longest 58 [[Trout]]."),
    Rule("which documents", "You have a PDF (Lake Orrin survey 2025), a picture, a recording, a workbook and a web page about the ferry."),
    Rule("pike", "No pike was caught in 2025 [[No pike]]."),
    Rule("mayor", "NOT_COVERED\nThe sources do not tell who the mayor is."),
    Rule("Wie warm", "An der Oberfläche war das Wasser am 20. Juni 18.6 Grad warm [[18.6 degrees]]."),
]


def play(stage: Stage) -> None:
    """Fill the notebook, then ask."""
    with ScriptedModel(rules=RULES) as model, stage.lent(model, "chat"), stage.notebook("Lake Orrin") as notebook:
        path = f"/notebooks/{notebook['id']}"
        sources = _fill(stage, path)
        stage.part("A question on each kind, opened where it stands")
        _each_kind(stage, notebook["id"], sources)
        _about_the_notebook(stage, path, sources, model)


def _fill(stage: Stage, path: str) -> dict[str, dict[str, Any]]:
    """The five sources by kind, once they are read."""
    stage.part("Five kinds of sources are read")
    with served(website(FILES), stage.web_port) as address:
        for name in UPLOADS:
            stage.api.upload(f"{path}/sources", FILES / name)
        stage.api.post(f"{path}/sources", {"url": f"{address}/ferry.html"})
        sources = {one["kind"]: one for one in stage.read(path)}
    for kind, one in sources.items():
        why = (one["error"] or {}).get("message", "")
        stage.expect(f"{kind}: {one['title']} is ready", one["status"] == "ready", why)
    stage.expect("all five kinds are there", sorted(sources) == sorted((PDF, SCAN, MEMO, SHEET, PAGE)), sorted(sources))
    return sources


def _each_kind(stage: Stage, notebook_id: str, sources: dict[str, dict[str, Any]]) -> None:
    for kind, question, words, opens_on in (
        (PDF, "How deep is the deepest point of the lake?", "41.3 metres", {"page": 2}),
        (SCAN, "How much can the harbour crane lift?", "900 kilograms", {}),
        (PAGE, "When does the last boat leave the harbour?", "21:40", {}),
        (MEMO, "Why did the weather station stop working?", "stopped working on Monday", {"start_ms": int}),
        (SHEET, "How long was the longest trout?", "58", {"sheet": "Catches 2025"}),
    ):
        answer = stage.ask(f"/notebooks/{notebook_id}", question)
        cited = answer["citations"][0] if answer["citations"] else {}
        stage.expect(f"the {kind} is cited", cited.get("source_id") == sources[kind]["id"], answer["citations"] or answer)
        if not cited:
            continue
        for name, value in opens_on.items():
            is_so = isinstance(cited.get(name), value) if isinstance(value, type) else cited.get(name) == value
            stage.expect(f"it opens on {name} {cited.get(name)}", is_so, cited)
        stage.expect("the quote is a slice of the source's own text", _is_slice(stage, cited), cited)
        stage.expect("the quote holds what was asked for", words.casefold() in (cited["quote"] or "").casefold(), cited["quote"])
        stage.expect(
            f"its verdict is {cited['verdict']}", cited["verdict"] in (("found", "partly") if kind == SHEET else ("found",)), cited
        )
        stage.expect("every number of the answer stands in the sources", answer["checks"]["numbers_grounded"], answer["checks"])
        stage.say(f"     {stage.reader(notebook_id, answer, cited)}")


def _is_slice(stage: Stage, cited: dict[str, Any]) -> bool:
    """Whether a quote is what stands at its place in the stored text, code point for code point."""
    passages = stage.api.get(f"/sources/{cited['source_id']}/passages", reading=cited["reading_id"])["items"]
    held = next(one["text"] for one in passages if one["passage"] == cited["passage"])
    return bool(cited["quote"]) and held[cited["start"] : cited["end"]] == cited["quote"]


def _about_the_notebook(stage: Stage, path: str, sources: dict[str, dict[str, Any]], model: ScriptedModel) -> None:
    stage.part("The notebook itself, one document, nothing, German")
    stage.ask(path, "Which documents do you have?")
    told = model.chats()[-1].prompt
    stage.expect("the model was given the list of documents", all(one["title"] in told for one in sources.values()), told)
    answer = stage.ask(path, "Was a pike caught?", source_ids=[sources[PDF]["id"]])
    stage.expect(
        "asked about one document, only that one is cited", [one["source_id"] for one in answer["citations"]] == [sources[PDF]["id"]]
    )
    answer = stage.ask(path, "Who is the mayor of Sallow?")
    stage.expect(
        "what no source tells is answered so, without a citation", not answer["citations"] and "NOT_COVERED" not in answer["answer"]
    )
    missed = list(stage.api.everything(f"{path}/misses"))
    stage.expect("and is kept among the misses", [one for one in missed if "mayor" in one["question"]], missed)
    answer = stage.ask(path, "Wie warm war das Wasser an der Oberfläche?")
    stage.expect(
        "a German question is answered in German from an English page", answer["citations"] and answer["citations"][0]["page"] == 2
    )
    stage.expect("and its instructions name the language", "German" in model.chats()[-1].messages[0]["content"])


if __name__ == "__main__":
    run(play)
