"""Profiles: the five with the numbers of the systems before them, what a holder may set otherwise, and versions."""

from typing import Any

import pytest
from pydantic import BaseModel

from sourcebook_core import profiles
from sourcebook_core.errors import RequestError
from sourcebook_core.profiles import PROFILES, Profile


def fields_of(model: type[BaseModel], path: str = "") -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        inner = field.annotation
        found[f"{path}{name}"] = field
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            found |= fields_of(inner, f"{path}{name}.")
    return found


def test_every_field_of_a_profile_says_what_it_is_where_it_is_declared() -> None:
    assert [path for path, field in fields_of(Profile).items() if not (field.description or "").strip()] == []
    schema = Profile.model_json_schema()
    parts = [(name, key, one) for name, part in schema["$defs"].items() for key, one in part.get("properties", {}).items()]
    bare = [f"{name}.{key}" for name, key, one in parts if not one.get("description")]
    assert bare == []


def test_the_five_profiles_answer_as_the_systems_before_them_did() -> None:
    # The conflict table C1 to C32: S1's values are the defaults.
    notebook, docs, helps, persona, product = (PROFILES[name] for name in ("notebook", "docs", "help", "persona", "product"))
    assert [one.answer.on_empty for one in PROFILES.values()] == [
        "model_with_list",
        "model_with_list",
        "canned",
        "silent",
        "low_confidence",
    ]
    assert (docs.answer.on_unavailable, helps.answer.on_unavailable, persona.answer.on_unavailable) == (
        "error",
        "lexical",
        "without_documents",
    )
    assert (docs.answer.temperature, docs.answer.max_tokens, notebook.answer.max_tokens) == (0.0, 800, None)  # C20
    assert (docs.citations.invalid, docs.citations.renumber, notebook.citations.invalid) == ("flag", False, "strip")  # C5, C27
    assert (persona.citations.sources, product.citations.none_valid, notebook.citations.none_valid) == ("line", "retrieved", "empty")
    assert (persona.prompt.document_names, docs.prompt.document_names, notebook.prompt.document_list) == ("none", "titles", True)  # C3
    assert (docs.conversation.store, product.conversation.ttl_s, helps.conversation.ttl_s) == ("client", 3600, None)  # C8
    assert (docs.conversation.max_messages, docs.conversation.max_chars) == (20, 6000)  # S0-41
    assert (docs.answer.translate_to, notebook.answer.translate_to) == ("en", None)  # C21
    assert (
        persona.ingest.kinds == ("markdown", "text") and persona.ingest.max_bytes == 2_097_152 and notebook.ingest.kinds is None
    )  # C1, A2
    assert "image" not in (docs.ingest.kinds or ()) and docs.ingest.capture == "text"  # C2, C29, S0-12
    assert (product.answer.on_disconnect, notebook.answer.on_disconnect) == ("cancel", "finish")  # B49
    assert helps.answer.max_passages_model == 4 and helps.answer.hides_refusal and helps.answer.without_model == "cards"  # S2-49, S2-31
    assert docs.answer.first_event_s == 90 and {one.answer.total_s for one in PROFILES.values()} == {180}  # S0-69


def test_a_holder_stores_only_what_differs_and_lists_are_replaced_as_a_whole() -> None:
    stored = profiles.merged({}, {"answer": {"max_tokens": 500}, "prompt": {"pinned": ["A small error is no agreement."]}})
    assert stored == {"version": 1, "answer": {"max_tokens": 500}, "prompt": {"pinned": ["A small error is no agreement."]}}
    made = profiles.of("docs", stored)
    assert (made.answer.max_tokens, made.answer.translate_to, made.prompt.pinned) == (500, "en", ("A small error is no agreement.",))
    assert profiles.of("docs", {}) is PROFILES["docs"] is profiles.of("docs", None)
    back = profiles.merged(stored, {"answer": {"max_tokens": None}, "prompt": None})
    assert back == {} and profiles.of("docs", back).answer.max_tokens == 800


@pytest.mark.parametrize(
    ("overrides", "field"),
    [
        ({"answer": {"max_tokens": 0}}, "profile.answer.max_tokens"),
        ({"answer": {"nothing": 1}}, "profile.answer.nothing"),
        ({"retrieval": {"pools": [{"name": "a", "k": 99}]}}, "profile.retrieval.pools.0.k"),
        ({"name": "persona"}, "profile.name"),
        ({"answer": 3}, "profile.answer"),
        ({"version": 2}, "profile.version"),
        ({"prompt": {"pinned": ["a\x00b"]}}, "profile"),
        ({"routing": {"pools": {"a\x00b": []}}}, "profile"),
    ],
)
def test_a_field_that_is_not_right_is_named(overrides: dict[str, Any], field: str) -> None:
    with pytest.raises(RequestError) as refused:
        profiles.of("docs", overrides)
    assert refused.value.status == 422 and refused.value.code == "invalid_field" and f"{field}:" in refused.value.message


def test_overrides_of_an_older_version_are_made_into_those_of_now() -> None:
    def renamed(given: dict[str, Any]) -> dict[str, Any]:
        length = given.pop("length")
        return {**given, "answer": {"max_tokens": length}}

    assert profiles.upgraded({"version": 1, "length": 5}, [renamed]) == {"answer": {"max_tokens": 5}}
    assert profiles.upgraded({"version": 2, "answer": {"max_tokens": 6}}, [renamed]) == {"answer": {"max_tokens": 6}}
