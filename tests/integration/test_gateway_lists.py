"""Lists at their edges: limits and cursors of every list route, names of any script and length, an order that never wavers."""

import base64
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import orjson
import pytest

from sourcebook_core import settings as core_settings
from sourcebook_gateway.app import create_app
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import TestPostgres

BAD_LIMITS = ("-1", "0", "1000000000", "9" * 40, "1.5", "ten", "")
FORGED: tuple[Any, ...] = (
    "forged", "=", "%00", "x" * 301, ["2026-01-01", "no uuid"], ["2026-01-01"], {"at": 1}, 7, [None, None], [1e308, str(uuid4())],
    ["2026-01-01T00:00:00", 5], ["' or 1=1 --", str(uuid4())], ["99999-01-01T00:00:00+00:00", str(uuid4())],
)  # fmt: skip
EXTREME = ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00")
NAMES = [
    "İstanbul",
    "istanbul",
    "ISTANBUL",
    "ıstanbul",
    "Straße",
    "STRASSE",
    "é" * 300,
    "x" * 300,
    "\u202eright to left",
    "中文",
    "Σίσυφος",
    "🦆",
]


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with whole_gateway(postgres, tmp_path_factory.mktemp("lists")) as (_, client, _url):
        yield client


def _lists() -> list[tuple[str, set[str]]]:
    """Every GET route that takes a limit or a cursor, with the names it takes."""
    paths = create_app(core_settings.load({})).openapi()["paths"]
    named = {
        path: {one["name"] for one in ways["get"].get("parameters", [])} & {"limit", "cursor"}
        for path, ways in paths.items()
        if "get" in ways
    }
    return [(path.removeprefix("/api/v1"), names) for path, names in named.items() if names]


def _signed(value: Any) -> str:
    return value if isinstance(value, str) else base64.urlsafe_b64encode(orjson.dumps(value)).decode().rstrip("=")


def test_every_list_refuses_limits_out_of_bounds_and_cursors_that_no_list_gave(api: Api) -> None:
    notebook = api.notebook()
    assistant = api.post("/assistants", {"name": "Lists"}).json()["id"]
    ids = {"notebook_id": notebook, "source_id": api.text(notebook)["id"], "assistant_id": assistant}
    lists = _lists()
    assert {"/notebooks", "/sources", "/notebooks/{notebook_id}/misses", "/admin/misses"} <= {path for path, _ in lists}
    for path, names in lists:
        path = path.format(**ids)
        if "limit" in names:
            for limit in BAD_LIMITS:
                refused(api.get(path, params={"limit": limit}), 422, "invalid_field")
        if "cursor" in names:
            for forged in FORGED:
                refused(api.get(path, params={"cursor": _signed(forged)}), 422, "invalid_field")
            for at in EXTREME:
                answer = api.get(path, params={"cursor": _signed([at, str(uuid4())])})
                assert answer.status_code in (200, 422), (path, at, answer.text)


def test_a_search_asked_for_no_less_than_nothing_or_a_billion_is_refused(api: Api) -> None:
    notebook = api.notebook()
    for k in (-1, 0, 51, 10**9, 10**40, 1.5):
        for path in ("/search", f"/notebooks/{notebook}/search"):
            refused(api.post(path, {"query": "lake", "k": k}), 422, "invalid_field")


def test_a_question_in_which_nothing_can_be_seen_is_empty(api: Api) -> None:
    notebook = api.notebook()
    for unseen in ("\u200b", "\u2060 \u200d", "\ufeff\u202e", "\u3000"):
        for path, name in (
            ("/search", "query"),
            (f"/notebooks/{notebook}/questions", "question"),
            (f"/notebooks/{notebook}/ask", "question"),
        ):
            assert "empty" in refused(api.post(path, {name: unseen}), 422, "invalid_field")["message"]


def test_names_of_any_script_and_length_keep_one_order_over_every_page(api: Api) -> None:
    made = [api.notebook(name) for name in NAMES]
    for size in (1, 5, 200):
        for _ in range(2):
            seen, params = [], {"limit": size}
            while True:
                page = api.get("/notebooks", params=params).json()
                seen += [(one["id"], one["title"]) for one in page["items"]]
                if page["next_cursor"] is None:
                    break
                params = {"limit": size, "cursor": page["next_cursor"]}
            ours = [one for one in seen if one[0] in made]
            assert ours == list(zip(made, NAMES, strict=True))[::-1]
    refused(api.post("/notebooks", {"title": "x" * 301}), 422, "invalid_field")


def test_sources_of_such_names_are_kept_to_the_letter_and_listed_in_one_order(api: Api) -> None:
    notebook = api.notebook()
    made = [api.text(notebook, f"Text number {n}.", title=name)["id"] for n, name in enumerate(NAMES)]
    for path in (f"/notebooks/{notebook}/sources", "/sources"):
        first, again = (api.get(path).json()["items"] for _ in range(2))
        assert [one["id"] for one in first] == [one["id"] for one in again]
        told = {one["id"]: one["title"] for one in first}
        assert [told[one] for one in made] == NAMES
