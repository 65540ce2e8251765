#!/usr/bin/env bash
# `make test` and `make lint`: every step runs, one summary at the end, exit status 1 when a step failed.
#
#   scripts/test.sh lint | all | hostile | cluster
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
WHAT=${1:-all}
if [[ $WHAT == cluster ]]; then scripts/setup.sh cluster || exit 1; else scripts/setup.sh test || exit 1; fi

# Hundreds of processes are started: where bytecode is not kept, each compiles all of our modules again.
unset PYTHONDONTWRITEBYTECODE

bin=.venv/bin
read -ra pytest_arguments <<<"${PYTEST_ARGS:-}"
names=() outcomes=()

step() {
    local name=$1 start=$SECONDS
    shift
    printf '\n── %s\n' "$name"
    local outcome=ok code=0
    "$@" || code=$?
    ((code == 0)) || outcome=FAILED
    [[ $name == "dependency audit" && $code == 3 ]] && outcome="ok, but advisories NOT CHECKED"
    names+=("$name") outcomes+=("$outcome $((SECONDS - start)) s")
}

# Tests that need neither the database nor the browser are half of the time: they run beside everything else, linters
# too. PYTEST_ARGS are for one process, which may be given files.
beside=(tests/evaluator tests/dataset tests/graphs tests/graphs_data)
beside_log=var/setup/test-beside.log
remembered=var/setup/pytest # where each half remembers which tests failed
half() {
    local name=$1
    shift
    rm -rf "$remembered-$name"
    $bin/python -m pytest -m "not hostile and not cluster" -o cache_dir="$remembered-$name" "$@"
}
start_beside() {
    set -m # a process group of its own, to end it as a whole; and Ctrl-C is not ignored in it, as tests of Ctrl-C need
    half beside "${beside[@]}" </dev/null >"$beside_log" 2>&1 &
    beside_process=$!
    set +m
    trap 'kill -TERM -- "-$beside_process" 2>/dev/null' EXIT
}
beside_outcome() {
    local code=0
    wait "$beside_process" || code=$?
    trap - EXIT
    cat "$beside_log"
    return $code
}

# Browsers, servers and compilers of both halves share the cores, and some tests wait for something to happen. A few that
# failed are run once more with nothing beside them; those that pass then are named in the summary, never kept quiet.
most_again=5
run_again() { # the half's name and the place of its outcome
    local half=$1 place=$2 list=$remembered-$1/v/cache/lastfailed failed
    [[ ${outcomes[place]} == FAILED* && -f $list ]] || return 0
    failed=$($bin/python -c 'import json, sys; print(*json.load(open(sys.argv[1])), sep="\n")' "$list")
    (($(wc -l <<<"$failed") <= most_again)) || return 0
    step "${names[place]}, again" $bin/python -m pytest -m "not hostile and not cluster" -o cache_dir="$remembered-$half" \
        --last-failed --last-failed-no-failures none tests
    if [[ ${outcomes[-1]} == ok* ]]; then
        outcomes[place]="ok, but ONLY ON A SECOND, QUIET RUN: $(paste -sd' ' <<<"$failed")"
    fi
}

if [[ $WHAT == all ]] && ((!${#pytest_arguments[@]})); then start_beside; fi
if [[ $WHAT == all || $WHAT == lint ]]; then
    step "ruff check" $bin/ruff check .
    step "ruff format" $bin/ruff format --check --quiet .
    step "mypy" $bin/mypy
    step "import-linter" $bin/lint-imports
    step "tsc" node_modules/.bin/tsc --noEmit
    step "dependency audit" $bin/python scripts/audit.py
fi
case $WHAT in
    all)
        step "vitest" node_modules/.bin/vitest run
        if ((${#pytest_arguments[@]})); then
            step "pytest" $bin/python -m pytest -m "not hostile and not cluster" "${pytest_arguments[@]}"
        else
            step "pytest web" half web "${beside[@]/#/--ignore=}"
            step "pytest beside it" beside_outcome
            place=${#outcomes[@]}
            run_again web $((place - 2))
            run_again beside $((place - 1))
        fi
        ;;
    cluster)
        # The web rooms' own tests of runs, queue, events, sockets and API, on Postgres and Debian's Redis; then the
        # cluster as its page says, each process of which is killed.
        on_servers=($bin/python -m tests.cluster.servers $bin/python -m pytest)
        of_servers=(tests/submissions/test_{fairness,workers,run_life,judging,events,announce,consumer,live,api,devices,limits,streaming}.py)
        step "server tests on Postgres" "${on_servers[@]}" "${of_servers[@]}" \
            tests/assistant/test_evaluate.py "${pytest_arguments[@]}"
        step "cluster" $bin/python -m pytest -m cluster tests/cluster "${pytest_arguments[@]}"
        ;;
    hostile) step "pytest (hostile)" $bin/python -m pytest -m hostile "${pytest_arguments[@]}" ;;
esac

printf '\n── summary\n'
status=0
for i in "${!names[@]}"; do
    printf '  %-24s %s\n' "${names[$i]}" "${outcomes[$i]}"
    [[ ${outcomes[$i]} == ok* ]] || status=1
done
[[ -n ${PASSNET_CASES:-} || $WHAT == lint ]] || echo "  PASSNET_CASES is not set: no outside acceptance cases were replayed"
exit $status
