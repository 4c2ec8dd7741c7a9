"""Sign-in, notebooks, sources, errors: one real gateway over real Postgres and Redis, no workers."""

from collections.abc import Iterator

import httpx2
import pytest

from sourcebook.stack.bell import Bell
from tests.integration.gateway_rig import Api, owner_api, refused, whole_gateway
from tests.rig import Processes, TestPostgres


@pytest.fixture(scope="module")
def api(postgres: TestPostgres, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    with whole_gateway(postgres, tmp_path_factory.mktemp("basics")) as (_, client, _url):
        yield client


def test_a_link_signs_a_browser_in_once_and_its_session_needs_the_csrf_header(api: Api) -> None:
    link = api.post("/auth/links", {}).json()["url"]
    with httpx2.Client(base_url=api.address, timeout=60) as browser:
        _sign_in_and_out(api, link, browser)


def _sign_in_and_out(api: Api, link: str, browser: httpx2.Client) -> None:
    first = browser.get(link)
    cookies = " ".join(first.headers.get_list("set-cookie"))
    assert "sourcebook_session" in cookies and "HttpOnly" in cookies and "SameSite=lax" in cookies and "Secure" not in cookies
    assert httpx2.get(link, timeout=60).headers["location"] == "/sign-in?reason=link_used"
    assert httpx2.get(link + "x", timeout=60).headers["location"] == "/sign-in?reason=link_expired"
    me = browser.get("/api/v1/me").json()
    assert me["role"] == "owner" and me["csrf"] == browser.cookies["sourcebook_csrf"]
    refused(browser.post("/api/v1/notebooks", json={"title": "x"}), 403, "csrf_failed")
    headers = {"X-Sourcebook-CSRF": me["csrf"]}
    assert browser.post("/api/v1/notebooks", json={"title": "x"}, headers=headers).status_code == 201
    secret = browser.cookies["sourcebook_session"]
    assert browser.post("/api/v1/auth/logout", headers=headers).status_code == 204
    refused(httpx2.get(f"{api.address}/api/v1/me", headers={"Cookie": f"sourcebook_session={secret}"}, timeout=60), 401, "not_signed_in")


def test_a_token_signs_in_and_a_made_token_does_only_what_its_scopes_say(api: Api) -> None:
    made = api.post("/tokens", {"name": "reader", "scopes": ["read"]}, headers={"Idempotency-Key": "t1"})
    assert made.status_code == 201
    again = api.post("/tokens", {"name": "reader", "scopes": ["read"]}, headers={"Idempotency-Key": "t1"})
    refused(again, 409, "conflict")
    with api.other(made.json()["token"]) as reader:
        _read_and_no_more(api, reader, made)


def _read_and_no_more(api: Api, reader: Api, made: httpx2.Response) -> None:
    assert reader.get("/notebooks").status_code == 200
    refused(reader.post("/notebooks", {"title": "no"}), 403, "forbidden")
    refused(httpx2.post(f"{api.address}/api/v1/auth/login", json={"token": made.json()["token"]}, timeout=60), 403, "forbidden")
    writer = api.post("/tokens", {"name": "writer"}).json()["token"]
    assert httpx2.post(f"{api.address}/api/v1/auth/login", json={"token": writer}, timeout=60).json()["role"] == "owner"
    assert all("token" not in one for one in api.get("/tokens").json()["items"])
    assert api.delete(f"/tokens/{made.json()['id']}").status_code == 204
    refused(reader.get("/notebooks"), 401, "not_signed_in")


def test_a_session_can_do_what_the_token_behind_it_can_and_no_more(api: Api) -> None:
    lesser = api.post("/tokens", {"name": "manager", "scopes": ["read", "manage"]}).json()["token"]
    login = httpx2.post(f"{api.address}/api/v1/auth/login", json={"token": lesser}, timeout=60)
    with api.other(lesser) as manager:
        link = manager.post("/auth/links", {}).json()["url"]
    with (
        httpx2.Client(base_url=f"{api.address}/api/v1", timeout=60) as by_login,
        httpx2.Client(base_url=f"{api.address}/api/v1", timeout=60) as by_link,
    ):
        by_login.cookies.update(login.cookies)
        by_link.get(link)
        for browser in (by_login, by_link):
            assert browser.get("/notebooks").status_code == 200
            refused(browser.get("/admin/jobs"), 403, "forbidden")


def test_a_notebook_goes_to_the_trash_and_back(api: Api) -> None:
    notebook = api.notebook("Umlaute äöü")
    assert api.patch(f"/notebooks/{notebook}", {"title": "Second"}).json()["title"] == "Second"
    assert api.delete(f"/notebooks/{notebook}").status_code == 204
    refused(api.get(f"/notebooks/{notebook}"), 404, "not_found")
    assert notebook in [item["id"] for item in api.get("/trash").json()["items"]]
    assert api.post(f"/notebooks/{notebook}/restore").json()["title"] == "Second"
    assert notebook not in [item["id"] for item in api.get("/trash").json()["items"]]
    assert api.delete(f"/notebooks/{notebook}").status_code == 204
    assert api.delete(f"/trash/{notebook}").status_code == 204
    refused(api.post(f"/notebooks/{notebook}/restore"), 404, "not_found")


def test_the_same_text_is_the_same_source_and_links_at_once(api: Api) -> None:
    first, second = api.notebook("one"), api.notebook("two")
    source = api.text(first, title="Mill")
    assert source["status"] == "queued" and source["searchable"] == "none" and source["progress"]["step"] == "waiting"
    again = api.post(f"/notebooks/{second}/sources", {"text": "The mill closed in 1968.", "format": "markdown"})
    assert again.status_code == 200 and again.json()["items"][0]["source"]["id"] == source["id"]
    uploaded = api.upload(second, ("mill.txt", b"The mill closed in 1968."))
    assert uploaded.status_code == 200 and uploaded.json()["items"][0]["source"]["id"] == source["id"]
    assert api.get("/sources").json()["items"][0]["notebooks"] == 2
    paused = api.put(f"/notebooks/{second}/sources/{source['id']}", {"grant": "paused"}).json()
    assert paused["grant"] == "paused"
    assert api.delete(f"/notebooks/{second}/sources/{source['id']}").status_code == 204
    assert api.get(f"/notebooks/{second}/sources").json()["items"] == []
    assert api.get(f"/notebooks/{first}").json()["source_counts"] == {"total": 1, "ready": 0, "working": 1, "failed": 0}


def test_files_are_sniffed_and_each_is_answered_for_itself(api: Api) -> None:
    notebook = api.notebook()
    mixed = api.upload(
        notebook, ("a.md", b"# Title\n\ntext"), ("b.pdf", b"MZ\x90\x00\x03"), ("c.txt", b""), ("../../d.pdf", b"%PDF-1.7\n...")
    )
    assert mixed.status_code == 207
    items = mixed.json()["items"]
    assert [item["source"]["kind"] if "source" in item else item["error"]["code"] for item in items] == [
        "markdown", "unsupported_kind", "empty_file", "pdf",
    ]  # fmt: skip
    assert items[3]["source"]["file_name"] == "d.pdf" and "b.pdf" in items[1]["error"]["message"]
    assert refused(api.upload(notebook, ("x.rar", b"Rar!....")), 415, "unsupported_kind")
    refused(api.upload(notebook, ("x.txt", b"")), 422, "empty_file")
    refused(api.upload(notebook, ("x.rar", b"Rar!"), ("y.exe", b"MZ\x90\x00")), 415, "unsupported_kind")
    kept = api.get(f"/sources/{items[0]['source']['id']}/file")
    assert kept.content == b"# Title\n\ntext" and kept.headers["content-disposition"].startswith("attachment;")
    assert kept.headers["x-content-type-options"] == "nosniff"
    part = api.get(f"/sources/{items[0]['source']['id']}/file", headers={"Range": "bytes=2-6"})
    assert part.status_code == 206 and part.content == b"Title" and part.headers["content-range"] == "bytes 2-6/13"
    refused(api.get(f"/sources/{items[0]['source']['id']}/file", headers={"Range": "bytes=99-"}), 416, "invalid_field")


def test_errors_have_one_shape_everywhere(api: Api) -> None:
    refused(httpx2.get(f"{api.address}/api/v1/nowhere", timeout=60), 404, "not_found")
    refused(httpx2.post(f"{api.address}/api/v1/nowhere", timeout=60), 404, "not_found")
    refused(httpx2.put(f"{api.address}/api/v1/me", timeout=60), 405, "method_not_allowed")
    refused(httpx2.get(f"{api.address}/api/v1/me", timeout=60), 401, "not_signed_in")
    refused(api.get("/notebooks/not-a-uuid"), 404, "not_found")
    refused(api.post("/notebooks", {"title": "x", "unknown": 1}), 422, "invalid_field")
    refused(api.get("/notebooks?limit=0"), 422, "invalid_field")
    refused(api.get("/notebooks?cursor=forged"), 422, "invalid_field")


def test_health_readiness_metrics_and_openapi_answer(api: Api) -> None:
    root = api.address
    assert httpx2.get(f"{root}/healthz", timeout=60).json() == {"status": "ok"}
    ready = httpx2.get(f"{root}/readyz", timeout=60).json()
    assert ready["checks"]["database"] in ("good", "slow") and ready["checks"]["queue_bell"] in ("good", "slow")
    assert ready["checks"]["workers_ingest"] == "away"
    assert "sourcebook_requests_total" in httpx2.get(f"{root}/metrics", timeout=60).text
    assert "/api/v1/notebooks/{notebook_id}/ask" in httpx2.get(f"{root}/api/v1/openapi.json", timeout=60).json()["paths"]
    health = api.get("/admin/health").json()
    assert {line["name"] for line in health["items"]} >= {"database", "queue_bell", "storage", "workers_ingest", "chat", "embedding"}
    policy = httpx2.get(f"{root}/", timeout=60).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "unsafe-inline" not in policy and "frame-ancestors 'none'" in policy


def test_limits_hold_also_without_redis(processes: Processes, owner_token: str, redis_server: Bell) -> None:
    redis_server.child.kill()
    redis_server.child.wait()
    with owner_api(processes, owner_token, SIGN_INS_PER_MINUTE="3", ASKS_PER_MINUTE="2", FIRST_EVENT_S="0.2") as (_, api):
        notebook = api.notebook()
        for _ in range(2):
            headers = {"Accept": "text/event-stream"}
            with api.http.stream("POST", f"/notebooks/{notebook}/ask", json={"question": "Why?"}, headers=headers) as asked:
                assert asked.status_code == 200
        error = api.post(f"/notebooks/{notebook}/ask", {"question": "Why?"})
        assert 1 <= int(error.headers["retry-after"]) <= 60
        refused(error, 429, "rate_limited")
        login = f"{api.address}/api/v1/auth/login"
        for number in range(4):
            # Nobody trusts this header here, so it gives nobody another address.
            spoofed = httpx2.post(login, json={"token": "wrong token"}, headers={"X-Forwarded-For": f"203.0.113.{number}"}, timeout=60)
            refused(spoofed, 401 if number < 3 else 429, "not_signed_in" if number < 3 else "rate_limited")
        refused(httpx2.post(login, json={"token": owner_token}, timeout=60), 429, "rate_limited")
