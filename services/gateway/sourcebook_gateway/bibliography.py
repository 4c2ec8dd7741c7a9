"""The sources of a notebook as BibTeX or RIS, for reference managers."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from sourcebook_core import kinds
from sourcebook_core.store.sources import Source

Format = Literal["bibtex", "ris"]
MEDIA_TYPES: dict[Format, str] = {"bibtex": "application/x-bibtex; charset=utf-8", "ris": "application/x-research-info-systems"}
ENDINGS: dict[Format, str] = {"bibtex": "bib", "ris": "ris"}
# Signs that TeX would read as commands. Source: The TeXbook, chapter 7.
_TEX = {
    "\\": r"\textbackslash{}", "{": r"\textbraceleft{}", "}": r"\textbraceright{}", "$": r"\$", "&": r"\&", "#": r"\#", "_": r"\_",
    "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip
# (RIS, BibTeX) by the ending of a file's kind or the beginning of its media type. Sources: RIS Format Specifications, reference types;
# BibTeX's standard types, else biblatex's (3.3), which other styles take as `misc`. A text says nothing of what it is: GEN.
_WORKS: tuple[tuple[str, tuple[str, str]], ...] = (
    ("text/html", ("ELEC", "online")), ("application/epub+zip", ("BOOK", "book")), ("message/rfc822", ("PCOMM", "misc")),
    (kinds.PPTX.media_type, ("SLIDE", "misc")), (kinds.ODP.media_type, ("SLIDE", "misc")),
    (kinds.XLSX.media_type, ("DATA", "dataset")), (kinds.ODS.media_type, ("DATA", "dataset")), ("text/csv", ("DATA", "dataset")),
    ("text/tab-separated-values", ("DATA", "dataset")), ("video/", ("VIDEO", "video")),
)  # fmt: skip
_BY_KIND: dict[str, tuple[str, str]] = {
    "pdf": ("RPRT", "techreport"), "office": ("RPRT", "techreport"), "audio": ("SOUND", "audio"), "image": ("FIGR", "image"),
}  # fmt: skip
_KEY_WORD = re.compile(r"[a-z0-9]+")


def written(sources: Sequence[Source], form: Format) -> str:
    """One entry for each source, in the order given."""
    if form == "ris":
        return "\r\n".join(line for one in sources for line in _ris(one))
    keys: Counter[str] = Counter()
    return "\n".join(_bibtex(one, keys) for one in sources)


def work_of(of: Source) -> tuple[str, str]:
    """What a source is as a work, by what is known of it: its type in RIS and in BibTeX.

    A DOI or a journal make it an article; of a web page, which may only be about one, only together with authors and year.
    """
    is_dated = bool(of.authors and of.year)
    if (of.doi or _journal(of)) and (of.kind != "url" or is_dated):
        return "JOUR", "article"
    if of.kind == "url":
        return "ELEC", "online"
    media_type = of.media_type or ""
    by_media = next((work for begin, work in _WORKS if media_type.startswith(begin)), None)
    return by_media or _BY_KIND.get(of.kind, ("GEN", "misc"))


def _journal(of: Source) -> str:
    """The journal, where whoever added the source told it in `meta`."""
    told = of.meta.get("journal")
    return told if isinstance(told, str) else ""


def _bibtex(of: Source, keys: Counter[str]) -> str:
    fields = {
        "title": f"{{{_tex(of.title)}}}",
        "author": " and ".join(_author(name) for name in of.authors),
        "year": str(of.year or ""),
        "journal": _tex(_journal(of)),
        "doi": _verbatim(of.doi),
        "url": _verbatim((of.url or "").replace("%", r"\%")),
        "urldate": of.ready_at.date().isoformat() if of.url and of.ready_at else "",
        "langid": of.language or "",
    }
    told = "".join(f",\n  {name} = {{{value}}}" for name, value in fields.items() if value)
    return f"@{work_of(of)[1]}{{{_key(of, keys)}{told}\n}}\n"


def _key(of: Source, keys: Counter[str]) -> str:
    """Family name, year and first word of the title, in plain letters, and a letter where that is taken."""
    who = _KEY_WORD.findall(_ascii(of.authors[0]).split(",")[0])[-1:] if of.authors else []
    plain = "".join([*who, str(of.year or ""), *_KEY_WORD.findall(_ascii(of.title))[:1]]) or "source"
    return numbered(plain, keys)


def numbered(plain: str, keys: Counter[str]) -> str:
    """The key, and from the second of its name on a number. Counted, not tried: thousands may be called alike."""
    keys[plain] += 1  # no plain key holds the sign that stands before the number
    return plain if keys[plain] == 1 else f"{plain}-{keys[plain]}"


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()


def _verbatim(text: str | None) -> str:
    """An address or a DOI, whose signs are not TeX's; a brace in it would end its field, as an escaped one would (BibTeX counts it)."""
    return "".join((text or "").split()).replace("{", "%7B").replace("}", "%7D")


def _author(name: str) -> str:
    """A name; one that holds the word between names is kept together by braces."""
    told = _tex(name)
    return f"{{{told}}}" if " and " in f" {told} ".lower() else told


def _tex(text: str) -> str:
    return "".join(_TEX.get(sign, sign) for sign in " ".join(text.split()))


def _ris(of: Source) -> Iterator[str]:
    yield f"TY  - {work_of(of)[0]}"
    lines = [("TI", of.title), *(("AU", name) for name in of.authors), ("PY", str(of.year or ""))]
    lines += [("JO", _journal(of)), ("DO", of.doi or "")]
    lines += [("UR", of.url or ""), ("Y2", of.ready_at.strftime("%Y/%m/%d") if of.url and of.ready_at else ""), ("LA", of.language or "")]
    for tag, value in lines:
        if value:
            yield f"{tag}  - {' '.join(value.split())}"
    yield "ER  - "
    yield ""
