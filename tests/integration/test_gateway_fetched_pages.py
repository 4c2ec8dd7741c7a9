"""A PDF and a picture behind an address are shown like files: pages, words and marks go by what the bytes are."""

from tests.e2e.page_files import filler, pdf
from tests.fakes.pictures import file_of, sheet
from tests.fakes.provider import FakeProvider
from tests.fakes.script import Reply
from tests.fakes.website import Answer, Website
from tests.integration.gateway_rig import owner_api
from tests.rig import PATIENT, Processes, until_sync

SEEN = "Mill of Lindow, closed in 1968"


def test_a_pdf_and_a_picture_behind_an_address_have_pages_words_and_marks(processes: Processes, owner_token: str) -> None:
    paper = pdf([filler(1), ["The mill closed in 1968."]])
    with Website() as site, FakeProvider() as fake:
        fake.script.write_with(lambda request: Reply(text=SEEN, words=((0, 4, 0.1, 0.1, 0.2, 0.2),)))
        site.pages |= {
            "/paper": Answer(paper, headers={"Content-Type": "application/pdf"}),
            "/photo": Answer(file_of(sheet(4), "PNG"), headers={"Content-Type": "image/png"}),
        }
        processes.environment |= fake.settings("VISION", API_KEY="k")
        processes.environment["SOURCEBOOK_URL_ALLOW"] = site.place
        with owner_api(processes, owner_token) as (_, api):
            processes.start("ingest", **PATIENT)
            notebook = api.notebook()
            for path in ("/paper", "/photo"):
                assert api.post(f"/notebooks/{notebook}/sources", {"url": f"http://{site.place}{path}"}).status_code == 202

            def listed() -> list[dict[str, object]]:
                return list(api.get(f"/notebooks/{notebook}/sources").json()["items"])

            until_sync(lambda: {one["status"] for one in listed()} <= {"ready", "failed"}, 90, "both to be read")

            by_type = {str(one["media_type"]): f"/sources/{one['id']}" for one in listed()}
            read, photo = by_type["application/pdf"], by_type["image/png"]
            assert api.get(f"{read}/pages/2.jpg?dpi=36").headers["content-type"] == "image/jpeg"
            assert [word["text"] for word in api.get(f"{read}/pages/2/words").json()["items"]][-1] == "1968."
            assert api.get(f"{read}/pages/2/boxes?start=0&end=8").json()["highlight"]
            assert api.get(f"{photo}/pages/1.jpg?dpi=36").headers["content-type"] == "image/jpeg"
            assert api.get(f"{photo}/pages/1/boxes?start=0&end=4").json()["highlight"]
            assert [word["text"] for word in api.get(f"{photo}/pages/1/words").json()["items"]] == ["Mill"]
