"""A product's help in two languages: cards without any writing model, then the same with one that may say that nothing covers it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from examples.api import Api
from examples.scripted_model import CHAT, DIMENSION, WORDS, Rule, ScriptedModel
from examples.stage import JSON, Stage, run

FOLDER = Path(__file__).parent
SLUG, SITE = "rondo-help", "https://desk.example"
CLEAR = "How do I merge duplicate tickets?"
NONSENSE = "xyzzy plugh frobnicate"
VOICE = "Can I set the priority of a ticket by voice?"
RULES = [
    Rule("voice", "NOT_COVERED"),
    Rule("merge", "Mark two tickets about the same matter and choose Merge [[choose Merge]]."),
]


def slug(heading: str) -> str:
    """The anchor of a heading in a page of the help."""
    return re.sub(r"[^\w]+", "-", heading.casefold()).strip("-")


def pages() -> list[tuple[str, str, str]]:
    """Language, module and text of each page of the help."""
    return [(file.parent.name, file.stem, file.read_text("utf-8")) for file in sorted(FOLDER.glob("??/*.md"))]


def play(stage: Stage) -> None:
    """Fill the help, publish it, and ask as two people of the product."""
    count = sum(len(re.findall(r"^## ", text, re.MULTILINE)) for _, _, text in pages())
    stage.expect(f"the help has {count} sections in modules and two languages", count >= 60)
    publication = {"mode": "signed_in", "origins": [SITE], "subjects": ["ada", "ben"]}
    with ScriptedModel(rules=RULES) as model, stage.lent(model, "embedding"), stage.notebook("Rondo help") as held:
        with stage.assistant(SLUG, "help", name="Rondo help", publication=publication) as helper:
            _fill(stage, held["id"], helper)
            stage.api.post(f"/assistants/{helper['id']}/publish")
            with _visitor(stage, helper["id"], "ada") as ada, _visitor(stage, helper["id"], "ben") as ben:
                refused = stage.refusal(lambda: _token(stage, helper["id"], "cyril"))
                stage.expect("only people who were ticked may use it", refused is not None, refused)
                _cards(stage, ada)
                _kept(stage, ada, ben, helper["id"])
                _words_alone(stage, ada)
                _rebuilt(stage, ada, model)
                _with_a_model(stage, ada, model, helper["id"])


def _fill(stage: Stage, notebook_id: str, helper: dict[str, Any]) -> None:
    stage.part("The help is read: one source a module and language")
    stage.api.patch(f"/notebooks/{notebook_id}", {"settings": {"recipe": helper["recipe"]}})
    ids = []
    for language, module, text in pages():
        headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
        meta = {"module": module, "url": f"{SITE}/help/{language}/{module}", "anchors": {heading: slug(heading) for heading in headings}}
        ids.append(stage.add_text(notebook_id, text.partition("\n")[0].lstrip("# "), text, meta))
    ready = stage.read(f"/notebooks/{notebook_id}")
    stage.expect(f"{len(ready)} pages are ready", all(one["status"] == "ready" for one in ready))
    stage.api.put(f"/assistants/{helper['id']}/sources", {"source_ids": ids})
    stage.cut(f"/assistants/{helper['id']}")


def _token(stage: Stage, helper: str, subject: str) -> str:
    """What the product's backend gets for one of its people."""
    return str(stage.api.post(f"/assistants/{helper}/token", {"subject": subject})["token"])


def _visitor(stage: Stage, helper: str, subject: str) -> Api:
    return stage.api.under(f"/public/v1/assistants/{SLUG}", f"Visitor {_token(stage, helper, subject)}")


def _ask(stage: Stage, visitor: Api, question: str, **context: str) -> dict[str, Any]:
    body = {"question": question} | ({"context": context} if context else {})
    answer: dict[str, Any] = visitor.post("/ask", body, Accept=JSON)
    stage.show(question, answer["answer"])
    for card in answer["cards"]:
        stage.say(f"     {'*' if card['is_winner'] else '-'} {card['heading']}  {card['address']}")
    return answer


def _headings(answer: dict[str, Any]) -> list[str]:
    return [card["heading"] for card in answer["cards"]]


