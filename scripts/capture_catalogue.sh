#!/usr/bin/env bash
# Make graphs/captured again: capture the listed models, cut them up, vary the benchmark's graphs, write the archives.
# Takes hours on two cores. What is done is kept in WORK: the same command goes on where it stopped.
#
#   PYTHON=python scripts/capture_catalogue.sh WORK
#
# PYTHON needs this checkout's packages (pip install -e .) and timm, transformers, diffusers, torch_geometric; the
# versions that we had stand in graphs/captured/manifest.json.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
WORK=${1:?a folder for what is captured}
PYTHON=${PYTHON:-.venv/bin/python}

"$PYTHON" -m dataset capture @scripts/models_by_family.txt --out "$WORK/captured" --seconds 75
"$PYTHON" -m dataset capture @scripts/models_for_training.txt --train --out "$WORK/trained" --seconds 150
for tree in captured trained; do
    for kind in single classical; do
        "$PYTHON" -m dataset decompose "$WORK/$tree" --kind "$kind" --seconds 60 --resume
    done
    "$PYTHON" -m dataset decompose "$WORK/$tree" --kind fusible --window 10 --seconds 60 --resume
done
"$PYTHON" scripts/build_catalogue.py "$WORK" --choose
"$PYTHON" -m dataset vary "$WORK/chosen" --out "$WORK/varied" --variants 3
"$PYTHON" scripts/build_catalogue.py "$WORK"
