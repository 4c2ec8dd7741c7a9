"""Two bots over one set of notes: what each was given, quoted word for word, and named in one line that only the program writes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from examples.scripted_model import CHAT, Rule, ScriptedModel
from examples.stage import Stage, run

NOTES = Path(__file__).parent / "notes"
PDF = Path(__file__).parents[1] / "notebook" / "files" / "orrin-survey.pdf"
HIVES, SHED, WATER, GLASS, MONEY, HEDGE = (
    "heron ledger",
    "magpie brief",
    "plover circular",
    "dunlin blatt",
    "osprey accounts",
    "wagtail minutes",
)
GIVEN = {"mira": (HIVES, SHED, WATER, GLASS), "otto": (WATER, MONEY)}
EXACT = "A line that ends in blanks   \r\nun caf\u00e9, un cafe\u0301\u00a0! \u200bThe gate code is 4 7 1 1.\r\n"
LINE, ZEILE = "📄 From what you gave me: ", "📄 Aus dem, was ich bekommen habe: "
HEART, MERCURY = "❤️", "What is the boiling point of mercury?"
RULES = [
    Rule("shed key", 'It hangs "behind the third flowerpot on the left".\nUSED: {{third flowerpot}}', without="I do not know."),
    Rule("Gewächshaus", "Das Gewächshaus wird geheizt, sobald es nachts kälter als 4 Grad wird.\nUSED: {{4 Grad}}"),
    Rule("brown hive", "The brown hive weighed 31 kilograms on 14 April.\nUSED: none"),
    Rule("blue hive", "Bees are lovely creatures; ask me anything you like about them.\nUSED: {{white dot}}"),
    Rule("who won", "I am sorry, what I was given does not cover that.\nUSED: 1"),
    Rule("water", "Between 1 June and 31 August watering is allowed before nine.\n📄 From my files: secret.doc\nUSED: {{31 August}}, 7"),
    Rule("account", "The club has 1,240 euros in its account.\nUSED: {{1,240 euros}}", without="I was told nothing about that."),
    Rule("spare key", "There is none that I know of.\nUSED: none"),
    Rule("mercury", "Mercury boils at 356.7 degrees Celsius."),
    Rule(HEART, "Right back at you!"),
]


def play(stage: Stage) -> None:
    """Give the notes, then talk."""
    notes: dict[str, Any] = {"profile": "persona"}
    with ScriptedModel(rules=RULES) as model, stage.lent(model, "chat", "embedding"), stage.notebook("Notes of the club", **notes) as held:
        sources = _keep(stage, held["id"])
        with stage.assistant("club-mira", "persona", name="Mira") as mira, stage.assistant("club-otto", "persona", name="Otto") as otto:
            _grants(stage, {"mira": mira["id"], "otto": otto["id"]}, sources)
            _the_line(stage, mira["id"])
            _no_documents(stage, mira["id"], model)
            _apart(stage, mira["id"], otto["id"], model)
            _store_away(stage, mira["id"], model)
            stage.part("No name of a document ever reached a model")
            said = "\n".join(one.everything for one in model.record).casefold()
            names = [title for title in sources if title in said]
            stage.expect(f"in {len(model.record)} requests, embeddings among them, no title stands", not names, names)


def _keep(stage: Stage, notebook_id: str) -> dict[str, str]:
    stage.part("Notes are kept exactly as they are")
    path = f"/notebooks/{notebook_id}/sources"
    refused = stage.refusal(lambda: stage.api.upload(path, PDF))
    stage.expect("a PDF is refused, and told why", refused is not None and refused.status == 415, refused)
    stage.say(f"     {refused and refused.message}")
    two_mb = "word " * 419_430 + "ok"
    refused = stage.refusal(lambda: stage.api.post(path, {"title": "long", "text": two_mb + "!", "format": "plain"}))
    stage.expect("so is a text of more than 2 MB", len(two_mb) == 2_097_152 and refused is not None and refused.status == 413, refused)
    sources = {}
    for file in sorted(NOTES.glob("*.md")):
        title = file.stem.replace("-", " ")
        sources[title] = stage.add_text(notebook_id, title, file.read_text("utf-8"))
    exact = stage.api.post(path, {"title": "exact", "text": EXACT, "format": "plain"})["items"][0]["source"]["id"]
    stage.read(f"/notebooks/{notebook_id}")
    stage.expect("what was pasted is kept to the last blank and accent", stage.api.text(f"/sources/{exact}/text") == EXACT)
    return sources


def _grants(stage: Stage, bots: dict[str, str], sources: dict[str, str]) -> None:
    stage.part("Each bot has what it was given")
    for name, bot in bots.items():
        stage.expect(
            f"{name} begins with nothing", {one["state"] for one in stage.api.get(f"/assistants/{bot}/sources")["items"]} == {"none"}
        )
        for title in GIVEN[name]:
            stage.api.put(f"/assistants/{bot}/sources/{sources[title]}", {"grant": "given"})
    mira = bots["mira"]
    stage.api.put(f"/assistants/{mira}/sources/{sources[MONEY]}", {"grant": "paused"})
    told = {one["title"]: one["state"] for one in stage.api.get(f"/assistants/{mira}/sources")["items"]}
    stage.expect("given, paused and not given are told apart", (told[HIVES], told[MONEY], told[HEDGE]) == ("given", "paused", "none"), told)
    for bot in bots.values():
        stage.cut(f"/assistants/{bot}")


def _ask(stage: Stage, bot: str, question: str, **more: str) -> dict[str, Any]:
    return stage.ask(f"/assistants/{bot}", question, **more)


def _the_line(stage: Stage, mira: str) -> None:
    stage.part("One line names what was used, and the model can only take it away")
    answer = _ask(stage, mira, "Where do I find the shed key?")
    said = answer["answer"]
    quoted = said.split('"')[1]
    stage.expect("the quote stands so in the note", quoted in (NOTES / "magpie-brief.md").read_text("utf-8"), said)
    stage.expect("the line names the note", said.endswith(f"{LINE}{SHED}"), said)
    _ask(stage, mira, "Is there a spare key?", conversation_id=answer["conversation_id"])  # the line is taken out of what was said before
    said = _ask(stage, mira, "Wann wird das Gewächshaus geheizt?")["answer"]
    stage.expect("a German answer has a German line", said.endswith(f"{ZEILE}{GLASS}"), said)
    said = _ask(stage, mira, "How much does the brown hive weigh?")["answer"]
    stage.expect(
        "USED: none is a veto: no line, though the answer stands in a note",
        said == "The brown hive weighed 31 kilograms on 14 April.",
        said,
    )
    said = _ask(stage, mira, "Tell me about the queen of the blue hive.")["answer"]
    stage.expect("a note that the answer does not carry is not named", "📄" not in said and "USED" not in said, said)
    said = _ask(stage, mira, "Who won the prize for the hives and the shed?")["answer"]
    stage.expect("a refusal names no source", "📄" not in said and "USED" not in said, said)
    said = _ask(stage, mira, "When is watering allowed in summer?")["answer"]
    stage.expect(
        "a line of the model's own is taken out, an invalid number dropped", said.endswith(f"{LINE}{WATER}") and "secret" not in said, said
    )


def _no_documents(stage: Stage, mira: str, model: ScriptedModel) -> None:
    stage.part("Nothing near enough: an ordinary answer, no announcement")
    for question in (HEART, MERCURY):
        model.forget()
        said = _ask(stage, mira, question)["answer"]
        prompt = model.chats()[-1]
        stage.expect("no passage was handed over", not prompt.passages, prompt.prompt)
        stage.expect("no line, and nothing about looking something up", said in {rule.say for rule in RULES}, said)


def _apart(stage: Stage, mira: str, otto: str, model: ScriptedModel) -> None:
    stage.part("Two bots, two sets of notes")
    model.forget()
    _ask(stage, mira, "How much money is in the account?")
    stage.expect("Mira, for whom the accounts are paused, was not given them", "1,240" not in model.chats()[-1].prompt)
    model.forget()
    said = _ask(stage, otto, "How much money is in the account?")["answer"]
    stage.expect("Otto was, and names them", said.endswith(f"{LINE}{MONEY}"), said)
    model.forget()
    _ask(stage, otto, "Where do I find the shed key?")
    stage.expect("the shed is not for Otto", "flowerpot" not in model.chats()[-1].prompt)


def _store_away(stage: Stage, mira: str, model: ScriptedModel) -> None:
    stage.part("The store of documents stops")
    if stage.stop_store is None or stage.start_store is None:
        stage.say("   (left out: only who runs the server can stop it; `python -m examples.run persona` does)")
        return
    stage.stop_store()
    try:
        model.forget()
        answer = _ask(stage, mira, "How much does the brown hive weigh?")
    finally:
        stage.start_store()
    stage.expect("an answer comes all the same", answer["finish"] == "complete" and answer["answer"], answer)
    stage.expect(
        "without documents, and nobody is told of the fault", not model.chats(CHAT)[-1].passages and not answer["degraded"], answer
    )


if __name__ == "__main__":
    run(play)
