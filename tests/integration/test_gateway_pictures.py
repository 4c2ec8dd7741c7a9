"""Scans and pictures through the gateway: shown upright, marked where a word stands, asked for before they cost much."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.fakes import pdf_files
from tests.fakes.pictures import asked, corner, file_of, sheet
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply, Request
from tests.integration.gateway_rig import OWNER, Api, owner_api, refused
from tests.rig import PATIENT, Processes, until_sync

TEXT = "Mill of Lindow\nclosed in 1968"
# "Mill" … "1968" on the picture as it is sent, which stands on its left side there.
WORDS = ((0, 4, 0.1, 0.8, 0.15, 0.9), (5, 7, 0.1, 0.7, 0.15, 0.78), (8, 14, 0.1, 0.5, 0.15, 0.68), (15, 21, 0.2, 0.8, 0.25, 0.9),
         (22, 24, 0.2, 0.7, 0.25, 0.78), (25, 29, 0.2, 0.5, 0.25, 0.68))  # fmt: skip


def local(request: Request) -> Reply:
    """What the local recogniser says of a picture that lies on its side."""
    return Reply(text=TEXT, words=WORDS, turned=90)


def vision(fake: FakeProvider, processes: Processes, provider: str, **more: str) -> None:
    """Both processes read pictures with the fake model."""
    processes.environment |= fake.settings("VISION", PROVIDER=provider)
    processes.environment |= {f"SOURCEBOOK_{name}": value for name, value in more.items()}


def ended(api: Api, source_id: str) -> dict[str, Any]:
    until_sync(lambda: api.get(f"/sources/{source_id}").json()["status"] in ("ready", "failed", "needs_approval"), 90, "the reading")
    return dict(api.get(f"/sources/{source_id}").json())


def added(api: Api, notebook: str, name: str, content: bytes) -> str:
    return str(api.upload(notebook, (name, content)).json()["items"][0]["source"]["id"])


def test_a_scan_and_a_photo_are_shown_upright_and_marked_where_the_words_stand(
    processes: Processes, owner_token: str, fake: FakeProvider
) -> None:
    fake.script.write_with(local)
    vision(fake, processes, "local")
    with owner_api(processes, owner_token) as (_, api):
        processes.start("ingest", **PATIENT)
        notebook = api.notebook()
        scan = ended(api, added(api, notebook, "scan.pdf", pdf_files.pages_of([pdf_files.drawn(1)])))
        turned = Image.Exif()
        turned[0x0112] = 3  # upside down
        photo = ended(api, added(api, notebook, "photo.jpg", file_of(sheet(2), "JPEG", exif=turned)))
        assert (scan["status"], photo["status"], photo["kind"], photo["pages"]) == ("ready", "ready", "image", None), (scan, photo)
        for source in (scan, photo):
            base = f"/sources/{source['id']}"
            passage = api.get(f"{base}/passages").json()["items"][0]
            assert passage["text"] == TEXT and passage["method"] == "vision"
            words = api.get(f"{base}/pages/1/words").json()
            assert [word["text"] for word in words["items"]] == ["Mill", "of", "Lindow", "closed", "in", "1968"]
            first = words["items"][0]
            assert (first["x0"], first["y0"], first["x1"], first["y1"]) == pytest.approx((0.1, 0.1, 0.2, 0.15))
            boxes = api.get(f"{base}/pages/1/boxes?start=8&end=24").json()
            assert boxes["highlight"] and len(boxes["items"]) == 2
            assert boxes["items"][1] == pytest.approx({"x0": 0.1, "y0": 0.2, "x1": 0.3, "y1": 0.25})
            picture = api.get(f"{base}/pages/1.jpg?dpi=72")
            width, height = Image.open(BytesIO(picture.content)).size
            assert width > height and (width > 700) == (source is scan)
            refused(api.get(f"{base}/pages/2.jpg"), 404, "not_found")
        # Upside down by its EXIF, then on its side by the model: 180 + 90 degrees.
        shown = api.get(f"/sources/{photo['id']}/pages/1.jpg").content
        assert corner(shown) == "bottom left" and b"Exif" not in shown
        assert all(b"Exif" not in request.pictures[0] for request in fake.script.requests("chat"))


def test_a_dear_scan_waits_for_a_word_and_is_read_after_it(
    processes: Processes, owner_token: str, fake: FakeProvider, tmp_path: Path
) -> None:
    tariff = tmp_path / "prices.toml"
    tariff.write_text('currency = "EUR"\n[models."fake-vision"]\npage = "0.01"\n')
    vision(fake, processes, "api", ACCOUNTING="true", PRICES=str(tariff), VISION_CONFIRM_PAGES="1")
    fake.script.write_with(lambda request: f"Sheet {asked(request)} tells of the mill.")
    words = pdf_files.words()
    with owner_api(processes, owner_token) as (_, api):
        processes.start("ingest", **PATIENT)
        assert api.post(f"/admin/users/{OWNER}/credit", {"amount": "1"}).status_code == 201
        notebook = api.notebook()
        dear = added(api, notebook, "dear.pdf", pdf_files.pages_of([words, pdf_files.drawn(1), pdf_files.drawn(2)]))
        other = added(api, notebook, "other.pdf", pdf_files.pages_of([words, pdf_files.drawn(3), pdf_files.drawn(4), pdf_files.drawn(5)]))
        assert ended(api, dear)["estimate"] == {"pages": 2, "calls": 2, "cost": "0.02", "currency": "EUR"}
        assert ended(api, other)["status"] == "needs_approval"
        told = api.get(f"/notebooks/{notebook}/estimate").json()
        assert [item["source_id"] for item in told["items"]] == [dear, other]
        assert (told["pages"], told["calls"], told["cost"], told["currency"]) == (5, 5, "0.05", "EUR")
        assert fake.script.requests("chat") == []
        refused(api.post(f"/sources/{dear}/approve", {"pages": "some"}), 422, "invalid_field")
        assert api.post(f"/sources/{dear}/approve", {"pages": "all"}).status_code == 202
        at_once = api.post(f"/sources/{other}/approve?wait=ready", {"pages": "text"})
        assert (at_once.status_code, at_once.json()["status"]) == (202, "ready")
        read, left = ended(api, dear), ended(api, other)
        assert (read["status"], read["approved"], read["report"]["by_vision"], float(read["cost"])) == ("ready", "all", 2, 0.02)
        assert (left["status"], left["approved"], left["report"]["by_text"]) == ("ready", "text", 1)
        assert [entry["page"] for entry in left["report"]["not_read"]] == [2, 3, 4]
        assert len(fake.script.requests("chat")) == 2
        refused(api.post(f"/sources/{dear}/approve", {"pages": "all"}), 409, "conflict")
        assert api.get(f"/notebooks/{notebook}/estimate").json()["items"] == []
        assert api.post(f"/sources/{other}/reread").json()["approved"] is None


def test_a_pdf_is_read_as_its_upload_says_else_as_its_person_prefers_else_automatically(processes: Processes, owner_token: str) -> None:
    with owner_api(processes, owner_token) as (_, api):
        notebook = api.notebook()

        def capture(number: int, **fields: str) -> str:
            content = pdf_files.pages_of([pdf_files.words(f"File {number} tells of the mill.")])
            return str(api.upload(notebook, (f"{number}.pdf", content), **fields).json()["items"][0]["source"]["capture"])

        assert (capture(1), capture(2, capture="vision")) == ("auto", "vision")
        assert api.patch("/me", {"preferences": {"pdf_capture": "text"}}).status_code == 200
        assert (capture(3), capture(4, capture="auto")) == ("text", "auto")
