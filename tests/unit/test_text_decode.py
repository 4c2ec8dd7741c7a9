"""Bytes become text without losing or moving a character, or are refused with a reason."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sourcebook_core.errors import PermanentError
from sourcebook_core.text.decode import clean, decode

GERMAN = "Größe, Übergabe und Straße: die Änderung gilt für alle Beschäftigten außerhalb der Städte. " * 5


@given(st.text(alphabet=st.characters(exclude_categories=("Cs", "Cc"))))
def test_utf8_comes_back_as_it_was(text: str) -> None:
    if text.startswith("\ufeff"):
        text = text.lstrip("\ufeff")
    assert decode(text.encode()).text == text


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
def test_a_byte_order_mark_decides_and_is_no_part_of_the_text(mark: bytes, encoding: str) -> None:
    found = decode(mark + GERMAN.encode(encoding))
    assert (found.text, found.encoding, found.guessed) == (GERMAN, encoding, False)


CZECH = "Příliš žluťoučký kůň úpěl ďábelské ódy o světě a lidech. Šéf řekl, že se sejdou zítra. " * 3
RUSSIAN = "Как работает эта система и кто за неё отвечает сегодня? " * 5


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1252", GERMAN),
        ("cp1252", "L\u2019été, ça coûte 20 \u20ac \u2013 déjà payé par le cœur de la société. " * 4),
        ("cp1252", "¿Cuánto dura la garantía? La compañía responde durante dos años. " * 4),
        ("cp1250", CZECH),
        ("iso-8859-2", CZECH),
        ("cp1250", "Zażółć gęślą jaźń, a potem napisz do mnie, kiedy będziesz mógł. " * 4),
        ("cp1251", RUSSIAN),
        ("koi8-r", RUSSIAN),
        ("cp1253", "Η επιτροπή αποφάσισε να αλλάξει τους κανόνες για όλους. " * 4),
        ("cp932", "このシステムはどのように動作しますか。資料を読んで答えます。" * 5),
        ("gb18030", "这是一个关于系统工作原理的说明文件。内容很长，请仔细阅读。" * 5),
        ("cp949", "이 시스템은 어떻게 작동합니까? 문서를 읽고 대답합니다. " * 5),
        ("euc_jp", "このシステムはどのように動作しますか。資料を読んで答えます。" * 5),
        ("big5", "這是一個關於系統工作原理的說明文件。內容很長，請仔細閱讀。" * 5),
    ],
)
def test_another_encoding_is_guessed_and_flagged(encoding: str, text: str) -> None:
    found = decode(text.encode(encoding))
    assert found.guessed
    assert found.text == text


def test_nul_and_lone_surrogates_are_replaced_one_for_one() -> None:
    assert clean("a\x00b\ud83dc") == ("a\ufffdb\ufffdc", 2)
    found = decode(b"a text with one\x00 NUL in it")
    assert (found.text, found.replaced) == ("a text with one\ufffd NUL in it", 1)
    lone = codecs.BOM_UTF16_LE + "before ".encode("utf-16-le") + b"\x3d\xd8" + " after".encode("utf-16-le")
    assert decode(lone).text == "before \ufffd after"


def test_line_ends_and_other_controls_stay() -> None:
    assert decode(b"one\r\ntwo\rthree\x0cfour\x1b[0m").text == "one\r\ntwo\rthree\x0cfour\x1b[0m"


@pytest.mark.parametrize(
    "content",
    [
        bytes(range(256)) * 40,
        b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00" * 30,
        codecs.BOM_UTF8 + b"\xff\xfe\xfd",
        codecs.BOM_UTF16_LE + b"a",
        b"\x00" * 500,
    ],
)
def test_bytes_that_are_no_text_are_refused_by_name(content: bytes) -> None:
    with pytest.raises(PermanentError) as caught:
        decode(content)
    assert caught.value.code == "undecodable_text"
    assert "UTF-8" in caught.value.message


def test_an_empty_file_is_an_empty_text() -> None:
    assert decode(b"").text == ""
