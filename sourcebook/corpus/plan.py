"""What a corpus is made of: `corpus.toml`, the pages of its layers with what they include, and the captions of their chunks."""

from __future__ import annotations

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sourcebook_core.errors import PermanentError
from sourcebook_core.text import outline

# The mark of pymdown's snippets: a line of its own that stands for the text of another file of the layer.
_SNIPPET = re.compile(r'^[ \t]*--8<--[ \t]+"([^"\n]+)"[ \t]*$', re.MULTILINE)
_DEPTH = 5  # snippets in snippets
_CAPTION_CHARS = 500  # as the server takes them
_HASH_CHARS = 12  # of an external id: enough to tell two versions of a page apart


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Layer(_Frozen):
    """One folder of pages. `exclude` may not come in by any way; `snippets` only as parts of pages."""

    name: str = Field(pattern=r"^[a-z0-9_-]{1,40}$")
    root: str
    include: tuple[str, ...] = ("**/*.md",)
    exclude: tuple[str, ...] = ()
    snippets: tuple[str, ...] = ()
    url: str | None = None


class Corpus(_Frozen):
    """The `[corpus]` table."""

    name: str = Field(pattern=r"^[a-z0-9_-]{1,60}$")
    assistant: str
    captions: str | None = None


class Recipe(_Frozen):
    """A whole `corpus.toml`."""

    corpus: Corpus
    layer: tuple[Layer, ...] = Field(min_length=1)


@dataclass(frozen=True)
class Page:
    """One page as it is added: its text with every snippet in its place, and the captions of its chunks by their hash."""

    layer: str
    path: str
    title: str
    text: str
    url: str | None
    captions: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """What tells it from the other pages."""
        return f"{self.layer}/{self.path}"

    def external_id(self, corpus: str) -> str:
        """The id of this version of the page: other words are another source, so that the version in use stays as it is."""
        digest = hashlib.sha256(f"{self.title}\n{self.text}".encode()).hexdigest()
        return f"{corpus}:{self.name}@{digest[:_HASH_CHARS]}"

    @property
    def meta(self) -> dict[str, Any]:
        """What the source is told of it. A page of a layer without an address never gets one."""
        return {"layer": self.layer, "path": self.path} | ({"url": self.url} if self.url else {})


@dataclass(frozen=True)
class Plan:
    """A corpus that can be built: its pages, and every file that it was made of with its SHA-256."""

    name: str
    assistant: str
    pages: list[Page]
    inputs: dict[str, str]


def load(file: Path) -> Plan:
    """Read a `corpus.toml` and everything it names. Raises PermanentError `bad_setting` that names the file and what is wrong."""
    try:
        recipe = Recipe.model_validate(tomllib.loads(file.read_text("utf-8")))
    except OSError as away:
        raise _wrong(file.name, f"it cannot be read ({away.strerror}).") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as broken:
        raise _wrong(file.name, f"it is no TOML: {broken}.") from None
    except ValidationError as unfit:
        first = unfit.errors()[0]
        raise _wrong(f"{file.name}: {'.'.join(str(part) for part in first['loc'])}", first["msg"]) from None
    folder = file.parent
    captions = folder / recipe.corpus.captions if recipe.corpus.captions else None
    pages = [page for layer in recipe.layer for page in _pages(folder, layer, captions)]
    if not pages:
        raise _wrong(file.name, "no page is included.")
    if captions:
        _each_is_of_a_page(captions, pages)
    return Plan(recipe.corpus.name, recipe.corpus.assistant, pages, _inputs(file, recipe, captions))


def _wrong(setting: str, why: str) -> PermanentError:
    return PermanentError("bad_setting", setting=setting, why=why)


