#!/usr/bin/env bash
# Make everything the workbench needs inside the checkout: .venv/, node_modules/, static/dist/.
#
#   scripts/setup.sh run     what `make run` needs
#   scripts/setup.sh setup   the same plus the tools of `make test`, as far as the system allows
#   scripts/setup.sh test    the same, and stop unless everything is there
#   scripts/setup.sh cluster the same, with Postgres and Redis from the system
#   scripts/setup.sh doctor  change nothing; say what is there, what is missing and how to get it
#
# Work that is done is remembered in stamp files (hashes of what it was made from), so a second call takes well under
# a second. Variables: PYTHON (interpreter to use), PIP_INDEX_URL, npm's own `registry` setting.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
ROOT=$PWD
MODE=${1:-run}

source scripts/setup/common.sh
source scripts/setup/system.sh
source scripts/setup/python.sh
source scripts/setup/frontend.sh

case $MODE in
    doctor) doctor; exit ;;
    run | setup | test | cluster) ;;
    *) fail "scripts/setup.sh knows 'run', 'setup', 'test', 'cluster' and 'doctor', not '$MODE'." ;;
esac

mkdir -p var/setup 2>/dev/null || fail "Can not write to $ROOT. Give your user the checkout (chown) or clone it to a folder of your own."
exec 9>var/setup/lock
if ! flock -n 9; then
    say "another setup is running in this checkout; waiting for it …"
    flock 9
fi

require_system "$MODE"
# One waits for downloads for most of its time, the other computes. Who fails has said why; the other ends with it.
set -m # a process group of its own, to end it as a whole
setup_frontend </dev/null &
frontend=$!
set +m
trap 'kill -TERM -- "-$frontend" 2>/dev/null || true' EXIT
setup_python "$MODE"
wait "$frontend"
trap - EXIT
