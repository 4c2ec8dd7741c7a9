"""Sites at the door: what is taken, what a look tells, and what deleting one leaves."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.website import Answer, Website, article, sitemap
from tests.integration.gateway_rig import Api, refused, whole_gateway
from tests.rig import PATIENT, TestPostgres, until_sync
from tests.site_rig import serve


@pytest.fixture(scope="module")
def site() -> Iterator[Website]:
    """A website on this machine."""
    with Website() as started:
        yield started


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory, site: Website) -> Iterator[Api]:
    """A gateway with a worker, which may fetch from the site."""
    settings = {"URL_ALLOW": site.place, "SITE_PAUSE_S": "0.01", "SITE_PAGES": "5"}
    with whole_gateway(postgres, tmp_path_factory.mktemp("sites"), **settings) as (processes, owner, _):
        processes.environment |= {f"SOURCEBOOK_{name}": value for name, value in settings.items()}
        processes.start("ingest", **PATIENT)
        yield owner


def looked(api: Api, site_id: str) -> dict[str, Any]:
    """The site once its look has ended."""

    def found() -> dict[str, Any] | None:
        row: dict[str, Any] = api.get(f"/sites/{site_id}").json()
        return row if row["status"] in ("ready", "failed") else None

    return until_sync(found, 60, "the end of the look") or {}


def test_a_site_is_added_looked_at_planned_and_forgotten_and_its_sources_stay(api: Api, site: Website) -> None:
    serve(site, "a", "b")
    notebook = api.notebook()
    added = api.post(f"/notebooks/{notebook}/sites", {"url": site.url("/sitemap.xml"), "refresh_hours": 24})
    assert added.status_code == 202, added.text
    found = looked(api, added.json()["id"])
    assert (found["status"], found["report"]["added"], found["look_again_at"] > found["looked_at"]) == ("ready", 2, True)
    items = api.get(f"/notebooks/{notebook}/sources").json()["items"]
    assert {item["id"] for item in items} == {item["source_id"] for item in found["report"]["items"]}
    assert {item["site_id"] for item in items} == {found["id"]}
    site.pages |= {"/c": Answer(article("c").encode()), "/sitemap.xml": Answer(sitemap((site.url("/c"), None)))}
    again = api.post(f"/notebooks/{notebook}/sites", {"url": site.url("/sitemap.xml")})
    assert (again.status_code, again.json()["id"], again.json()["refresh_hours"]) == (200, found["id"], None)
    assert {name: looked(api, found["id"])["report"][name] for name in ("added", "vanished")} == {"added": 1, "vanished": 2}
    planned = api.patch(f"/sites/{found['id']}", {"refresh_hours": 1}).json()
    assert (planned["refresh_hours"], planned["look_again_at"] is not None) == (1, True)
    assert api.patch(f"/sites/{found['id']}", {"refresh_hours": None}).json()["look_again_at"] is None
    assert [one["id"] for one in api.get(f"/notebooks/{notebook}/sites").json()["items"]] == [found["id"]]
    assert api.delete(f"/sites/{found['id']}").status_code == 204
    refused(api.get(f"/sites/{found['id']}"), 404, "not_found")
    left = api.get(f"/notebooks/{notebook}/sources").json()["items"]
    assert (len(left), {item["site_id"] for item in left}) == (3, {None})


def test_a_list_is_looked_at_when_somebody_asks_and_goes_into_the_trash_with_its_notebook(api: Api, site: Website) -> None:
    serve(site, "d")
    notebook = api.notebook()
    body = {"addresses": [site.url("/d"), "ftp://x.org/"]}
    made = api.post(f"/notebooks/{notebook}/sites", body, headers={"Idempotency-Key": "k"}).json()
    assert api.post(f"/notebooks/{notebook}/sites", body, headers={"Idempotency-Key": "k"}).json()["id"] == made["id"]
    assert looked(api, made["id"])["report"]["refused"] == {"url_scheme": 1}
    assert api.post(f"/sites/{made['id']}/look").status_code == 202
    assert looked(api, made["id"])["report"]["known"] + looked(api, made["id"])["report"]["again"] == 1
    assert api.delete(f"/notebooks/{notebook}").status_code == 204
    refused(api.get(f"/sites/{made['id']}"), 404, "not_found")
    refused(api.post(f"/sites/{made['id']}/look"), 404, "not_found")
    refused(api.get(f"/notebooks/{notebook}/sites"), 404, "not_found")
    api.post(f"/notebooks/{notebook}/restore")
    assert api.get(f"/sites/{made['id']}").json()["id"] == made["id"]


def test_a_site_is_added_from_the_command_line(api: Api, site: Website, tmp_path: Path) -> None:
    serve(site, "e", "f")
    own = {name: value for name, value in os.environ.items() if not name.startswith("SOURCEBOOK_")}
    own |= {"SOURCEBOOK_URL": api.address, "SOURCEBOOK_TOKEN": str(api.token)}
    command = [sys.executable, "-m", "sourcebook", "add", site.url("/sitemap.xml"), "--site", "--notebook", "Lakes", "--wait"]
    ran = subprocess.run(command, capture_output=True, text=True, env=own, cwd=tmp_path, check=False)
    assert (ran.returncode, "2 addresses, 2 added, 0 known" in ran.stderr) == (0, True), ran.stderr
    ran = subprocess.run(
        [*command[:4], "http://10.0.0.1/", *command[5:]], capture_output=True, text=True, env=own, cwd=tmp_path, check=False
    )
    assert (ran.returncode, "public web page" in ran.stderr) == (1, True), ran.stderr


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({}, "invalid_field"), ({"url": "nothing.example"}, "invalid_field"), ({"url": "http://10.0.0.1/"}, "url_not_public"),
        ({"url": "file:///etc"}, "url_scheme"), ({"url": "https://example.org", "max_pages": 6}, "invalid_field"),
        ({"url": "https://example.org", "max_pages": 0}, "invalid_field"), ({"addresses": []}, "invalid_field"),
        ({"addresses": ["https://example.org"] * 6}, "invalid_field"),
        ({"url": "https://example.org", "refresh_hours": 0}, "invalid_field"),
    ],
)  # fmt: skip
def test_what_is_no_site_is_refused_at_the_door(api: Api, body: dict[str, Any], code: str) -> None:
    refused(api.post(f"/notebooks/{api.notebook()}/sites", body), 422, code)
