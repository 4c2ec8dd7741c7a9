"""Whether a corpus that was built is still what its files say: `corpus.lock.json`, committed beside `corpus.toml`."""

from __future__ import annotations

import json
from pathlib import Path

from sourcebook.corpus.plan import Plan


def lock_of(file: Path) -> Path:
    """The lock that belongs to a `corpus.toml`."""
    return file.with_suffix(".lock.json")


def write(file: Path, plan: Plan) -> None:
    """Keep the hash of every input."""
    told = {"corpus": plan.name, "inputs": dict(sorted(plan.inputs.items()))}
    lock_of(file).write_text(json.dumps(told, indent=2) + "\n", "utf-8")


def differences(file: Path, plan: Plan) -> list[str]:
    """What was changed, added or removed since the corpus was built, one sentence each; empty when it is fresh."""
    try:
        before = json.loads(lock_of(file).read_text("utf-8"))["inputs"]
    except FileNotFoundError:
        return [f"{lock_of(file).name} is missing: the corpus was never built."]
    except (ValueError, KeyError, TypeError):
        return [f"{lock_of(file).name} cannot be read: build the corpus again."]
    changed = [f"{name} was changed." for name in plan.inputs if name in before and before[name] != plan.inputs[name]]
    added = [f"{name} is new." for name in plan.inputs if name not in before]
    removed = [f"{name} was removed." for name in before if name not in plan.inputs]
    return sorted([*changed, *added, *removed])
