"""Web pages without a network: their encoding, what they are, and notices told from text."""

import pytest
from lxml import html

from sourcebook_core import kinds
from sourcebook_core.errors import PermanentError
from sourcebook_core.fetched import Fetched
from sourcebook_core.settings import Limits
from sourcebook_ingest.read import page_signs, page_text, url

CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy u jezera. "


def page(charset: str, text: str = CZECH) -> str:
    return f"<html><head><meta charset='{charset}'><title>x</title></head><body><p>{text}</p></body></html>"


def fetched(media_type: str = "", address: str = "https://x.org/a", file_name: str = "") -> Fetched:
    return Fetched(address, 200, media_type, "", file_name, "", "")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (page("utf-8").encode(), ""),
        (page("windows-1250").encode("cp1250"), ""),
        (page("x").encode("cp1250"), "windows-1250"),
        (page("iso-8859-1").encode(), "iso-8859-1"),  # said to be Latin, and is not
        (page("utf-8").encode("utf-16"), "utf-8"),  # the mark wins
        (page("utf-16").encode(), ""),
        (b"<?xml version='1.0' encoding='iso-8859-2'?>" + page("").encode("iso-8859-2"), ""),
        (page("nonsense", CZECH * 6).encode("cp1250"), "utf-8"),  # guessed by its letters
        (page("shift_jis").encode("utf-8-sig"), "punycode"),
    ],
)
def test_a_page_is_read_in_its_encoding_whatever_is_said_of_it(content: bytes, said: str) -> None:
    assert CZECH.strip() in page_text.as_utf8(content, said).decode()


def test_one_bad_byte_does_not_change_a_pages_encoding() -> None:
    content = page("utf-8", CZECH * 20).encode().replace(b"</p>", b"\xff</p>")
    assert page_text.as_utf8(content, "").decode().count("\ufffd") == 1
    assert "Ελλάδα €" in page_text.as_utf8("<p>Ελλάδα €</p>".encode("cp1253"), "windows-1253").decode()
    assert "\u201cA\u201d" in page_text.as_utf8(b"<p>\x93A\x94</p>", "iso-8859-1").decode()  # as browsers read that name


def test_a_text_is_in_the_encoding_its_server_names_only_if_it_is() -> None:
    assert page_text.as_said("kůň".encode("cp1250"), "windows-1250").decode() == "kůň"
    assert page_text.as_said("kůň".encode(), "iso-8859-1").decode() == "kůň"
    for content, said in ((b"\x81\x8d", "windows-1252"), (b"\xe9", ""), ("\ufeffk".encode("utf-16"), "utf-8")):
        assert page_text.as_said(content, said) == content


def told(body: str, title: str = "", address: str = "https://x.org/a") -> dict[str, int | bool]:
    source = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    words = " ".join(" ".join(piece.split()) for piece in html.fromstring(source).itertext())
    return page_signs.signs(source, [title], words, words, address)


@pytest.mark.parametrize(
    "title",
    [
        "404", "404 Not Found", "Page not found - Example", "Error 404", "404 | Example", "Seite nicht gefunden", "Fehler 404",
        "Page introuvable", "Erreur 404 : page non trouvée", "Página no encontrada", "La página no existe", "Stránka nenalezena",
        "Stránka nebyla nalezena | Úřad", "The page does not exist",
    ],
)  # fmt: skip
def test_a_page_that_says_not_found_in_five_languages_is_not_found(title: str) -> None:
    assert told("<p>Sorry.</p>", title)["not_found"]


@pytest.mark.parametrize("title", ["The Peugeot 404 and its rivals", "404 Main Street", "What the survey found", "Nicht gefundene Schätze"])
def test_a_page_about_something_is_found(title: str) -> None:
    assert not told("<p>Words.</p>", title)["not_found"]


