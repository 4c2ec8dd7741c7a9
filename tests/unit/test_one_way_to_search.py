"""Chunks reach an answer by one way: a scope, then the modules that search. Who looks elsewhere is named here."""

import ast
import re
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]
STORE = CHECKOUT / "libs/core/sourcebook_core/store"
# May read chunks, their words or vectors: what searches a scope, and what makes, rebuilds or removes them.
SEARCHES = {"search", "explained", "postings", "vector_index"}
KEEPS = {"chunks", "captions", "indexes", "readings", "rebuild", "recipes", "summaries", "trash"}
# Shows owners the chunks of a source that is theirs, to bring captions for them: no answer is made of it.
OF_OWNERS = CHECKOUT / "services/gateway/sourcebook_gateway/routes/captions.py"
_CHUNK_TABLES = re.compile(r"\b(?:from|join|update|into)\s+corpus\.(?:chunks|chunk_lex|chunk_vec|postings)\b", re.IGNORECASE)


def test_only_named_modules_of_the_store_touch_the_tables_of_chunks() -> None:
    touching = {path.stem for path in STORE.glob("*.py") if _CHUNK_TABLES.search(path.read_text("utf-8"))}
    assert touching <= SEARCHES | KEEPS, touching - SEARCHES - KEEPS
    elsewhere = [
        path
        for folder in ("services", "sourcebook", "libs")
        for path in (CHECKOUT / folder).rglob("*.py")
        if path.parent != STORE and "migrations" not in path.parts and _CHUNK_TABLES.search(path.read_text("utf-8"))
    ]
    assert elsewhere == []


def imported(path: Path) -> set[str]:
    """Modules of the store whose functions a file can call; pure names of `chunks` are no way to a row."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "sourcebook_core.store":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sourcebook_core.store."):
            names = {alias.name for alias in node.names if alias.name[0].islower() and alias.name != "indexed_text"}
            found |= {str(node.module).rpartition(".")[2]} if names else set()
    return found


def test_what_answers_reaches_chunks_only_through_modules_that_take_a_scope() -> None:
    for folder in ("services/rag", "services/gateway"):
        for path in (CHECKOUT / folder).rglob("*.py"):
            assert path == OF_OWNERS or not imported(path) & {"chunks", "captions", "indexes"}, path


def test_every_function_that_searches_takes_a_scope_or_what_was_read_of_one() -> None:
    for name in ("search", "explained"):
        tree = ast.parse((STORE / f"{name}.py").read_text("utf-8"))
        for node in tree.body:
            if isinstance(node, ast.AsyncFunctionDef) and not node.name.startswith("_"):
                kinds = [ast.unparse(argument.annotation) for argument in node.args.args if argument.annotation]
                assert "Scope" in kinds, f"{name}.{node.name}"
