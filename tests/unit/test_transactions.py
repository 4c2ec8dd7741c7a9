"""Inside a transaction nothing is awaited but the database, so that a session that stands still there is one of a frozen process."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENERS = {"transaction", "holding", "finishing", "snapshot"}


def _opens(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in OPENERS


def _slow(block: ast.AsyncWith) -> Iterator[ast.AST]:
    """What is awaited in the block without the connection."""
    names = {item.optional_vars.id for item in block.items if isinstance(item.optional_vars, ast.Name)}
    for node in (inner for line in block.body for inner in ast.walk(line)):
        awaited = node.value if isinstance(node, ast.Await) else node.iter if isinstance(node, ast.AsyncFor) else None
        if awaited is not None and not any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(awaited)):
            yield node


def test_inside_a_transaction_nothing_is_awaited_but_the_database() -> None:
    found, blocks = [], 0
    for path in [*(ROOT / "libs").rglob("*.py"), *(ROOT / "services").rglob("*.py"), *(ROOT / "sourcebook").rglob("*.py")]:
        for block in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(block, ast.AsyncWith) and any(map(_opens, block.items)):
                blocks += 1
                found += [f"{path.relative_to(ROOT)}:{one.lineno}" for one in _slow(block)]  # type: ignore[attr-defined]
    assert blocks > 200
    assert not found
