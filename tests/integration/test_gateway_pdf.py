"""A PDF through the gateway: picture, words and boxes of its pages, after the real ingest worker read it."""

from collections.abc import Iterator
from io import BytesIO
from typing import Any

import pytest
from PIL import Image
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from tests.integration.gateway_rig import Api, owner_api, refused
from tests.rig import PATIENT, Processes, until_sync


def _pdf() -> bytes:
    out = BytesIO()
    canvas = Canvas(out, pagesize=A4, invariant=1)
    for number in (1, 2):
        canvas.drawString(72, 700, f"Page {number} tells of the mill of Lindow.")
        canvas.drawString(72, 680, "It was closed in 1968.")
        canvas.showPage()
    canvas.save()
    return out.getvalue()


@pytest.fixture
def read(processes: Processes, owner_token: str) -> Iterator[tuple[Api, dict[str, Any]]]:
    with owner_api(processes, owner_token) as (_, api):
        processes.start("ingest", **PATIENT)
        notebook = api.notebook()
        source = api.upload(notebook, ("mill.pdf", _pdf())).json()["items"][0]["source"]["id"]
        until_sync(lambda: api.get(f"/sources/{source}").json()["status"] in ("ready", "failed"), 90, "the source to be read")
        found = api.get(f"/sources/{source}").json()
        assert found["status"] == "ready", found
        yield api, found


def test_a_page_is_drawn_once_and_its_words_and_boxes_lie_on_it(read: tuple[Api, dict[str, Any]]) -> None:
    api, source = read
    base = f"/sources/{source['id']}"
    picture = api.get(f"{base}/pages/2.jpg?dpi=72")
    assert picture.headers["content-type"] == "image/jpeg" and picture.headers["x-content-type-options"] == "nosniff"
    width, height = Image.open(BytesIO(picture.content)).size
    assert (width - 595.3, height - 841.9) == pytest.approx((0, 0), abs=1)
    assert api.get(f"{base}/pages/2.jpg?dpi=72").content == picture.content
    words = api.get(f"{base}/pages/2/words").json()
    assert [word["text"] for word in words["items"][:3]] == ["Page", "2", "tells"]
    assert all(0 <= word["x0"] < word["x1"] <= 1 and 0 <= word["y0"] < word["y1"] <= 1 for word in words["items"])
    passages = api.get(f"{base}/passages").json()
    text = passages["items"][1]["text"]
    start = text.index("closed in 1968")
    boxes = api.get(f"{base}/pages/2/boxes?start={start}&end={start + 14}").json()
    assert boxes["highlight"] and len(boxes["items"]) == 1 and boxes["passage"] == 1
    whole = api.get(f"{base}/text").text
    for passage in passages["items"]:
        assert whole[passage["offset"] : passage["offset"] + len(passage["text"])] == passage["text"]
    refused(api.get(f"{base}/pages/3.jpg"), 404, "not_found")
    refused(api.get(f"{base}/pages/0.jpg"), 404, "not_found")
    refused(api.get(f"{base}/pages/2/boxes?start=5&end=5"), 422, "invalid_field")
    refused(api.get(f"{base}/pages/2/boxes?start=0&end=99999"), 422, "invalid_field")
    refused(api.get(f"{base}/pages/1.jpg?dpi=9999"), 422, "invalid_field")
    refused(api.get(f"{base}/text?reading=7f4c1b1e-0000-4000-8000-000000000000"), 404, "not_found")
