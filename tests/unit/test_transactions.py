"""Inside a transaction nothing is awaited but the database, so that a session that stands still there is one of a frozen process."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENERS = {"transaction", "holding", "finishing", "snapshot"}


def _opens(item: ast.withitem) -> bool:
    call = item.context_expr
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in OPENERS


def _within(node: ast.AST) -> set[str]:
    """The names of the connection inside of which a block or a whole function runs; none for anything else."""
    if isinstance(node, ast.AsyncWith) and any(map(_opens, node.items)):
        return {item.optional_vars.id for item in node.items if isinstance(item.optional_vars, ast.Name)}
    return {"conn"} if isinstance(node, ast.AsyncFunctionDef) and "conn" in (one.arg for one in node.args.args) else set()


def _is_ours(awaited: ast.AST) -> bool:
    """A place where tests stop a process, or computing beside the event loop: nothing that others could keep waiting."""
    return isinstance(awaited, ast.Call) and ast.unparse(awaited.func) in ("faults.point", "asyncio.to_thread")


def _slow(block: ast.AsyncWith | ast.AsyncFunctionDef, names: set[str]) -> Iterator[ast.AST]:
    """What is awaited in the block without the connection."""
    for node in (inner for line in block.body for inner in ast.walk(line)):
        awaited = node.value if isinstance(node, ast.Await) else node.iter if isinstance(node, ast.AsyncFor) else None
        if awaited is None or any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(awaited)):
            continue
        if not (isinstance(block, ast.AsyncFunctionDef) and _is_ours(awaited)):
            yield node


def test_inside_a_transaction_nothing_is_awaited_but_the_database() -> None:
    found, blocks = [], 0
    for path in [*(ROOT / "libs").rglob("*.py"), *(ROOT / "services").rglob("*.py"), *(ROOT / "sourcebook").rglob("*.py")]:
        for block in ast.walk(ast.parse(path.read_text("utf-8"))):
            names = _within(block)
            if names and isinstance(block, ast.AsyncWith | ast.AsyncFunctionDef):
                blocks += 1
                found += [f"{path.relative_to(ROOT)}:{one.lineno}" for one in _slow(block, names)]  # type: ignore[attr-defined]
    assert blocks > 600
    assert not found
