"""Web pages as sources: their main text, and the honest word where there is none."""

import gzip
import io
import zipfile
from collections.abc import AsyncIterator

import pytest
from PIL import Image

from sourcebook_core import jobs, kinds
from sourcebook_core import settings as core_settings
from sourcebook_core.blobs import original_key
from sourcebook_core.jobs import ReadSource
from sourcebook_core.store import sources
from tests.fakes import office_files, pdf_files
from tests.fakes.website import ARTICLE, Answer, Website
from tests.ingest_rig import Library, library
from tests.rig import until

BANNER = "<div><h2>Cookies</h2><p>We use cookies and ask for your consent. Accept cookies or read our privacy policy.</p></div>"


@pytest.fixture
async def lib(environment: dict[str, str], site: Website) -> AsyncIterator[Library]:
    """A library that may fetch from the site."""
    async with library(core_settings.load(environment | {"SOURCEBOOK_URL_ALLOW": site.place})) as made:
        yield made


async def test_a_page_gives_its_main_text_with_headings_and_keeps_its_original(lib: Library, site: Website) -> None:
    source_id = await lib.add("url", url=site.url("/article"))
    row = await lib.ended(source_id)
    assert (row["status"], row["error_message"]) == ("ready", None)
    assert (row["title"], row["url"]) == ("Lakes", site.url("/article"))
    assert row["authors"] == ["Ada Lake"]
    found = await lib.passages(source_id)
    text = "".join(passage["text"] for passage in found)
    assert "1,642 metres deep" in text
    assert "cookies" not in text
    assert "never" not in text
    assert found[-1]["heading"].endswith("Depth")
    assert await lib.deps.blobs.get(original_key(source_id)) == ARTICLE.encode()


async def test_what_is_no_article_says_what_it_is(lib: Library, site: Website) -> None:
    pages = {
        "url_needs_script": "<html><body><noscript>Please enable JavaScript to run this app.</noscript><div id=root></div></body></html>",
        "url_consent": f"<html><head><title>News</title></head><body>{BANNER}</body></html>",
        "url_login": "<html><body><form><p>Sign in</p><input name=u><input type='password' name=p></form></body></html>",
        "url_too_little_text": "<html><head><title>A long title that is not content at all</title></head><body><p>Hi.</p></body></html>",
    }
    ids = {}
    for code, page in pages.items():
        site.pages[f"/{code}"] = Answer(page.encode())
        ids[code] = await lib.add("url", url=site.url(f"/{code}"))
    site.pages["/url_not_found"] = Answer(b"<p>gone</p>", 404)
    ids["url_not_found"] = await lib.add("url", url=site.url("/url_not_found"))
    for code, source_id in ids.items():
        row = await lib.ended(source_id)
        assert (row["status"], row["error_code"]) == ("failed", code)
        assert row["error_message"]


async def test_an_article_under_a_banner_is_read_without_it(lib: Library, site: Website) -> None:
    site.pages["/b"] = Answer(ARTICLE.replace("<nav>", BANNER + "<nav>").encode())
    source_id = await lib.add("url", url=site.url("/b"))
    assert (await lib.ended(source_id))["status"] == "ready"
    assert "consent" not in "".join(passage["text"] for passage in await lib.passages(source_id))


async def test_markdown_plain_text_and_pdf_behind_an_address_go_to_their_readers(lib: Library, site: Website) -> None:
    site.pages["/a.md"] = Answer(b"# Lakes\n\nDeep ones.\n", headers={"Content-Type": "text/plain"})
    site.pages["/packed"] = Answer(gzip.compress(ARTICLE.encode()), headers={"Content-Type": "text/html", "Content-Encoding": "gzip"})
    site.pages["/none"] = Answer(b"Just words without a type.", headers={})
    site.pages["/pic"] = Answer(b"\x89PNG", headers={"Content-Type": "image/png"})
    ids = [await lib.add("url", url=site.url(path)) for path in ("/a.md", "/packed", "/none")]
    assert [(await lib.ended(source_id))["status"] for source_id in ids] == ["ready"] * 3
    assert (await lib.passages(ids[0]))[0]["heading"] == "Lakes"
    assert (await lib.passages(ids[2]))[0]["text"] == "Just words without a type."
    assert (await lib.ended(await lib.add("url", url=site.url("/pic"))))["error_code"] == "unsupported_kind"


