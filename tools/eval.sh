#!/bin/sh
# A stack of its own, a set run through it, its table. Exit 1 when a threshold that was written before is missed.
set -eu
cd "$(dirname "$0")/.."
set_name=${1:-lakeside}
data=${DATA:-build/evaluation/stack}
mkdir -p "$data"
.venv/bin/python -m sourcebook up --data "$data" --port "${PORT:-8491}" >"$data/up.log" 2>&1 &
stack=$!
trap 'kill "$stack" 2>/dev/null; wait "$stack" 2>/dev/null || true' EXIT INT TERM
tries=0
until .venv/bin/python -m sourcebook list notebooks --data "$data" >/dev/null 2>&1; do
    tries=$((tries + 1))
    if [ "$tries" -gt 120 ] || ! kill -0 "$stack" 2>/dev/null; then
        echo "The stack did not start; the end of $data/up.log:" >&2
        tail -n 20 "$data/up.log" >&2
        exit 1
    fi
    sleep 1
done
.venv/bin/python -m sourcebook eval run "$set_name" --data "$data"
