"""epub by its spine: chapters in reading order by their headings; protection is named, scripts and styles are no text."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import unquote

from sourcebook_core.packed import Package
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import markup, sections, xml
from sourcebook_ingest.read.office.events import Events, Told, facts, one_line
from sourcebook_ingest.read.office.sections import Block

CHAPTER_BYTES = 20_000_000
# What books say of their fonts, which are no text (EPUB OCF, font obfuscation; Adobe's way of it).
_FONT_MIXING = (b"http://www.idpf.org/2008/embedding", b"http://ns.adobe.com/pdf/enc#RC")
_CHAPTERS = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "application/xml", "text/x-oeb1-document"})


def read(package: Package, most: int, told: Told) -> Events:
    """The chapters' sections. Raises Refused `drm_protected`."""
    _refuse_protected(package)
    container = xml.part(package, "META-INF/container.xml")
    paths = [str(e.get("full-path")) for e in container.iter("{*}rootfile")] if container is not None else []
    name = next((path for path in paths if path in package.names), None)
    book = xml.part(package, name) if name else None
    if name is None or book is None:
        raise Refused("damaged_file", why="no package document")
    folder = name.rpartition("/")[0]
    yield _facts(book)
    items = {str(e.get("id")): e for e in book.iter("{*}item")}
    labels = _labels(package, folder, items.values())
    spine = [items[ref] for e in book.iter("{*}itemref") if (ref := str(e.get("idref"))) in items]
    chapters = [e for e in spine if str(e.get("media-type", "")) in _CHAPTERS and "nav" not in str(e.get("properties", "")).split()]
    if len(chapters) > most:
        told.warn("chapters_cut", f"Only the first {most} of {len(chapters)} chapters were read.")
    yield from sections.passages_of(_blocks(package, folder, chapters[:most], labels, told))


def _blocks(package: Package, folder: str, chapters: list[xml.Element], labels: dict[str, str], told: Told) -> Iterator[Block]:
    missing = 0
    for chapter in chapters:
        path = xml.resolved(folder, unquote(str(chapter.get("href", ""))))
        if path not in package.names:
            missing += 1
            told.warn("parts_missing", f"{missing} chapters that the book names are not in it.")
            continue
        found = list(markup.blocks(package.read(path, CHAPTER_BYTES)))
        if path in labels and found and not any(level for level, _ in found):
            yield 1, labels[path]
        yield from found


def _facts(book: xml.Element) -> dict[str, object]:
    found: dict[str, list[str]] = {}
    for element in book.iter("{*}title", "{*}creator", "{*}date"):
        if element.text:
            found.setdefault(xml.local(element), []).append(element.text)
    return facts(
        title=next(iter(found.get("title", [])), None),
        authors=";".join(found.get("creator", [])),
        date=next(iter(found.get("date", [])), None),
    )


def _labels(package: Package, folder: str, items: object) -> dict[str, str]:
    """What the table of contents calls each chapter file: by the navigation document, else by the older NCX."""
    labels: dict[str, str] = {}
    for item in items:  # type: ignore[attr-defined]
        is_nav = "nav" in str(item.get("properties", "")).split()
        if not is_nav and item.get("media-type") != "application/x-dtbncx+xml":
            continue
        path = xml.resolved(folder, unquote(str(item.get("href", ""))))
        if path not in package.names:
            continue
        root = xml.lenient(package.read(path, CHAPTER_BYTES))
        if root is None:
            continue
        inside = path.rpartition("/")[0]
        for place, label in _places(root):
            labels.setdefault(xml.resolved(inside, unquote(place.partition("#")[0])), label)
    return {path: label for path, label in labels.items() if label}


def _places(root: xml.Element) -> Iterator[tuple[str, str]]:
    for link in root.iter("{*}a"):
        yield str(link.get("href", "")), one_line("".join(link.itertext()))
    for point in root.iter("{*}navPoint"):
        content = next(point.iterchildren("{*}content"), None)
        label = next(point.iterchildren("{*}navLabel"), None)
        if content is not None and label is not None:
            yield str(content.get("src", "")), one_line("".join(label.itertext()))


def _refuse_protected(package: Package) -> None:
    if "META-INF/encryption.xml" not in package.names:
        return
    root = xml.part(package, "META-INF/encryption.xml")
    for method in root.iter("{*}EncryptionMethod") if root is not None else ():
        if str(method.get("Algorithm", "")).encode() not in _FONT_MIXING and xml.local(method.getparent()) == "EncryptedData":
            raise Refused("drm_protected")
