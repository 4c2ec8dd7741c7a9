"""An Open XML file as a library is given it: its XML parts alone, checked, with the names of the transitional edition."""

from __future__ import annotations

import io
import zipfile

from lxml import etree

from sourcebook_core.packed import Package
from sourcebook_core.sandbox_talk import Refused
from sourcebook_ingest.read.office import xml

_MAIN = b".main+xml"
_WML, _PML = (
    b"application/vnd.openxmlformats-officedocument.wordprocessingml.",
    b"application/vnd.openxmlformats-officedocument.presentationml.",
)
# Editions of a kind that libraries do not take for it, by the type they are to be taken for.
WORD = (
    _WML + b"document" + _MAIN,
    (
        b"application/vnd.ms-word.document.macroEnabled" + _MAIN, b"application/vnd.ms-word.template.macroEnabledTemplate" + _MAIN,
        _WML + b"template" + _MAIN,
    ),
)  # fmt: skip
SLIDES = (
    _PML + b"presentation" + _MAIN,
    (
        b"application/vnd.ms-powerpoint.presentation.macroEnabled" + _MAIN, b"application/vnd.ms-powerpoint.slideshow.macroEnabled" + _MAIN,
        b"application/vnd.ms-powerpoint.template.macroEnabled" + _MAIN, _PML + b"slideshow" + _MAIN, _PML + b"template" + _MAIN,
    ),
)  # fmt: skip


# What libraries raise for a file that is not as they take it to be.
BROKEN = (KeyError, ValueError, AttributeError, TypeError, IndexError, etree.LxmlError)


def packed(package: Package, edition: tuple[bytes, tuple[bytes, ...]]) -> bytes:
    """The container without pictures, macros and embedded files, and without relations to what is not there.

    Libraries load every part that a relation names: this keeps them to what can hold words, and every byte they see was
    counted and holds no document type. Raises Refused as `Package` does.
    """
    kept = {name for name in package.names if name.endswith((".xml", ".rels"))}
    made = io.BytesIO()
    size = 0
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as target:
        for name in sorted(kept, key=lambda found: (found != "[Content_Types].xml", found)):
            content = package.xml(name, xml.TREE_BYTES)
            size += len(content)
            if size > 2 * xml.TREE_BYTES:
                raise Refused("resource_limit")
            if xml.is_strict(content):
                content = xml.as_transitional(content)
            if name == "[Content_Types].xml":
                content = _plain_types(content, edition)
            elif name.endswith(".rels"):
                content = _inner_relations(name, content, kept)
            target.writestr(name, content)
    return made.getvalue()


def _plain_types(content: bytes, edition: tuple[bytes, tuple[bytes, ...]]) -> bytes:
    for other in edition[1]:
        content = content.replace(other, edition[0])
    return content


def _inner_relations(name: str, content: bytes, kept: set[str]) -> bytes:
    """The relations that lead outside (links, which nobody follows) or to a part that is kept."""
    folder = name.rpartition("_rels/")[0].rstrip("/")
    root = xml.tree(content)
    for relation in list(root):
        if relation.get("TargetMode") != "External" and xml.resolved(folder, str(relation.get("Target", ""))) not in kept:
            root.remove(relation)
    return bytes(etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True))