def _pages(folder: Path, layer: Layer, captions: Path | None) -> Iterator[Page]:
    root = folder / layer.root
    if not root.is_dir():
        raise _wrong(f"layer {layer.name}", f"there is no folder {layer.root}.")
    for path in _files(root, layer.include):
        relative = path.relative_to(root).as_posix()
        if _is_among(relative, layer.exclude) or _is_among(relative, layer.snippets):
            continue
        text = _with_snippets(root, layer, relative, ())
        title = next((one.title for one in outline.outline(text) if one.title), None) or PurePosixPath(relative).stem
        yield Page(layer.name, relative, title, text, _address(layer, relative), _captions(captions, layer, relative))


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    return sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()})


def _is_among(relative: str, patterns: tuple[str, ...]) -> bool:
    """Whether a path is one of a list of patterns; `folder/**` stands for all that is in it."""
    path = PurePosixPath(relative)
    return any(path.match(pattern) or (pattern.endswith("/**") and relative.startswith(pattern.removesuffix("**"))) for pattern in patterns)


def _with_snippets(root: Path, layer: Layer, relative: str, inside: tuple[str, ...]) -> str:
    """The text of a file with every snippet in its place. An excluded file may not come in as a snippet of another (S0-10)."""
    chain = (*inside, relative)
    path = (root / relative).resolve()
    if not path.is_relative_to(root.resolve()):
        raise _wrong(inside[-1], f"it includes {relative}, which lies outside the layer.")
    if inside and _is_among(relative, layer.exclude):
        raise _wrong(inside[-1], f"it includes {relative}, which is excluded. Take the include out, or the page out of exclude.")
    if relative in inside or len(chain) > _DEPTH:
        raise _wrong(inside[0], f"its includes go round in a circle: {' → '.join(chain)}.")
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as broken:
        raise _wrong(chain[0], f"{relative} cannot be read as text ({broken}).") from None
    return _SNIPPET.sub(lambda found: _with_snippets(root, layer, found[1], chain).rstrip("\n"), text)


def _address(layer: Layer, relative: str) -> str | None:
    if layer.url is None:
        return None
    place = relative.removesuffix(".md")
    place = place.removesuffix("index").removesuffix("README")
    return f"{layer.url.rstrip('/')}/{place.rstrip('/')}".rstrip("/") + "/"


def _captions(folder: Path | None, layer: Layer, relative: str) -> dict[str, str]:
    """The captions of a page by the hash of the chunk they are about; a page without the file has none."""
    if folder is None:
        return {}
    file = folder / layer.name / f"{relative}.json"
    if not file.exists():
        return {}
    try:
        given = json.loads(file.read_text("utf-8"))
    except (ValueError, UnicodeDecodeError) as broken:
        raise _wrong(file.name, f"it is no JSON: {broken}.") from None
    fits = isinstance(given, dict) and all(
        re.fullmatch(r"[0-9a-f]{64}", hashed) and isinstance(caption, str) and 0 < len(caption.strip()) <= _CAPTION_CHARS
        for hashed, caption in given.items()
    )
    if not fits:
        raise _wrong(file.name, f"each key is the SHA-256 of a chunk's words, each value a caption of at most {_CAPTION_CHARS} characters.")
    return dict(given)


def _each_is_of_a_page(folder: Path, pages: Sequence[Page]) -> None:
    """A caption file of a page that was moved, left out or misspelt would be lost unseen (N-21)."""
    known = {f"{page.name}.json" for page in pages}
    for name in (file.relative_to(folder).as_posix() for file in sorted(folder.rglob("*.json"))):
        if name not in known:
            raise _wrong(name, "its captions are of no page.")


def _inputs(file: Path, recipe: Recipe, captions: Path | None) -> dict[str, str]:
    """Every file that the corpus is made of, excluded ones left out, by its path beside `corpus.toml`."""
    files = [file, *(sorted(captions.rglob("*.json")) if captions else [])]
    for layer in recipe.layer:
        root = file.parent / layer.root
        found = _files(root, (*layer.include, *layer.snippets))
        files += [path for path in found if not _is_among(path.relative_to(root).as_posix(), layer.exclude)]
    return {path.relative_to(file.parent).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}
