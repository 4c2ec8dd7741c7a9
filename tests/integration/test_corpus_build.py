"""`sourcebook corpus build` against a real server: what it adds, keeps, refuses and leaves alone."""

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sourcebook.client import Client
from sourcebook.corpus import build as building
from sourcebook.corpus import plan
from sourcebook.stack.errors import StackError
from tests.integration.gateway_rig import Api, working_gateway
from tests.rig import TestPostgres, until_sync

TOML = '[corpus]\nname = "lamp"\nassistant = "lamp-help"\ncaptions = "captions"\n[[layer]]\nname = "public"\nroot = "public"\n'
PATIENCE_S = 60


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with working_gateway(postgres, tmp_path_factory.mktemp("corpus")) as (_, api, _url):
        yield api


@pytest.fixture
def client(api: Api) -> Iterator[Client]:
    with Client(api.address, str(api.token)) as made:
        yield made


@pytest.fixture
def file(tmp_path: Path) -> Path:
    (tmp_path / "public").mkdir()
    for name in ("use", "care"):
        (tmp_path / "public" / f"{name}.md").write_text(f"# {name.title()}\n\nHow to {name} the lamp.\n", "utf-8")
    (tmp_path / "corpus.toml").write_text(TOML, "utf-8")
    return tmp_path / "corpus.toml"


def build(client: Client, file: Path, patience_s: float = PATIENCE_S) -> building.Built:
    return building.build(client, plan.load(file), lambda line: None, patience_s=patience_s)


def given(api: Api, assistant: str) -> dict[str, str]:
    items = api.get(f"/assistants/{assistant}/sources").json()["items"]
    return {one["meta"]["path"]: one["id"] for one in items if one["state"] == "given"}


def test_a_corpus_is_built_beside_what_answers_and_only_what_changed_is_new(api: Api, client: Client, file: Path) -> None:
    with pytest.raises(StackError, match='no assistant "lamp-help"'):
        build(client, file)
    assistant = api.post("/assistants", {"name": "Lamp", "slug": "lamp-help", "profile": "docs", "recipe": "headings-500-50-c-a2"}).json()[
        "id"
    ]

    first = build(client, file)
    assert (first.in_use, first.added, first.removed, len(first.uncaptioned)) == (2, 2, 0, 2)
    before = given(api, assistant)
    assert sorted(before) == ["care.md", "use.md"]
    found = api.post(f"/assistants/{assistant}/ask", {"question": "How do I care for the lamp?"}).json()
    assert [source["title"] for source in found["sources"]] == ["Care"]

    lacking = {one["page"]: one for one in first.uncaptioned}["public/use.md"]
    captions = file.parent / "captions" / "public" / "use.md.json"
    captions.parent.mkdir(parents=True)
    captions.write_text(json.dumps({lacking["hash"]: "Ignition of the filament."}), "utf-8")
    (file.parent / "public" / "care.md").write_text("# Care\n\nNever wash the lamp.\n", "utf-8")
    second = build(client, file)
    after = given(api, assistant)
    assert (second.in_use, second.added, second.removed, len(second.uncaptioned)) == (2, 1, 1, 1)
    assert after["use.md"] == before["use.md"] and after["care.md"] != before["care.md"]

    def ignites() -> bool:
        titles = [one["title"] for one in api.post(f"/assistants/{assistant}/ask", {"question": "ignition"}).json()["sources"]]
        return titles == ["Use"]

    until_sync(ignites, 30, "the brought caption to be searched")
    assert build(client, file).added == 0

    captions.write_text(json.dumps({"0" * 64: "Of words that stand nowhere."}), "utf-8")
    with pytest.raises(StackError, match=r"None of the captions of public/use\.md is of one of its 1 chunks"):
        build(client, file)  # N-21
    assert given(api, assistant) == after
    captions.write_text(json.dumps({lacking["hash"]: "Ignition of the filament.", "0" * 64: "Of words that are gone."}), "utf-8")
    assert len(build(client, file).uncaptioned) == 1, "some missing are counted, and some too many are no fault"

    (file.parent / "public" / "more.md").write_text("# More\n\nAnother page.\n", "utf-8")
    with pytest.raises(StackError, match=r"Only . of 3 pages were ready in time"):
        build(client, file, patience_s=-1)
    assert given(api, assistant) == after, "what answers is left alone"
    with contextlib.suppress(StackError):
        build(client, file)
    assert sorted(given(api, assistant)) == ["care.md", "more.md", "use.md"]
