"""Rules of the house that no linter has: how long files and functions may be, and words that must not appear."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE_LINES, TEST_FILE_LINES, FUNCTION_LINES = 400, 500, 60
# Names that say nothing about what is inside.
EMPTY_NAMES = {"utils", "helpers", "common", "misc", "manager", "handler", "process", "data", "info", "base", "impl"}
MOCKS = re.compile(r"unittest\.mock|from mock\b|MagicMock|monkeypatch\.setattr|\bmocker\b")
# A sleep with its reason beside it (`# the work takes this long`) is let pass; one without is a test that waits by the clock.
SLEEPS_IN_TESTS = re.compile(r"^[^#\n]*\b(?:time\.sleep\(|asyncio\.sleep\((?!0\)))[^#\n]*$", re.MULTILINE)
ADDRESSES_IN_LOCKS = re.compile(r'"resolved": *"https?://|^--(extra-)?index-url|registry *= *"?https?://', re.MULTILINE)
# structlog: event = noun.past_verb
LOG_CALL = re.compile(r'\blog(?:ger)?\.(?:debug|info|warning|error|exception|critical)\(\s*f?"([^"]*)"')
EVENT_NAME = re.compile(r"^[a-z_]+(\.[a-z_]+)+$")
# The rig polls, fakes play slow servers, benches pace themselves.
MAY_SLEEP = ("tests/rig.py", "tests/fakes/", "tests/load/")


def tracked(*patterns: str) -> list[Path]:
    """Files of the checkout that git knows or would take, matching the patterns (names with `*` as in `*.py`)."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if said.returncode != 0:
        raise SystemExit("The house rules are checked in a git checkout: `git init && git add -A` makes one of an unpacked archive.")
    return sorted({ROOT / name.decode() for name in said.stdout.split(b"\0") if name and (ROOT / name.decode()).is_file()})


def long_things(path: Path, text: str) -> Iterator[str]:
    """Files and functions over the hard limits."""
    name = path.relative_to(ROOT).as_posix()
    limit = TEST_FILE_LINES if name.startswith("tests/") else FILE_LINES
    count = text.count("\n")
    if count > limit:
        yield f"{name}: {count} lines, the limit is {limit}"
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno:
            lines = node.end_lineno - node.lineno + 1
            if lines > FUNCTION_LINES:
                yield f"{name}:{node.lineno}: {node.name} has {lines} lines, the limit is {FUNCTION_LINES}"


def words(path: Path, text: str) -> Iterator[str]:
    """Mocks, sleeping tests, empty names, log events of another form, a test that is no sentence."""
    name = path.relative_to(ROOT).as_posix()
    if path.stem in EMPTY_NAMES:
        yield f"{name}: a file is named for what is in it"
    if name.startswith("tests/"):
        if MOCKS.search(text):
            yield f"{name}: tests use the real thing, or a fake over real HTTP; no mocks"
        if SLEEPS_IN_TESTS.search(text) and not name.startswith(MAY_SLEEP):
            yield f"{name}: tests wait for a condition (tests/rig.py: until), they do not sleep"
        for test in re.findall(r"def (test_\w+)", text):
            if test.count("_") < 3:
                yield f"{name}: {test} is not a sentence"
        return
    for event in LOG_CALL.findall(text):
        if not EVENT_NAME.match(event):
            yield f'{name}: the log event "{event}" is not noun.past_verb'


def locks() -> Iterator[str]:
    """Lock files name no download address."""
    for path in tracked("requirements/*.txt", "web/package-lock.json", "web/.npmrc"):
        if ADDRESSES_IN_LOCKS.search(path.read_text("utf-8")):
            yield f"{path.relative_to(ROOT)}: names a download address"


def main() -> int:
    """Print every broken rule; 1 when there is one."""
    broken = list(locks())
    for path in tracked("*.py"):
        text = path.read_text("utf-8")
        broken += [*long_things(path, text), *words(path, text)]
    for line in broken:
        print(line)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