@pytest.mark.parametrize(
    ("title", "body"),
    [
        ("Sign in - Example", "<form><input type='email'></form>"), ("Anmelden | Portal", "<input name='user'><input type=password>"),
        ("Connexion", "<input type='password'>"), ("Iniciar sesión", "<input type='password'>"), ("Přihlášení", "<input type='password'>"),
        ("Members", "<p>Please log in to continue.</p>"), ("Bereich", "<p>Melden Sie sich an, um weiterzulesen.</p>"),
        ("Espace", "<p>Veuillez vous connecter.</p>"), ("Área", "<p>Debe iniciar sesión.</p>"), ("Sekce", "<p>Musíte se přihlásit.</p>"),
    ],
)  # fmt: skip
def test_a_page_that_wants_a_sign_in_in_five_languages_says_so(title: str, body: str) -> None:
    assert told(body, title)["login"]


def test_a_login_box_beside_an_article_is_no_login_page() -> None:
    body = "<form><input name=user><input type=password></form><p>The lake is deep.</p><p>Please log in to comment.</p>"
    assert not told(body, "The lakes of Siberia")["login"]
    assert told(body, "Portal", "https://x.org/sso/login?next=a")["login"]
    assert not told("<p>" + "A long tale. " * 200 + "You must log in to the machine.</p>", "Unix")["login"]


@pytest.mark.parametrize(
    "body",
    [
        "<script type='application/ld+json'>{\"isAccessibleForFree\": \"False\"}</script>", "<p>Subscribe to continue reading.</p>",
        "<p>Nur für Abonnenten</p>", "<p>Article réservé aux abonnés</p>", "<p>Contenido exclusivo para suscriptores</p>",
        "<p>Pouze pro předplatitele</p>",
    ],
)  # fmt: skip
def test_a_page_whose_rest_needs_a_subscription_says_so_in_five_languages(body: str) -> None:
    assert told(body, "News")["paywall"]
    assert not told("<p>Subscribe to our newsletter.</p>", "News")["paywall"]


def test_what_is_behind_an_address_is_told_by_its_bytes_its_name_and_its_server() -> None:
    page_head = b"<!doctype html><p>x"
    kind_of = url.kind_of
    assert kind_of(fetched("text/html", "https://x.org/paper.pdf"), page_head) == kinds.HTML
    assert kind_of(fetched("text/html", "https://x.org/README.md"), b"<p>x") == kinds.HTML
    assert kind_of(fetched("application/xhtml+xml"), b"<?xml version='1.0'?><html/>") == kinds.HTML
    assert kind_of(fetched("text/html"), b"%PDF-1.4") == kinds.PDF
    assert kind_of(fetched("text/plain", "https://x.org/a.md?x=1"), b"# A") == kinds.MARKDOWN
    assert kind_of(fetched("application/octet-stream", file_name="t.csv"), b"a;b\n1;2") == kinds.CSV
    assert kind_of(fetched("", "https://x.org/photo"), b"\x89PNG\r\n\x1a\n").media_type == "image/png"
    assert kind_of(fetched("audio/mpeg", "https://x.org/a.mp3"), b"ID3\x04").kind == "audio"
    refused = [
        (fetched("image/png"), b"<html>no picture", "unsupported_kind"),
        (fetched("application/zip"), b"PK\x03\x04" + bytes(40), "unsupported_kind"),
        (fetched("", "https://x.org/a.exe"), b"MZ\x90\x00", "unsupported_kind"), (fetched("text/html"), b"  \n", "url_too_little_text"),
    ]  # fmt: skip
    for found, head, code in refused:
        with pytest.raises(PermanentError) as caught:
            kind_of(found, head)
        assert caught.value.code == code
        assert found.url in caught.value.message


def test_a_text_may_be_as_large_as_a_page_and_a_file_larger() -> None:
    limits = Limits()
    assert url.bounds(kinds.HTML, limits) == (url.bounds(kinds.CSV, limits))
    assert url.bounds(kinds.PDF, limits).bytes > url.bounds(kinds.HTML, limits).bytes
    assert url.bounds(kinds.PDF, Limits(body_bytes=1000)).bytes == 1000
