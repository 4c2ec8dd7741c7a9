#!/bin/sh
# Every rule that needs no running server.
set -eu
cd "$(dirname "$0")/.."
step() {
    printf '%s\n' "== $1"
    shift
    "$@"
}
step "format" .venv/bin/ruff format --check --quiet .
step "rules" .venv/bin/ruff check --quiet .
step "types" .venv/bin/mypy
step "types of the tests" .venv/bin/mypy -p tests
step "import contracts" .venv/bin/lint-imports
step "line budget and text rules" .venv/bin/python -m tools.rules
