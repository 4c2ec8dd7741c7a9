"""XML of office files: parsed without entities, document types or anything from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lxml import etree

from sourcebook_core.packed import Package, PlainXml
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office.events import Event, facts

# A tree takes about ten times its bytes: what is larger would end in the memory limit anyway, after a long time.
TREE_BYTES = 100_000_000
SMALL_BYTES = 20_000_000
Element = Any  # lxml gives no types
# libxml2's xmlParserErrors: no memory; a resource limit (depth, one text of 10 MB).
_LIMITS = frozenset({2, 114})
_STRICT = b"http://purl.oclc.org/ooxml/"


def verdict(error: Exception) -> Refused:
    """What a failed parse is called: the parser reports want of memory and its own limits as errors of the file."""
    is_limit = isinstance(error, etree.XMLSyntaxError) and error.code in _LIMITS
    return Refused("resource_limit" if is_limit else "damaged_file", why=type(error).__name__)


def tree(content: bytes) -> Element:
    """The root element. Raises Refused `damaged_file`."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, remove_comments=True, remove_pis=True
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as error:
        raise verdict(error) from None
    if root is None:
        raise Refused("damaged_file", why="no root")
    return root


def part(package: Package, name: str, limit: int = SMALL_BYTES) -> Element | None:
    """The tree of an entry, or None when there is none of this name."""
    return tree(package.xml(name, limit)) if name in package.names else None


def elements(stream: PlainXml, *names: str) -> Iterator[Element]:
    """Each whole element of one of the local `names`, as it is parsed; it is forgotten when the next is asked for."""
    tags = [f"{{*}}{name}" for name in names]
    try:
        walk = etree.iterparse(
            stream, events=("end",), tag=tags, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False,
            remove_comments=True, remove_pis=True,
        )  # fmt: skip
        for _, element in walk:
            yield element
            element.clear(keep_tail=False)
            parent = element.getparent()
            while parent is not None and element.getprevious() is not None:
                del parent[0]
    except (etree.XMLSyntaxError, ValueError) as error:
        raise verdict(error) from None


def local(element: Element) -> str:
    """The element's name without its namespace; "" for what is none."""
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def attribute(element: Element, name: str) -> str | None:
    """The attribute of this local name, in whatever namespace."""
    found: str | None = element.get(name)
    if found is not None:
        return found
    return next((str(value) for key, value in element.attrib.items() if key.rpartition("}")[2] == name), None)


def relations(package: Package, of: str) -> dict[str, tuple[str, str]]:
    """The part that each relation of an Open XML part leads to, inside the file only: id to (type, entry name)."""
    folder, _, name = of.rpartition("/")
    root = part(package, f"{folder}/_rels/{name}.rels" if folder else f"_rels/{name}.rels")
    found = {}
    for relation in root if root is not None else ():
        if relation.get("TargetMode") != "External":
            kind = str(relation.get("Type", "")).rpartition("/")[2]
            found[str(relation.get("Id"))] = (kind, resolved(folder, str(relation.get("Target", ""))))
    return found


def resolved(folder: str, target: str) -> str:
    """The entry name of a target that is written as seen from a folder of the container."""
    parts: list[str] = [] if target.startswith("/") else [step for step in folder.split("/") if step]
    for step in target.split("/"):
        if step == "..":
            parts = parts[:-1]
        elif step not in ("", "."):
            parts.append(step)
    return "/".join(parts)


def core_facts(package: Package, **more: Any) -> Event:
    """Title, authors and year of an Open XML file by its core properties."""
    root = part(package, "docProps/core.xml")
    found = {local(element): (element.text or "") for element in root} if root is not None else {}
    return facts(title=found.get("title"), authors=found.get("creator"), date=found.get("created") or found.get("modified"), **more)


def is_strict(content: bytes) -> bool:
    """Whether a part of an Open XML file uses the names of the strict edition (ISO/IEC 29500-1)."""
    return _STRICT in content


def as_transitional(content: bytes) -> bytes:
    """The part with the names that libraries know (ISO/IEC 29500-4); the words stay."""
    for strict, known in _NAMESPACES:
        content = content.replace(_STRICT + strict, known)
    return content


_SCHEMAS = b"http://schemas.openxmlformats.org/"
_NAMESPACES = (
    (b"officeDocument/relationships/metadata/core-properties", _SCHEMAS + b"package/2006/relationships/metadata/core-properties"),
    (b"officeDocument/relationships", _SCHEMAS + b"officeDocument/2006/relationships"),
    (b"officeDocument/extendedProperties", _SCHEMAS + b"officeDocument/2006/extended-properties"),
    (b"officeDocument/customProperties", _SCHEMAS + b"officeDocument/2006/custom-properties"),
    (b"officeDocument/docPropsVTypes", _SCHEMAS + b"officeDocument/2006/docPropsVTypes"),
    (b"officeDocument/math", _SCHEMAS + b"officeDocument/2006/math"),
    (b"officeDocument/customXml", _SCHEMAS + b"officeDocument/2006/customXml"),
    (b"wordprocessingml/main", _SCHEMAS + b"wordprocessingml/2006/main"),
    (b"presentationml/main", _SCHEMAS + b"presentationml/2006/main"),
    (b"spreadsheetml/main", _SCHEMAS + b"spreadsheetml/2006/main"),
    (b"drawingml/main", _SCHEMAS + b"drawingml/2006/main"),
    (b"drawingml/wordprocessingDrawing", _SCHEMAS + b"drawingml/2006/wordprocessingDrawing"),
    (b"drawingml/spreadsheetDrawing", _SCHEMAS + b"drawingml/2006/spreadsheetDrawing"),
    (b"drawingml/chart", _SCHEMAS + b"drawingml/2006/chart"),
    (b"drawingml/diagram", _SCHEMAS + b"drawingml/2006/diagram"),
    (b"drawingml/picture", _SCHEMAS + b"drawingml/2006/picture"),
)


def lenient(content: bytes) -> Element | None:
    """The tree of XML that may have a document type and faults, as books have; no entity is looked up. None when it is none."""
    parser = etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False, recover=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError):
        return None