def _cards(stage: Stage, ada: Api) -> None:
    stage.part("No writing model: a line no surer than the search was, and cards")
    answer = _ask(stage, ada, CLEAR)
    first = answer["cards"][0] if answer["cards"] else {}
    stage.expect("a clear winner stands first and larger", answer["reply_kind"] == "clear" and first.get("is_winner"), answer)
    stage.expect("its card lands on exactly that section", first.get("address") == f"{SITE}/help/en/tickets#merge-duplicates", first)
    stage.expect(
        "five cards at most, each with a preview", 1 <= len(answer["cards"]) <= 5 and all(card["preview"] for card in answer["cards"])
    )
    stage.expect("no model wrote a word", answer["usage"]["llm_calls"] == 0, answer["usage"])
    answer = _ask(stage, ada, NONSENSE)
    stage.expect("nonsense finds nothing, and says so", answer["reply_kind"] == "none" and not answer["cards"], answer)
    answer = _ask(stage, ada, "Wie lade ich eine Kollegin ein?")
    stage.expect("a German question finds the German section", "Personen > Jemanden einladen" in _headings(answer), _headings(answer))
    stage.expect("and has a German line", "Abschnitt" in answer["answer"], answer["answer"])
    answer = _ask(stage, ada, "My boss wants the numbers in the post box every Monday")
    stage.expect("a section that shares no words is found by its meaning", "Reports > Report packs" in _headings(answer), _headings(answer))
    for module, heading in (("assets", "Assets > Add a device"), ("knowledge", "Knowledge > Write an article")):
        answer = _ask(stage, ada, "What is under New?", module=module)
        stage.expect(f"in {module}, its own section comes first", _headings(answer)[:1] == [heading], _headings(answer))
        stage.expect("and the others are not hidden", len(_headings(answer)) > 1, _headings(answer))


def _kept(stage: Stage, ada: Api, ben: Api, helper: str) -> None:
    stage.part("The conversation is kept until Reset, and seen by nobody else")
    turns = ada.get("/conversation")["turns"]
    stage.expect("it holds what Ada asked", [turn["question"] for turn in turns][:2] == [CLEAR, NONSENSE], turns)
    stage.expect("Ben sees nothing of it", ben.get("/conversation")["turns"] == [])
    missed = [one["question"] for one in stage.api.everything(f"/assistants/{helper}/misses")]
    stage.expect("what could not be answered is in the inbox of who writes the help", NONSENSE in missed, missed)
    ada.post("/reset")
    stage.expect("after Reset it is empty", ada.get("/conversation")["turns"] == [])


def _words_alone(stage: Stage, ada: Api) -> None:
    stage.part("The embedding model stops")
    vectors = ScriptedModel()
    with vectors, stage.lent(vectors, "embedding"):
        vectors.close()
        answer = _ask(stage, ada, CLEAR)
    stage.expect("words alone still find it", _headings(answer)[:1] == ["Tickets > Merge duplicates"], _headings(answer))
    stage.expect("and it is told", "words_only" in answer["degraded"], answer["degraded"])


def _rebuilt(stage: Stage, ada: Api, model: ScriptedModel) -> None:
    stage.part("Another embedding model is chosen, and asking goes on")
    model.forget()
    stage.api.put(
        "/admin/models/embedding", {"provider": "local", "base_url": model.base_url, "model": WORDS, "options": {"dimension": DIMENSION}}
    )
    found = []

    def by_the_new() -> bool:
        found.append(ada.post("/ask", {"question": CLEAR}, Accept=JSON))
        return WORDS in _embedded_by(model)

    stage.until("the new model's vectors to be in use", by_the_new)
    stage.expect(
        f"{len(found)} questions meanwhile all found the section",
        all(_headings(one)[:1] == ["Tickets > Merge duplicates"] for one in found),
    )
    asked = _embedded_by(model)
    stage.expect(
        "the old model was asked until the new one's vectors were whole", asked == sorted(asked, key=lambda name: name == WORDS), asked
    )


def _embedded_by(model: ScriptedModel) -> list[str]:
    """Which embedding models were asked for the clear question, in order."""
    return [one.model for one in model.requests if one.kind == "embeddings" and CLEAR in one.everything]


def _with_a_model(stage: Stage, ada: Api, model: ScriptedModel, helper: str) -> None:
    stage.part("The same with a writing model")
    with stage.lent(model, "chat"):
        model.forget()
        answer = _ask(stage, ada, CLEAR)
        stage.expect("it writes, and its mark is checked", answer["citations"] and answer["citations"][0]["verdict"] == "found", answer)
        stage.expect("it was given four sections at most", 1 <= len(model.chats()[-1].passages) <= 4, len(model.chats()[-1].passages))
        answer = _ask(stage, ada, VOICE)
        stage.expect(
            "NOT_COVERED is not shown; a line and the closest cards are", "NOT_COVERED" not in answer["answer"] and answer["cards"], answer
        )
        missed = {one["question"]: one["reasons"] for one in stage.api.everything(f"/assistants/{helper}/misses")}
        stage.expect("and it is in the inbox as not covered", "not_covered" in missed.get(VOICE, {}), missed)
        stage.api.put("/admin/models/chat", {"provider": "local", "base_url": "http://127.0.0.1:9/v1", "model": CHAT, "options": {}})
        answer = _ask(stage, ada, CLEAR)
        stage.expect("when it is away, the cards come", _headings(answer)[:1] == ["Tickets > Merge duplicates"], answer)


if __name__ == "__main__":
    run(play)
