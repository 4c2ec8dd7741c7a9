"""An instrument's documentation and its evaluations: a fresh corpus, a table of routes, tools with budgets, sessions that end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from examples.api import Api
from examples.product import build_corpus, results
from examples.product.host import SITE, Host
from examples.scripted_model import Rule, ScriptedModel
from examples.served import served
from examples.stage import JSON, NDJSON, Stage, run

FOLDER = Path(__file__).parent
RECIPE = "headings-500-50-a2"
FOCAL = {"routing": {"focal": build_corpus.OWN_TECHNOLOGY}}
SITUATION = {"goal": "kinetics of a peptide", "step": "choose the run", "selection": "channel 2"}
SLUG = "veyra-docs"
ORDER = "Which chips for proteins can I order?"
RULES = [
    Rule("needs the list of what is sold", "YES"),
    Rule(ORDER, "Chips for proteins are Chip C3, order number V-310 [[V-310]].", without="I cannot see what is sold just now."),
    Rule("Which run", "Choose Single cycle under Runs, New [[choose Single cycle]]."),
    Rule("alarm 34", "Stop the run, loosen the filter and rinse it."),
    Rule("my name", "You are Lena."),
    Rule("who am I", "I do not know."),
    *results.RULES,
]


def play(stage: Stage) -> None:
    """Check the corpus, load it, then ask both assistants."""
    stage.part("The committed corpus")
    stale = build_corpus.stale()
    stage.expect("what is committed is what handbook, references and generator give", not stale, stale)
    corpus = json.loads(build_corpus.CORPUS.read_text("utf-8"))["documents"]
    host = Host()
    with ScriptedModel(rules=RULES) as model, served(host.app(), stage.host_port) as address, stage.notebook("Veyra corpus") as held:
        documents = _load(stage, held["id"], corpus)
        publication = {"mode": "signed_in", "origins": [SITE]}
        docs = stage.assistant(SLUG, "product", name="Veyra", recipe=RECIPE, profile_settings=FOCAL, publication=publication)
        agent = {**FOCAL, "answer": {"mode": "agent"}}
        done = stage.assistant(
            "veyra-results", "product", name="Veyra results", recipe=RECIPE, profile_settings=agent, hosts=results.hosts(address)
        )
        with docs as reader, done as evaluator:
            for one in (reader, evaluator):
                stage.api.put(f"/assistants/{one['id']}/sources", {"source_ids": list(documents)})
            path = f"/assistants/{reader['id']}"
            stage.cut(path)
            _routes(stage, path, documents)
            with stage.lent(model, "chat"):
                _words(stage, path, model)
                _catalog(stage, path, address, host)
                _sessions(stage, path, model)
                results.play(stage, f"/assistants/{evaluator['id']}", model, host)


def _load(stage: Stage, notebook_id: str, corpus: list[dict[str, Any]]) -> dict[str, str]:
    """The corpus as sources; its own ids by source id."""
    stage.api.patch(f"/notebooks/{notebook_id}", {"settings": {"recipe": RECIPE}})
    ids = {stage.add_text(notebook_id, one["title"], one["text"], one["meta"]): one["id"] for one in corpus}
    ready = stage.read(f"/notebooks/{notebook_id}")
    stage.expect(f"{len(ready)} documents are loaded", len(ready) == len(corpus) and all(one["status"] == "ready" for one in ready))
    return ids


def _routes(stage: Stage, path: str, documents: dict[str, str]) -> None:
    """Every case of the table: its route, what was found and what must not be. Gating ones must hold, others are reported."""
    stage.part("The table of routes, without any call of a model")
    for line in (FOLDER / "cases.jsonl").read_text("utf-8").splitlines():
        case = json.loads(line)
        answer = stage.api.post(f"{path}/ask", {"question": case["question"]}, Accept=JSON)
        route = answer["route"]
        kept = {documents[one["source_id"]] for one in stage.api.get(f"/turns/{answer['turn_id']}/why")["candidates"] if one["kept"]}
        came = {"mode": route["answer_mode"], "intent": route["intent"], "kept": sorted(kept), "calls": answer["usage"]["llm_calls"]}
        is_so = (came["mode"], came["intent"], came["calls"]) == (case["mode"], case["intent"], 0)
        is_so = is_so and set(case["hits"]) <= kept and not set(case["forbidden"]) & kept
        if case["gating"]:
            stage.expect(f"{case['question']}  {case['mode']}, {case['intent']}", is_so, came)
        else:
            stage.say(f"   {'ok ' if is_so else 'gap'} {case['question']}  {came['mode']}, {came['intent']}  (only reported)")


def _words(stage: Stage, path: str, model: ScriptedModel) -> None:
    stage.part("NDJSON under this profile's names")
    model.forget()
    frames = stage.api.stream(f"{path}/ask", {"question": "Which run is enough here, and where do I set it?", "context": SITUATION}, NDJSON)
    last, prompt = frames.last, model.chats()[-1].prompt
    stage.show("Which run is enough here, and where do I set it?", last["ai_message"])
    stage.expect(
        "only token and done are sent", {event.name for event in frames.events} == {"token", "done"}, [e.name for e in frames.events]
    )
    stage.expect("the tokens are the message", "".join(one["content"] for one in frames.of("token")) == last["ai_message"], last)
    names = ("session_id", "answer_mode", "knowledge_intent", "source_coverage", "sources")
    stage.expect("session, mode, intent, coverage and sources are told", all(name in last for name in names), last)
    stage.expect(
        "coverage is a bucket, no percentage", last["source_coverage"] in ("none", "low", "medium", "high"), last["source_coverage"]
    )
    stage.expect("where the asker is was told to the model", all(value in prompt for value in SITUATION.values()), prompt)
    stage.expect("evidence is labelled by what it may be used for", "(actionable)" in prompt, prompt)
    frames = stage.api.stream(f"{path}/ask", {"question": "What should I do about alarm 34?"}, NDJSON)
    stage.show("What should I do about alarm 34?", frames.last["ai_message"])
    stage.expect(
        "an answer without marks gets what was found, called a fallback", frames.last["fallback"] and frames.last["sources"], frames.last
    )


def _catalog(stage: Stage, path: str, shop: str, host: Host) -> None:
    stage.part("What is sold: read when the model says that it is needed")
    host.log.clear()
    stage.api.patch(path, {"profile_settings": {"routing": {"catalog": {"address": f"{shop}/catalog.json"}}}})
    answers = [stage.api.post(f"{path}/ask", {"question": ORDER}, Accept=JSON) for _ in range(2)]
    stage.show(ORDER, answers[0]["answer"])
    told = [source["title"] for source in answers[0]["sources"]]
    stage.expect("the article is cited, and only it", told == ["Chip C3"], answers[0])
    stage.expect("two questions read the catalog once", len(host.log) == 1, host.log)
    stage.api.patch(path, {"profile_settings": {"routing": {"catalog": {"address": f"{shop}/gone.json"}}}})
    answer = stage.ask(path, ORDER)
    stage.expect("of a catalog that is away a notice is told, and an answer comes", "cannot be reached" in answer["answer"], answer)
    host.log.clear()
    stage.api.patch(path, {"profile_settings": {"routing": {"catalog": None}}})


def _visitor(stage: Stage, path: str, subject: str) -> Api:
    token = stage.api.post(f"{path}/token", {"subject": subject})["token"]
    return stage.api.under(f"/public/v1/assistants/{SLUG}", f"Visitor {token}")


def _sessions(stage: Stage, path: str, model: ScriptedModel) -> None:
    stage.part("Sessions, kept apart and ended")
    product = next(one for one in stage.api.get("/profiles")["items"] if one["name"] == "product")
    stage.expect(
        "a session ends after an idle hour", product["defaults"]["conversation"]["ttl_s"] == 3600, product["defaults"]["conversation"]
    )
    stage.api.patch(path, {"profile_settings": {"conversation": {"ttl_s": 1}}})
    stage.api.post(f"{path}/publish")
    with _visitor(stage, path, "lena") as lena:

        def said(question: str, session: str, resource: str = "run 7") -> str:
            model.forget()
            lena.post("/ask", {"question": question, "session_id": session, "context": {"resource": resource}}, Accept=JSON)
            return model.chats()[-1].said_before

        said("Remember my name is Lena, which run is next?", "a")
        other = said("So who am I, and which run is next?", "b")
        stage.expect("another session knows nothing of the first", "Remember" not in other, other)
        other = said("So who am I, and which run is next?", "a", "run 8")
        stage.expect("nor does another resource", "Remember" not in other, other)
        lena.post("/reset", {"session_id": "a", "resource": "run 7"})
        said("Remember my name is Lena, which run is next?", "a")
        stage.until("the session to end", lambda: not lena.get("/conversation", session_id="a", resource="run 7")["turns"], 30)
        other = said("So who am I, and which run is next?", "a")
        stage.expect("an idle session has ended (here after one second)", "Remember" not in other, other)


if __name__ == "__main__":
    run(play)
