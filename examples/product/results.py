"""The assistant for completed evaluations: a model that looks things up with bounded, read-only tools of the evaluation host."""

from __future__ import annotations

from typing import Any

from examples.product.host import FOREIGN, MINE, Host
from examples.scripted_model import Asked, Rule, ScriptedModel
from examples.stage import JSON, NDJSON, Stage

REJECTED = "This fit was rejected: it says why it was excluded, and supports no conclusion on binding."
COMPUTED = ["name", "concentration_nm", "contact_s", "share_bound_percent"]
PLOTS = "The pixels of plots were not seen."
RULES = [
    Rule(
        "scrambled",
        "K7 scrambled was rejected: the response stayed below 5 units, and the residuals show a pattern.",
        ((("entities", {}),), (("rejection", {"number": 3}), ("response", {"number": 3}))),
    ),
    Rule(
        "longer contact",
        "With 50 nM for 120 s, 63.5 percent of K7 wild type would be bound.",
        ((("what_if", {"number": 1, "concentration_nm": 50, "contact_s": 120}),),),
    ),
    Rule(
        "somebody else",
        "I can only see this evaluation.",
        ((("fit", {"evaluation_id": FOREIGN, "number": 1}), ("what_if", {"number": 1, "concentration_nm": 1e9, "contact_s": 120})),),
    ),
    Rule(
        "everything",
        "The wild type binds with a constant of 12.4 nM.",
        ((("fit", {"number": 1, "note": "x" * 3000}),), (("fit", {"number": 1}),)),
        True,
    ),
]


def hosts(address: str) -> list[dict[str, Any]]:
    """What may be read of an evaluation; its id is fixed by where the asker is."""
    one = {"evaluation_id": {"type": "uuid"}, "number": {"type": "integer", "min": 1, "max": 99, "description": "Number of the entity."}}
    whole, part = "/api/evaluations/{evaluation_id}", "/api/evaluations/{evaluation_id}/entities/{number}"
    marks = [{"field": "status", "equals": "rejected", "says": REJECTED}]
    evaluation = {"evaluation_id": {"type": "uuid"}}
    amount = {"type": "number", "min": 0.1, "max": 10_000, "description": "Concentration in nM."}
    contact = {"type": "number", "min": 1, "max": 3600, "description": "Contact time in s."}
    return [
        {
            "name": "evaluations",
            "base_url": address,
            "reads": [
                {"name": "evaluation", "path": whole, "params": evaluation, "fields": ["title", "state", "finding"]},
                {"name": "entities", "path": f"{whole}/entities", "params": evaluation, "fields": ["number", "name", "status"],
                 "list": {"at": "items", "cap": 50}, "marks": marks, "at_gate": False},
                {"name": "fit", "path": f"{part}/fit", "params": one, "fields": ["name", "status", "kd_nm", "on_rate", "off_rate", "mark"],
                 "marks": marks, "at_gate": False},
                {"name": "response", "path": f"{part}/response", "params": one, "fields": ["name", "status", "peak"], "notes": [PLOTS],
                 "marks": marks, "at_gate": False},
                {"name": "rejection", "path": f"{part}/rejection", "params": one, "fields": ["name", "status", "why"], "at_gate": False},
            ],
            "what_if": [
                {"name": "what_if", "path": f"{whole}/what-if/{{number}}", "fields": COMPUTED,
                 "params": {**one, "concentration_nm": amount, "contact_s": contact}},
            ],
        }
    ]  # fmt: skip


def play(stage: Stage, path: str, model: ScriptedModel, host: Host) -> None:
    """Ask about one evaluation."""
    stage.part("Completed results: the model looks things up")
    frames, asked = _ask(stage, path, model, "Why was the scrambled peptide excluded?")
    said = "\n".join(asked[-1].results)
    stage.expect("a list, then a rejection and a response were read", len(asked) == 3 and "residuals show a pattern" in said, said)
    stage.expect("what was rejected is marked so, and no plot was seen", REJECTED in said and PLOTS in said, said)
    stage.expect("the whole answer comes at the end", not frames.of("token") and frames.last["finish"] == "complete", frames.last)
    stage.expect("its numbers stand in what was read", frames.last["checks"]["numbers_grounded"], frames.last["checks"])
    stage.expect("the host was only read, with the asker's token", {(m, t) for m, _, t in host.log} == {("GET", "lena-token")}, host.log)

    frames, _ = _ask(stage, path, model, "What if I used a longer contact with the wild type?")
    stage.expect("the what-if was computed by the host", frames.last["checks"]["numbers_grounded"], frames.last)

    host.log.clear()
    frames, asked = _ask(stage, path, model, "And the evaluation of somebody else?")
    said = "\n".join(asked[-1].results)
    stage.expect("another evaluation cannot be chosen", not [one for one in host.log if FOREIGN in one[1]], host.log)
    stage.expect(
        "a value out of its range is refused before the host is asked", "from 0.1 to 10000" in said and "what-if" not in str(host.log), said
    )

    stage.part("Budgets exhausted on purpose")
    frames, asked = _ask(stage, path, model, "Read everything again and again: how strong is the wild type?")
    uses = sum(len(one.results) for one in asked[-2:-1])
    stage.expect("a use with too long arguments is refused", "too long" in str(asked[1].results), asked[1].results)
    stage.expect(
        f"after {uses} uses the last turn has no tools", uses <= 4 and asked[-2].tools and not asked[-1].tools, [one.tools for one in asked]
    )
    stage.expect("and an answer comes", "12.4" in frames.last["ai_message"] and frames.last["finish"] == "complete", frames.last)

    model.forget()
    refused = stage.refusal(lambda: _post(stage, path, "What is in it?", "omar-token"))
    stage.expect(
        "an evaluation of others is refused as the host refuses it",
        refused and (refused.status, refused.code) == (404, "host_refused"),
        refused,
    )
    stage.expect("before any model was called", not model.requests)


def _post(stage: Stage, path: str, question: str, token: str) -> Any:
    body = {"question": question, "context": {"evaluation_id": MINE}}
    return stage.api.post(f"{path}/ask", body, Accept=JSON, **{"X-Host-Authorization": f"Bearer {token}"})


def _ask(stage: Stage, path: str, model: ScriptedModel, question: str) -> tuple[Any, list[Asked]]:
    """The stream's events, and the model's requests for this answer."""
    model.forget()
    body = {"question": question, "context": {"evaluation_id": MINE}}
    frames = stage.api.stream(f"{path}/ask", body, NDJSON, {"X-Host-Authorization": "Bearer lena-token"})
    stage.show(question, str(frames.last.get("ai_message") or frames.last))
    return frames, model.chats()
