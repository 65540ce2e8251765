# The Python environment in .venv/, with the versions of constraints.txt.

# setup_python run|setup|test
setup_python() {
    local mode=$1 extras=evaluator,web wanted
    local stamp=.venv/.passnet-run
    if [[ $mode != run ]]; then extras+=,test stamp=.venv/.passnet-test; fi
    # The place counts: an environment holds absolute paths and does not survive a move.
    wanted=$(hash_of "$ROOT" pyproject.toml constraints.txt)
    if environment_works; then
        stamped .venv/.passnet-test "$wanted" && return
        if [[ $mode == run ]] && stamped .venv/.passnet-run "$wanted"; then return; fi
    else
        need_space "$ROOT" 3072 "the Python environment and the front end"
        need_space "${TMPDIR:-/tmp}" 1024 "downloads (TMPDIR chooses another folder)"
        say "making a Python environment in .venv with $PYTHON_BIN …"
        rm -rf .venv
        "$PYTHON_BIN" -m venv .venv >var/setup/venv.log 2>&1 || explain_failure var/setup/venv.log "python -m venv" "$(pip_fix)"
    fi
    install_python_packages "$extras"
    printf '%s' "$wanted" >"$stamp"
}

environment_works() {
    [[ -x .venv/bin/python ]] && [[ $(.venv/bin/python -c 'import sys; print(sys.prefix)' 2>/dev/null) == "$ROOT/.venv" ]]
}

install_python_packages() {
    local extras=$1 log=var/setup/pip.log
    say "installing Python packages ($extras); the first time this takes some minutes …"
    # Only the large downloads are worth a line each; the log has everything.
    if ! .venv/bin/python -m pip install --disable-pip-version-check --no-input --progress-bar off --retries 3 \
        -c constraints.txt -e ".[$extras]" 2>&1 | tee "$log" | sed -unE 's/^ *Downloading ([^ ]*\/)?([^ ]+) \(([0-9]{2,}\.[0-9] [MG]B|[0-9.]+ GB)\).*/  downloading \2 (\3)/p'; then
        explain_failure "$log" "pip install" "$(pip_fix)"
    fi
}

pip_fix() {
    printf 'pip asks %s. Point it to an index that you can reach: PIP_INDEX_URL=https://your.mirror/simple make setup (a proxy: HTTPS_PROXY; a certificate: PIP_CERT).' \
        "${PIP_INDEX_URL:-$(.venv/bin/python -m pip config get global.index-url 2>/dev/null || echo https://pypi.org/simple)}"
}
