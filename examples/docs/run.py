"""A method's documentation, built as a corpus and swapped in; a host application read as the asker; Czech questions; hidden sources."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from examples.docs.host import CANARIES, CROWD, WALL, Host
from examples.scripted_model import TRANSLATE, Rule, ScriptedModel
from examples.served import served
from examples.stage import JSON, SSE, Stage, run

FOLDER = Path(__file__).parent
SLUG = "kelda-docs"
CZECH, ENGLISH = "Jak se počítá nejlepší kompromis?", "How is the maximum error computed?"
WORD_OF_A_CAPTION = "quaystone"
RULES = [
    Rule(CZECH, "Nejlepší kompromis leží v polovině mezi průměrem a mediánem [[halfway between the mean and the median]]."),
    Rule(ENGLISH, "The maximum error is half the distance between the two centroids [[half the distance]]. It is never above 77 [9]."),
    Rule("my own room", "The wall should be 14.2 metres high, with a maximum error of 0.17. Of 3 experts 17 agree."),
    Rule("visitors", "About 31 hundred visitors are expected."),
    Rule(
        "look around",
        "In the room Harbour wall 3 experts gave estimates, and the level of agreement is high.",
        ((("search", {"query": "levels of agreement"}), ("result", {})), (("estimates", {}), ("room", {}), ("rooms", {}))),
    ),
    Rule("", "I do not know."),
]
TRANSLATED = "How is the best compromise computed?"
SCALE = ["name", "description", "scale.low", "scale.high"]
CLEAN = {"name": 120, "description": 100}
VALUES = ["low", "likely", "high"]


def hosts(address: str) -> list[dict[str, Any]]:
    """What of the host application may be seen, and how much of it."""
    project = {"params": {"project_id": {"type": "uuid"}}}
    return [
        {
            "name": "kelda",
            "base_url": address,
            "reads": [
                {"name": "room", "path": "/api/projects/{project_id}", "fields": SCALE, "clean": CLEAN, **project},
                {"name": "result", "path": "/api/projects/{project_id}/result", "at": "result", **project,
                 "fields": [*VALUES, "max_error", "agreement", "experts"]},
                {"name": "rooms", "path": "/api/projects", "list": {"at": "items"}, "fields": ["id", "name"], "at_gate": False},
                {"name": "estimates", "path": "/api/projects/{project_id}/estimates", "list": {"at": "items", "cap": 50}, **project,
                 "in_hybrid": False, "fields": ["expert", "position", *VALUES], "clean": {"expert": 80, "position": 80}},
            ],
        }
    ]  # fmt: skip


def play(stage: Stage) -> None:
    """Build, break a build, then ask."""
    host = Host()
    with ScriptedModel(rules=RULES) as model, served(host.app(), stage.host_port) as address, tempfile.TemporaryDirectory() as place:
        model.translations = {CZECH: TRANSLATED}
        settings = {"name": "Kelda", "recipe": "headings-500-50-c-a2", "hosts": hosts(address)}
        with stage.lent(model, "chat", "translate"), stage.assistant(SLUG, "docs", **settings) as docs:
            path = f"/assistants/{docs['id']}"
            try:
                _built(stage, path, Path(place) / "docs")
                _asked(stage, path, model)
                _hidden(stage, path, model)
                _room(stage, path, model, host)
                _modes(stage, path, model, host)
            finally:
                _forget(stage)


def _forget(stage: Stage) -> None:
    for notebook in stage.api.everything("/notebooks"):
        if notebook["title"] == "Corpus: kelda":
            stage.forget_notebook(notebook["id"])


def _build(stage: Stage, file: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """`sourcebook corpus build`, as a maintainer runs it."""
    env = {**os.environ, "SOURCEBOOK_URL": stage.api.url, "SOURCEBOOK_TOKEN": stage.api.token}
    command = [sys.executable, "-m", "sourcebook", "corpus", "build", str(file), *options]
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=False)
    for line in [*done.stderr.splitlines()[-2:], *done.stdout.splitlines()]:
        stage.say(f"     {line}")
    return done


def _built(stage: Stage, path: str, folder: Path) -> None:
    stage.part("The documentation is built beside what answers, and swapped in")
    shutil.copytree(FOLDER, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    stage.expect("what is committed is fresh", _build(stage, FOLDER / "corpus.toml", "--check").returncode == 0)
    stage.expect("it builds", _build(stage, folder / "corpus.toml").returncode == 0)
    held = {one["meta"]["path"]: one for one in stage.api.everything(f"{path}/sources") if one["state"] == "given"}
    layers = [one["meta"]["layer"] for one in held.values()]
    stage.expect(f"{layers.count('public')} public and {layers.count('local')} local pages", layers.count("public") >= 25, layers)
    stage.expect("three engineering pages are left out, the page on the assistant is in", "assistant/how-it-works.md" in held
                 and not [name for name in held if name.startswith("engineering")], sorted(held))  # fmt: skip
    stage.expect(
        "a local page has no address", all(bool(one["meta"].get("url")) == (one["meta"]["layer"] == "public") for one in held.values())
    )

    page = folder / "public" / "method" / "agreement.md"
    before = page.read_text("utf-8")
    page.write_text(before + '\n--8<-- "engineering/secrets.md"\n', "utf-8")
    refused = _build(stage, folder / "corpus.toml")
    stage.expect(
        "a page that pulls an excluded one in fails the build", refused.returncode == 1 and "excluded" in refused.stderr, refused.stderr
    )
    page.write_text(before + "\nA level is a description, not a mark.\n", "utf-8")
    broken = folder / "public" / "broken.md"
    broken.write_bytes(b"# Broken\n\nNothing\0here.\n")
    refused = _build(stage, folder / "corpus.toml")
    now = {one["id"] for one in stage.api.everything(f"{path}/sources") if one["state"] == "given"}
    stage.expect("a page that cannot be read fails it too", refused.returncode == 1 and "broken.md" in refused.stderr, refused.stderr)
    stage.expect("and the assistant keeps what it had", now == {one["id"] for one in held.values()})
    broken.unlink()
    again = _build(stage, folder / "corpus.toml")
    now = {one["id"] for one in stage.api.everything(f"{path}/sources") if one["state"] == "given"}
    kept = now & {one["id"] for one in held.values()}
    stage.expect(
        "then only the changed page is new", again.returncode == 0 and len(now) == len(held) and len(kept) == len(held) - 1, again.stdout
    )


def _asked(stage: Stage, path: str, model: ScriptedModel) -> None:
    stage.part("Questions in Czech and English")
    model.forget()
    answer = stage.ask(path, CZECH)
    translations, (chat,) = model.chats(TRANSLATE), model.chats()
    stage.expect(
        "one call translated it, at temperature 0", [one.body.get("temperature") for one in translations] == [0.0], len(translations)
    )
    stage.expect(
        "three passages and the question as it was asked went to the writing model",
        len(chat.passages) == 3 and CZECH in chat.prompt,
        chat.prompt,
    )
    stage.expect("its instructions name Czech", "Czech" in chat.messages[0]["content"])
    cited = answer["citations"][0] if answer["citations"] else {}
    stage.expect(
        "the answer cites the page on the compromise", cited.get("heading") == "The best compromise > Definition", answer["citations"]
    )
    stage.expect("no caption reached the writing model", WORD_OF_A_CAPTION not in chat.everything)
    model.forget()
    answer = stage.ask(path, ENGLISH)
    checks = answer["checks"]
    stage.expect("an English question is not translated", not model.chats(TRANSLATE))
    stage.expect("and nothing of the question before is kept here", CZECH not in model.chats()[-1].everything)
    stage.expect("a number that stands nowhere is flagged", checks["ungrounded_numbers"] == ["77"], checks)
    stage.expect(
        "and so is a mark that names no passage; the answer stays as it is",
        not checks["citations_valid"] and "77 [9]" in answer["answer"],
        checks,
    )
    found = stage.api.post(f"{path}/ask", {"question": f"What is {WORD_OF_A_CAPTION}?"}, Accept=JSON)
    prompt = model.chats()[-1]
    stage.expect(
        "a caption's word finds its passage",
        any("Aldersey" in text for text in prompt.passages.values()),
        [found["answer"], prompt.passages],
    )


def _hidden(stage: Stage, path: str, model: ScriptedModel) -> None:
    stage.part("Sources hidden by a setting")
    model.forget()
    stage.api.patch(path, {"profile_settings": {"citations": {"sources": "hidden"}}})
    frames = stage.api.stream(f"{path}/ask", {"question": CZECH}, SSE)
    said = "".join(token["text"] for token in frames.of("token"))
    stage.show(CZECH, said)
    stage.expect("no mark reaches the reader, streamed or whole", "[" not in said and said == frames.last["answer"], frames.last)
    whole = "".join(str(event.said) for event in frames.events)
    stage.expect("and no title, heading or quote", "compromise" not in whole.casefold() and not frames.last["citations"], whole)
    stage.expect("the model was asked the very same", "halfway between" in model.chats()[-1].prompt)
    stage.api.patch(path, {"profile_settings": {"citations": {"sources": None}}})


def _ask(stage: Stage, path: str, question: str, room: str, name: str = "ada") -> dict[str, Any]:
    """Ask about a room, as this person."""
    return stage.ask(path, question, {"X-Host-Authorization": f"Bearer {name}-token"}, context={"project_id": room})


def _room(stage: Stage, path: str, model: ScriptedModel, host: Host) -> None:
    stage.part("A question on the asker's own room")
    model.forget()
    host.log.clear()
    question = "What does the result of my own room mean?"
    answer = _ask(stage, path, question, WALL)
    prompt, everything = model.chats()[-1].prompt, model.chats()[-1].everything
    stage.expect(
        "the host was read with the asker's token, and only read",
        {(method, token) for method, _, token in host.log} == {("GET", "ada-token")},
        host.log,
    )
    stage.expect(
        "name, result and estimates reached the model",
        all(word in prompt for word in ("Harbour wall", "14.1667", "Ada Brock", "town planner")),
        prompt,
    )
    stage.expect("mail addresses, ids and pictures did not", not [word for word in CANARIES if word in everything])
    stage.expect("who hides is left out of the list", "Cyril" not in prompt and "Ben Okoro" in prompt)
    stage.expect("a typed text stays on one line and cannot end its block", "</data>" not in prompt and "Ignore all rules" in prompt)
    wrong = answer["checks"]["ungrounded_numbers"]
    stage.expect("14.2 is a rounded number of the result, 17 is nobody's", wrong == ["17"], answer["checks"])
    model.forget()
    _ask(stage, path, "How many visitors will the fair have?", CROWD)
    stage.expect(
        "of 60 estimates 50 are told, and how many more there are",
        "Guest 49" in model.chats()[-1].prompt and "10 more" in model.chats()[-1].prompt,
    )
    model.forget()
    refused = stage.refusal(lambda: _ask(stage, path, question, WALL, "eva"))
    stage.expect(
        "a room that Eva may not open is refused as the host refuses it",
        refused and (refused.status, refused.code) == (404, "host_refused"),
        refused,
    )
    stage.expect("before any model was called", not model.requests, len(model.requests))


def _modes(stage: Stage, path: str, model: ScriptedModel, host: Host) -> None:
    stage.part("The model looks things up itself, where the setting says so")
    question = "Please look around: how far are we?"
    refused = stage.refusal(lambda: stage.api.post(f"{path}/ask", {"question": question, "mode": "agent"}))
    stage.expect("nobody who asks can choose that", refused and refused.status == 422, refused)
    for mode in ("hybrid", "agent"):
        stage.api.patch(path, {"profile_settings": {"answer": {"mode": mode}}})
        model.forget()
        host.log.clear()
        answer = _ask(stage, path, question, WALL)
        first, last = model.chats()[0], model.chats()[-1]
        stage.expect(f"{mode}: it was offered tools that only read", {"search", "rooms", "estimates"} <= set(first.tools), first.tools)
        handed = ("14.1667" in first.prompt, "Ada Brock" in first.prompt)
        stage.expect(f"{mode}: what it was handed before", handed == (mode == "hybrid", False), first.prompt)
        was_read = [path for _, path, _ in host.log if path == "/api/projects"]
        is_refused = len(model.chats()) == 3 and not last.tools and not was_read
        stage.expect(f"{mode}: of five uses the fifth was refused, and the last turn had no tools", is_refused, [was_read, last.tools])
        stage.expect(f"{mode}: an answer comes, its numbers found", answer["checks"]["numbers_grounded"], answer["checks"])
    stage.expect("the host was only read", {method for method, _, _ in host.log} == {"GET"}, host.log)


if __name__ == "__main__":
    run(play)
