# Shared by the setup scripts: how they talk, and how they remember what is done.

say() { printf 'passnet: %s\n' "$*"; }

fail() {
    printf 'passnet: %s\n' "$@" >&2
    exit 1
}

# hash_of TEXT FILE…: one hash over a text and the names and bytes of files; missing files count as missing.
hash_of() {
    local text=$1
    shift
    { printf '%s\n' "$text"; [[ $# -eq 0 ]] || sha256sum -- "$@" 2>&1; } | sha256sum | cut -d' ' -f1
}

# stamped FILE HASH: is the work with this hash done?
stamped() { [[ -f $1 && $(<"$1") == "$2" ]]; }

# need_space FOLDER MEGABYTES WHAT: stop before a long download rather than in the middle of it.
need_space() {
    local folder=$1 megabytes=$2 what=$3 free
    free=$(df -Pk "$folder" | awk 'NR == 2 { print int($4 / 1024) }')
    ((free >= megabytes)) && return
    fail "Not enough disk space for $what." \
        "$folder has $free MB free; about $megabytes MB ($((megabytes * 1024 * 1024)) bytes) are needed." \
        "Free some space, or clone the repository to a larger disk."
}

# explain_failure LOG WHAT INDEX_FIX: the last lines of a tool's output, and the fix where we know one.
explain_failure() {
    local log=$1 what=$2 index_fix=$3
    tail -n 15 "$log" >&2
    if grep -qiE 'No space left on device|ENOSPC|Disk quota exceeded' "$log"; then
        fail "$what failed: the disk is full." \
            "$(df -Ph "$ROOT" "${TMPDIR:-/tmp}" "$HOME" 2>/dev/null | awk 'NR > 1 { print $6 " has " $4 " free;" }' | sort -u | tr '\n' ' ')" \
            "about 3 GB (3221225472 bytes) are needed below $ROOT and 1 GB in ${TMPDIR:-/tmp} (TMPDIR chooses another folder)."
    fi
    local unreachable='Could not fetch URL|NewConnectionError|ConnectTimeout|ReadTimeout|Max retries exceeded|No matching distribution|Name or service not known|Temporary failure in name resolution|Connection refused|SSLError|CERTIFICATE_VERIFY_FAILED|ProxyError|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ECONNRESET|EAI_AGAIN|SELF_SIGNED_CERT|UNABLE_TO_GET_ISSUER|ERR_SOCKET_TIMEOUT|npm error network'
    if grep -qE "$unreachable" "$log"; then
        fail "$what failed: the package index can not be reached, or lacks a package." "$index_fix"
    fi
    fail "$what failed; the whole output is in $log."
}
