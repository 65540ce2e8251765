#!/usr/bin/env bash
# `make run`: set up what is missing, then hand over to the supervisor.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
scripts/setup.sh run
export LOAD_CAPTURED="${LOAD_CAPTURED:-1}" # the subgraphs of real models, in the background; 0 leaves them out
# If whoever started us is killed outright, the supervisor is told and takes everything down with it.
guard=()
if setpriv --help 2>/dev/null | grep -q -- --pdeathsig; then guard=(setpriv --pdeathsig TERM --); fi
exec "${guard[@]}" .venv/bin/python manage.py up --port "${PORT:-8000}" --host "${HOST:-127.0.0.1}"
