#!/bin/sh
# Every check that CI runs. The closing line of pytest comes last.
set -eu
cd "$(dirname "$0")/.."
[ -d .make/bin ] && PATH="$(pwd)/.make/bin:$PATH" && export PATH
# Workers, gateways and readers start hundreds of times: their modules are compiled once, also where the machine says otherwise.
unset PYTHONDONTWRITEBYTECODE
mkdir -p .make
# The rules of the code and those of the page use a core each: one beside the other.
tools/lint.sh >.make/lint.log 2>&1 &
lint=$!
page=good
if [ -f web/package.json ]; then
    echo "== page: rules, tests, size"
    (cd web && npm run --silent lint && npm run --silent test && npm run --silent budget) || page=bad
fi
code=good
wait "$lint" || code=bad
cat .make/lint.log
[ $page = good ] && [ $code = good ] || exit 1
echo "== tests"
# Three at a time on two cores, a file each: the tests wait more than they work, and a file's tests share servers.
exec .venv/bin/python -m pytest -q -m "not long" -n 3 --dist loadfile "$@"