async def test_files_of_any_kind_behind_an_address_go_to_their_readers(lib: Library, site: Website) -> None:
    saved = {"Content-Type": "application/octet-stream", "Content-Disposition": 'attachment; filename="prices.csv"'}
    latin = {"Content-Type": "text/plain; charset=iso-8859-2"}
    picture = io.BytesIO()
    Image.new("RGB", (40, 30)).save(picture, "png")
    site.pages |= {
        "/prices": Answer(b"fish;price\nomul;12\n", headers=saved),
        "/word?id=1": Answer(office_files.document(), headers={"Content-Type": "application/octet-stream"}),
        "/paper.html": Answer(pdf_files.book(2), headers={"Content-Type": "text/html"}),
        "/kun.txt": Answer("Příliš žluťoučký kůň".encode("iso-8859-2"), headers=latin),
        "/photo": Answer(picture.getvalue(), headers={"Content-Type": "image/png"}),
        "/all.zip": Answer(b"PK\x03\x04" + bytes(60), headers={"Content-Type": "application/zip"}),
    }
    ids = {path: await lib.add("url", url=site.url(path)) for path in site.pages if path != "/article"}
    rows = {path: await lib.ended(source_id) for path, source_id in ids.items()}
    told = {path: (row["status"], row["error_code"], (row["media_type"] or "").rpartition(".")[2]) for path, row in rows.items()}
    assert told == {
        "/prices": ("ready", None, "text/csv"), "/word?id=1": ("ready", None, "document"), "/kun.txt": ("ready", None, "text/plain"),
        "/paper.html": ("ready", None, "application/pdf"), "/photo": ("failed", "no_model", "image/png"),
        "/all.zip": ("failed", "unsupported_kind", ""),
    }  # fmt: skip
    assert (await lib.passages(ids["/kun.txt"]))[0]["text"] == "Příliš žluťoučký kůň"
    assert [passage["page"] for passage in await lib.passages(ids["/paper.html"])] == [1, 2]
    assert "omul" in "".join(passage["text"] for passage in await lib.passages(ids["/prices"]))


async def test_a_page_of_a_million_nested_parts_and_one_of_script_tricks_hurt_nobody(lib: Library, site: Website) -> None:
    site.pages["/deep"] = Answer(b"<html><body>" + b"<div>" * 1_000_000 + b"x")
    tricks = (
        "<script>alert(1)</script><svg onload=alert(2)><base href='http://evil/'><meta http-equiv=refresh content='0;url=http://evil/'>"
    )
    site.pages["/tricks"] = Answer(ARTICLE.replace("<article>", f"{tricks}<article>").encode())
    deep = await lib.ended(await lib.add("url", url=site.url("/deep")))
    assert (deep["status"], deep["error_code"] in ("url_too_little_text", "damaged_file", "resource_limit")) == ("failed", True)
    source_id = await lib.add("url", url=site.url("/tricks"))
    assert (await lib.ended(source_id))["status"] == "ready"
    assert "alert" not in "".join(passage["text"] for passage in await lib.passages(source_id))
    assert not any("evil" in head for head in site.seen)


async def test_reading_an_address_again_fetches_it_again(lib: Library, site: Website) -> None:
    source_id = await lib.add("url", url=site.url("/article"))
    first = await lib.ended(source_id)
    site.pages["/article"] = Answer(ARTICLE.replace("1,642", "1,741").encode())
    async with lib.deps.db.transaction() as conn:
        await sources.queue_again(conn, source_id)
        await jobs.insert(conn, ReadSource(source_id=source_id), owner_id=lib.owner_id, subject=source_id, once=source_id)

    async def is_new() -> bool:
        row = await lib.row(source_id)
        return bool(row["status"] == "ready" and row["reading_id"] != first["reading_id"])

    await until(is_new, 40)
    assert "1,741" in "".join(passage["text"] for passage in await lib.passages(source_id))


async def test_what_a_file_points_to_is_never_fetched(lib: Library, site: Website) -> None:
    plain = office_files.document()
    kind = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    head = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    template = f'{head}<Relationship Id="t" Type="{kind}/attachedTemplate" Target="{site.url("/t.dotm")}" TargetMode="External"/>'
    picture = f'<Relationship Id="pic" Type="{kind}/image" Target="{site.url("/i.png")}" TargetMode="External"/></Relationships>'
    rels = office_files.entry(plain, "word/_rels/document.xml.rels").decode().replace("</Relationships>", picture)
    with zipfile.ZipFile(io.BytesIO(plain)) as source:
        entries: dict[str, bytes | str] = {name: source.read(name) for name in source.namelist()}
    entries |= {"word/_rels/settings.xml.rels": template + "</Relationships>", "word/_rels/document.xml.rels": rels}
    page = f"<html><head><link rel=stylesheet href='{site.url('/c.css')}'></head><body><img src='{site.url('/i.png')}'><p>Words.</p></body>"
    ids = [
        await lib.add("office", office_files.packed(entries), name="a.docx", media_type=kinds.DOCX.media_type),
        await lib.add("office", page.encode(), name="a.html", media_type=kinds.HTML.media_type),
        await lib.add("markdown", f"# A\n\n![x]({site.url('/i.png')}) and words.\n".encode(), name="a.md"),
        await lib.add("office", f'a,b\n=WEBSERVICE("{site.url("/w")}"),2\n'.encode(), name="a.csv", media_type=kinds.CSV.media_type),
    ]
    for source_id in ids:
        row = await lib.ended(source_id)
        assert row["status"] == "ready", row["error_message"]
    assert site.seen == []
