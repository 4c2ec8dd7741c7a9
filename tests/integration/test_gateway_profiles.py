"""Profiles through the gateway: shown by purpose, set on a notebook field by field, and what they take in at the door."""

import io
from collections.abc import Iterator
from pathlib import Path

import pypdfium2
import pytest

from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import TestPostgres


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    folder: Path = tmp_path_factory.mktemp("profiles")
    with whole_gateway(postgres, folder) as (_, made, _url):
        yield made


def made(api: Api, profile: str, **settings: object) -> str:
    found = api.post("/notebooks", {"title": "One", "profile": profile, "profile_settings": settings or None})
    assert found.status_code == 201, found.text
    return str(found.json()["id"])


def pdf() -> bytes:
    document = pypdfium2.PdfDocument.new()
    document.new_page(200, 200)
    out = io.BytesIO()
    document.save(out)
    return out.getvalue()


def test_profiles_are_shown_by_purpose_with_every_field_described(api: Api) -> None:
    items = api.get("/profiles").json()["items"]
    assert [one["name"] for one in items] == ["notebook", "docs", "help", "persona", "product"]
    for one in items:
        assert one["purpose"] and one["sentence"] and one["needs"] and one["schema"]["properties"]["answer"]["description"]
    assert items[1]["defaults"]["answer"]["max_tokens"] == 800 and "name" not in items[1]["defaults"]


def test_fields_of_a_profile_are_put_into_those_set_before_and_null_takes_one_back(api: Api) -> None:
    notebook = made(api, "docs", answer={"max_tokens": 500})
    first = api.patch(f"/notebooks/{notebook}", {"profile_settings": {"prompt": {"pinned": ["One fact."]}}}).json()
    assert first["profile_settings"] == {"version": 1, "answer": {"max_tokens": 500}, "prompt": {"pinned": ["One fact."]}}
    second = api.patch(f"/notebooks/{notebook}", {"profile_settings": {"answer": {"max_tokens": None}}}).json()
    assert second["profile_settings"] == {"version": 1, "prompt": {"pinned": ["One fact."]}} and second["profile"] == "docs"
    moved = api.patch(f"/notebooks/{notebook}", {"profile": "help"}).json()
    assert moved["profile"] == "help" and moved["profile_settings"]["prompt"] == {"pinned": ["One fact."]}
    assert api.get(f"/notebooks/{notebook}").json()["profile_settings"] == moved["profile_settings"]
    wrong = refused(api.patch(f"/notebooks/{notebook}", {"profile_settings": {"answer": {"temperature": 9}}}), 422, "invalid_field")
    assert "profile.answer.temperature" in wrong["message"]
    assert api.get(f"/notebooks/{notebook}").json()["profile_settings"] == moved["profile_settings"]
    assert refused(api.post("/notebooks", {"profile_settings": {"answer": {"no": 1}}}), 422, "invalid_field")
    assert refused(api.patch(f"/notebooks/{notebook}", {"profile_settings": {"prompt": {"audience": "a\x00b"}}}), 422, "invalid_field")


def test_a_persona_takes_markdown_and_text_and_says_why_it_takes_no_pdf(api: Api) -> None:
    # S3-01, S3-03, C1: by the bytes, whatever the name says.
    persona = made(api, "persona")
    assert api.upload(persona, ("a.md", b"# Notes\nThe mill closed.\n")).status_code == 202
    for name in ("a.pdf", "a.txt"):
        told = refused(api.upload(persona, (name, pdf())), 415, "unsupported_kind")
        assert "PDF" in told["message"] and "Markdown" in told["message"] and "without a sign" in told["message"]
    assert (
        "web pages"
        in refused(api.post(f"/notebooks/{persona}/sources", {"url": "https://example.org/"}), 415, "unsupported_kind")["message"]
    )
    mixed = api.upload(persona, ("b.md", b"# B\nWords.\n"), ("b.pdf", pdf()))
    assert mixed.status_code == 207 and [bool(one.get("error")) for one in mixed.json()["items"]] == [False, True]


def test_a_persona_takes_two_mebibytes_and_not_a_byte_more(api: Api) -> None:
    # S3-01, A2; pasted and uploaded alike (S3-24).
    persona = made(api, "persona")
    line = b"The water mill of Lindow was closed.\n"
    raw = (line * (2_097_152 // len(line) + 1))[:2_097_152]
    assert api.upload(persona, ("full.txt", raw)).status_code == 202
    refused(api.upload(persona, ("over.txt", raw + b".")), 413, "too_large")
    refused(api.post(f"/notebooks/{persona}/sources", {"text": (raw + b".").decode()}), 413, "too_large")


def test_a_documentation_takes_no_picture_and_reads_text_layers_alone(api: Api) -> None:
    # C2, C29, S0-12.
    docs = made(api, "docs")
    png = b"\x89PNG\r\n\x1a\n" + b"\x00" * 64
    assert "pictures" in refused(api.upload(docs, ("a.png", png)), 415, "unsupported_kind")["message"]
    added = api.upload(docs, ("a.pdf", pdf()), capture="vision")
    assert added.status_code == 202 and added.json()["items"][0]["source"]["capture"] == "text"
    assert api.get("/sources?limit=1").status_code == 200


def test_sources_of_the_library_are_held_to_the_same_rule(api: Api) -> None:
    notebook, persona = made(api, "notebook"), made(api, "persona")
    source = api.upload(notebook, ("c.pdf", pdf())).json()["items"][0]["source"]
    told = refused(api.put(f"/notebooks/{persona}/sources/{source['id']}", {"grant": "given"}), 415, "unsupported_kind")
    assert "PDF" in told["message"]
    assistant = api.post("/assistants", {"name": "Mara", "profile": "persona"}).json()["id"]
    refused(api.put(f"/assistants/{assistant}/sources/{source['id']}", {}), 415, "unsupported_kind")
    refused(api.put(f"/assistants/{assistant}/sources", {"source_ids": [source["id"]]}), 415, "unsupported_kind")
