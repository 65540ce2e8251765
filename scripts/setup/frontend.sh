# The browser's side: node_modules/ from package-lock.json, static/dist/ from static/src/.

frontend_hash() {
    local files=(package.json package-lock.json vite.config.ts tsconfig.json)
    mapfile -t -O "${#files[@]}" files < <(find static/src -type f 2>/dev/null | LC_ALL=C sort)
    hash_of "" "${files[@]}"
}

frontend_is_fresh() { [[ -d static/dist ]] && stamped static/dist/.passnet-stamp "$(frontend_hash)"; }

setup_frontend() {
    local packages
    packages=$(hash_of "$(node --version 2>/dev/null)" package.json package-lock.json)
    if [[ $MODE == run ]] && frontend_is_fresh; then return; fi
    if ! stamped node_modules/.passnet-stamp "$packages"; then
        need_space "$ROOT" 700 "the front end's packages"
        say "installing the front end's packages …"
        npm ci --no-audit --no-fund --loglevel=error >var/setup/npm.log 2>&1 </dev/null ||
            explain_failure var/setup/npm.log "npm ci" "$(npm_fix)"
        printf '%s' "$packages" >node_modules/.passnet-stamp
    fi
    frontend_is_fresh && return
    say "building the front end …"
    npm run build >var/setup/build.log 2>&1 </dev/null || explain_failure var/setup/build.log "npm run build" "$(npm_fix)"
    printf '%s' "$(frontend_hash)" >static/dist/.passnet-stamp
}

npm_fix() {
    printf 'npm asks %s. Point it to a registry that you can reach: npm config set registry https://your.mirror/ (a proxy: npm config set https-proxy …), then run make again.' \
        "$(npm config get registry 2>/dev/null || echo https://registry.npmjs.org/)"
}
