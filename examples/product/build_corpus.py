"""Extracts the handbook and the curated references into `corpus.json`, which is committed; `--check` says whether it is fresh."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
CORPUS = FOLDER / "corpus.json"
OWN_TECHNOLOGY = "ring resonance"
ADDRESS = "https://veyra.example/handbook/"


def sources() -> list[Path]:
    """The files that the corpus is made of."""
    return [*sorted((FOLDER / "handbook").glob("*.md")), FOLDER / "references.json"]


def digest(path: Path) -> str:
    """SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def documents() -> list[dict[str, Any]]:
    """Handbook pages as actionable evidence, references as background, each with the metadata that search filters by."""
    found = []
    for path in sorted((FOLDER / "handbook").glob("*.md")):
        text = path.read_text("utf-8")
        meta = {"evidence": "product", "technology": OWN_TECHNOLOGY, "url": f"{ADDRESS}{path.stem}/"}
        found.append({"id": f"handbook/{path.stem}", "title": text.partition("\n")[0].lstrip("# "), "text": text, "meta": meta})
    for one in json.loads((FOLDER / "references.json").read_text("utf-8")):
        meta = {"evidence": "reference", **{name: one[name] for name in ("technology", "claim", "transfer")}}
        text = f"# {one['title']}\n\n{one['text']}\n"
        found.append({"id": f"reference/{one['id']}", "title": one["title"], "text": text, "meta": meta})
    return found


def built() -> dict[str, Any]:
    """The corpus with the hashes of what made it."""
    inputs = {path.relative_to(FOLDER).as_posix(): digest(path) for path in sources()}
    return {"generator": digest(Path(__file__)), "sources": inputs, "documents": documents()}


def stale() -> list[str]:
    """Why the committed corpus is not what the files say; empty when it is fresh."""
    if not CORPUS.exists():
        return ["corpus.json is missing"]
    kept, now = json.loads(CORPUS.read_text("utf-8")), built()
    names = sorted(kept["sources"].keys() | now["sources"].keys())
    changed = [f"{name} differs" for name in names if kept["sources"].get(name) != now["sources"].get(name)]
    return [*changed, *(["build_corpus.py differs"] if kept["generator"] != now["generator"] else [])]


def main() -> None:
    """Write the corpus, or with `--check` only compare."""
    if "--check" in sys.argv:
        for line in stale():
            print(line)
        sys.exit(1 if stale() else 0)
    CORPUS.write_text(json.dumps(built(), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
