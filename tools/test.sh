#!/bin/sh
# Every check that CI runs. The closing line of pytest comes last.
set -eu
cd "$(dirname "$0")/.."
[ -d .make/bin ] && PATH="$(pwd)/.make/bin:$PATH" && export PATH
tools/lint.sh
if [ -f web/package.json ]; then
    echo "== page: rules, tests, size"
    (cd web && npm run --silent lint && npm run --silent test && npm run --silent budget)
fi
echo "== tests"
# Two at a time, a file each: the tests wait more than they work, and a file's tests share servers.
exec .venv/bin/python -m pytest -q -m "not long" -n 2 --dist loadfile "$@"
