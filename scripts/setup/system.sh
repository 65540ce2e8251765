# What must come from the operating system. Sets PYTHON_BIN.

MISSING=()  # what is missing, in words
PACKAGES=() # the Debian packages that bring it
ADVICE=()   # sentences for what apt can not bring

# require_system run|setup|test|cluster: find everything; as root install what is missing; stop where it can not do without.
require_system() {
    local mode=$1
    look_around "$mode"
    [[ ${#MISSING[@]} -eq 0 ]] && return
    if [[ ${#PACKAGES[@]} -gt 0 && $(id -u) -eq 0 ]] && command -v apt-get >/dev/null; then
        install_packages "$mode"
        look_around "$mode"
        [[ ${#MISSING[@]} -eq 0 ]] && return
    fi
    if [[ $mode != test && $mode != cluster && -z ${ESSENTIAL:-} ]]; then
        say "works, with less, without: $(joined "${MISSING[@]}"). $(install_command)"
        return
    fi
    fail "Missing: $(joined "${MISSING[@]}")." "${ADVICE[@]}" "$(install_command)"
}

joined() {
    local text
    text=$(printf '%s, ' "$@")
    printf '%s' "${text%, }"
}

install_command() {
    [[ ${#PACKAGES[@]} -eq 0 ]] && return
    local sudo=''
    [[ $(id -u) -eq 0 ]] || sudo='sudo '
    if command -v apt-get >/dev/null; then
        printf 'Install with: %sapt-get update && %sapt-get install -y %s' "$sudo" "$sudo" "${PACKAGES[*]}"
    else
        printf 'Install with your package manager what Debian calls: %s' "${PACKAGES[*]}"
    fi
}

install_packages() {
    local mode=$1 tried=var/setup/apt-tried wanted="${PACKAGES[*]}"
    # Only tests insist: otherwise a machine without a package mirror does not wait for apt at every start.
    if [[ $mode != test && $mode != cluster && -z ${ESSENTIAL:-} ]] && stamped "$tried" "$wanted"; then return; fi
    need_space /usr 700 "system packages"
    say "installing $wanted with apt-get …"
    local log=var/setup/apt.log
    {
        apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${PACKAGES[@]}"
    } >"$log" 2>&1 </dev/null || { tail -n 5 "$log" >&2; say "apt-get failed; its output is in $ROOT/$log"; }
    printf '%s' "$wanted" >"$tried"
}

# look_around run|setup|test|cluster: fill MISSING, PACKAGES and ADVICE; ESSENTIAL is set when not even `make run` can go on.
look_around() {
    MISSING=() PACKAGES=() ADVICE=() ESSENTIAL=''
    look_for_python
    look_for_node
    if ! command -v "${CXX:-c++}" >/dev/null && ! command -v g++ >/dev/null && ! command -v clang++ >/dev/null; then
        lacks "a C++ compiler" g++
    fi
    command -v bwrap >/dev/null || lacks "bubblewrap" bubblewrap
    if [[ $1 != run ]]; then
        command -v dot >/dev/null || lacks "Graphviz" graphviz
        command -v setpriv >/dev/null || lacks "setpriv" util-linux
        [[ -n $(chromium_path) ]] || lacks "Chromium" chromium
    fi
    if [[ $1 == cluster ]]; then
        compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null || command -v postgres >/dev/null || lacks "Postgres" postgresql
        if ! command -v redis-server >/dev/null || ! command -v redis-cli >/dev/null; then lacks "Redis" redis-server; fi
        command -v faketime >/dev/null || lacks "faketime" faketime
    fi
}

lacks() {
    MISSING+=("$1")
    shift
    PACKAGES+=("$@")
}

chromium_path() {
    local name
    for name in "${CHROMIUM:-chromium}" chromium-browser google-chrome-stable google-chrome; do
        command -v "$name" && return
    done
    return 0
}

look_for_python() {
    local candidate
    PYTHON_BIN=''
    # Newer than 3.12 works with a system redis-server, so it comes last.
    for candidate in ${PYTHON:-python3 python3.12 python3.11 python3.13 python3.14}; do
        "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue
        PYTHON_BIN=$(command -v "$candidate")
        break
    done
    if [[ -z $PYTHON_BIN ]]; then
        ESSENTIAL=1
        [[ -z ${PYTHON:-} ]] || { MISSING+=("Python 3.11 or newer (PYTHON=$PYTHON is not)"); return; }
        lacks "Python 3.11 or newer" python3 python3-venv python3-dev
        return
    fi
    # Debian splits its interpreter: venv needs ensurepip from python3.x-venv, compiled extensions need python3.x-dev.
    local facts version path
    facts=$("$PYTHON_BIN" -c '
import importlib.util as u, os, sys, sysconfig
print("%d.%d" % sys.version_info[:2], os.path.realpath(sys.executable))
print(all(map(u.find_spec, ("venv", "ensurepip"))), os.path.exists(sysconfig.get_path("include") + "/Python.h"))')
    { read -r version path; read -r has_venv has_headers; } <<<"$facts"
    local debian=''
    [[ $path == /usr/bin/python3* ]] && debian=1
    if [[ $has_venv != True ]]; then
        ESSENTIAL=1
        if [[ -n $debian ]]; then lacks "Python's venv module" "python$version-venv"; else
            MISSING+=("Python's venv and ensurepip modules")
            ADVICE+=("$path can not make virtual environments; choose another one with PYTHON=/path/to/python3.")
        fi
    fi
    if [[ $has_headers != True ]]; then
        if [[ -n $debian ]]; then lacks "Python's headers" "python$version-dev"; else
            MISSING+=("Python's headers")
            ADVICE+=("$path has no Python.h; choose another one with PYTHON=/path/to/python3.")
        fi
    fi
}

look_for_node() {
    local version=0
    # Vite 7 asks for 20.19.
    if command -v node >/dev/null; then version=$(node -p 'process.versions.node' 2>/dev/null || echo 0); fi
    local recent=''
    if printf '20.19.0\n%s\n' "$version" | sort -VC; then recent=1; fi
    if [[ -n $recent ]] && command -v npm >/dev/null; then return; fi
    frontend_is_fresh || ESSENTIAL=1
    if [[ -n $recent ]]; then lacks "npm" npm; return; fi
    local offered=0 # the version that apt would install
    if command -v apt-cache >/dev/null; then
        offered=$(apt-cache policy nodejs 2>/dev/null | sed -n 's/^ *Candidate: *\([0-9.]*\).*/\1/p')
    fi
    if printf '20.19.0\n%s\n' "${offered:-0}" | sort -VC; then lacks "Node.js 20.19 or newer" nodejs npm; return; fi
    MISSING+=("Node.js 20.19 or newer")
    ADVICE+=("Get Node.js 20.19 or newer from https://nodejs.org/en/download and put node and npm on the PATH.")
}

# doctor: what is there, in a table; never changes anything.
doctor() {
    look_around test
    local here
    report "Python 3.11+" "${PYTHON_BIN:+$PYTHON_BIN, $("$PYTHON_BIN" -V 2>&1)}"
    report "Node.js 20.19+" "$(command -v node >/dev/null && node --version)"
    report "npm" "$(command -v npm >/dev/null && npm --version)"
    report "C++ compiler" "$(command -v "${CXX:-c++}" || command -v g++ || command -v clang++ || true)"
    report "bubblewrap" "$(command -v bwrap || true)"
    report "Graphviz (optional)" "$(command -v dot || true)"
    report "Chromium (tests)" "$(chromium_path)"
    report "environment" "$([[ -x .venv/bin/python ]] && echo "$ROOT/.venv")"
    report "front end" "$(frontend_is_fresh && echo "built, up to date")"
    report "free disk space" "$(df -Ph "$ROOT" | awk 'NR == 2 { print $4 }')"
    for here in $(shut_folders); do
        say "$here is closed to other users: a run that is judged under a user of its own can not start this Python. Open it (chmod o+x $here) or use one outside."
    done
    [[ ${#MISSING[@]} -eq 0 ]] && return
    say "missing: $(joined "${MISSING[@]}"). $(install_command)"
    [[ ${#ADVICE[@]} -eq 0 ]] || say "${ADVICE[@]}"
    return 1
}

report() { printf '  %-20s %s\n' "$1" "${2:-–}"; }

# shut_folders: folders above the interpreter that other users can not enter.
shut_folders() {
    local folder
    [[ -n $PYTHON_BIN ]] || return 0
    folder=$(dirname "$("$PYTHON_BIN" -c 'import os, sys; print(os.path.realpath(sys.executable))')")
    while [[ $folder != / ]]; do
        [[ $(stat -c %A "$folder") == *x ]] || [[ $(stat -c %A "$folder") == *t ]] || echo "$folder"
        folder=$(dirname "$folder")
    done
}
