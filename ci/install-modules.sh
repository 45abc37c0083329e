# shellcheck shell=dash
# Sourced by bootstrap.sh: installs the npm packages of package-lock.json. They are installed next to
# node_modules and renamed when they are complete, under a lock. So neither a killed install nor two
# parallel ones leave an incomplete tree that a later run uses.
# shellcheck disable=SC2154 # set by bootstrap.sh
aside=$root/.npm-install
lock_file=$root/.ccp/npm.lock
npm_cli=$node_home/lib/node_modules/npm/bin/npm-cli.js

# npm waits many minutes for a silent registry. It is stopped after this many seconds without data. (CCP_NPM_PATIENCE is the old name, read for one more version.)
npm_timeout=${CCP_NPM_TIMEOUT:-${CCP_NPM_PATIENCE:-45}}

# True if all packages of the lock are in this folder; then records the lock and the files.
is_complete() {
  [ -d "$1" ] && NODE_COMPILE_CACHE='' "$CCP_NODE" "$bootstrap/check-modules.ts" "$root/package-lock.json" "$1"
}

# Replaces this shell by npm, in the folder of the install: for a subshell, whose process id is then npm's.
run_npm() {
  cd "$aside" && PATH=$(dirname "$CCP_NODE"):$PATH
  if [ -n "$npm_cli" ]; then exec "$CCP_NODE" "$npm_cli" "$@"; else exec npm "$@"; fi
}
# Leaves out the members of the objects that npm prints.
npm_errors() { sed '/^npm error *\(  \|}\|$\)/d'; }
registry_hint() { hint "see: npm config get registry; set a mirror with npm_config_registry or in ~/.npmrc, a proxy with HTTPS_PROXY"; }

# On a signal, npm first waits for all responses, so it gets one second.
end_npm() {
  if kill "$1" 2>/dev/null; then
    sleep 1
    kill -9 "$1" 2>/dev/null || true
  fi
}
watch_npm() {
  last='' since=0
  while sleep 1 && kill -0 "$1" 2>/dev/null; do
    since=$((since + 1))
    [ $((since % 5)) = 0 ] || [ "$since" -ge "$npm_timeout" ] || continue
    now=$(
      grep -c '^npm http fetch GET [23]' "$npm_log"
      du -s "$aside" 2>/dev/null
    ) || true
    if [ "$now" != "$last" ]; then
      last=$now since=0
    elif [ "$since" -ge "$npm_timeout" ]; then
      echo "npm error the registry has sent nothing for $npm_timeout s (CCP_NPM_TIMEOUT)" >>"$npm_log"
      end_npm "$1"
      return
    fi
  done
}
end_install() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
  [ -z "$npm_pid" ] || end_npm "$npm_pid"
}

# Runs npm ci in the folder of the install; ends the launcher if that fails.
run_npm_ci() {
  if [ -n "$offline" ]; then
    say 'npm packages must be installed, but --offline forbids fetching them'
    hint 'run ./ccp fetch once with a network'
    exit 5
  fi
  [ -f "$npm_cli" ] || if command -v npm >/dev/null; then npm_cli=; else
    . "$bootstrap/install-node.sh"
    fetch_node
  fi
  say 'installing npm packages from package-lock.json'
  rm -rf "$aside"
  mkdir "$aside"
  for file in package.json package-lock.json .npmrc; do
    if [ -f "$root/$file" ]; then cp "$root/$file" "$aside/"; fi
  done
  # If npm cannot fetch a package it tries the next one, for many minutes in total. So one package is
  # requested first.
  npm_said=$(run_npm view p-limit version --loglevel error --fetch-retries 2 --fetch-retry-mintimeout 1000 \
    --fetch-retry-maxtimeout 5000 --fetch-timeout 15000 2>&1) || {
    printf '%s\n' "$npm_said" | npm_errors >&2
    say "the npm registry does not respond correctly"
    registry_hint
    exit 5
  }
  npm_log=$root/.ccp/npm.log
  npm_pid='' watcher=''
  # Background processes do not receive Ctrl-C.
  trap 'end_install; exit 130' INT
  trap 'end_install; exit 143' TERM
  trap 'end_install; exit 129' HUP
  run_npm ci --ignore-scripts --no-fund --no-audit --loglevel http --fetch-retries 2 --fetch-retry-mintimeout 1000 \
    --fetch-retry-maxtimeout 5000 --fetch-timeout 90000 >"$npm_log" 2>&1 &
  npm_pid=$!
  watch_npm "$npm_pid" 9>&- >/dev/null 2>&1 &
  watcher=$!
  if wait "$npm_pid" 2>/dev/null; then npm_failed=; else npm_failed=1; fi
  trap - INT TERM HUP
  kill "$watcher" 2>/dev/null || true
  if [ -n "$npm_failed" ] || ! is_complete "$aside/node_modules"; then
    grep '^npm error' "$npm_log" | npm_errors | tail -n 10 >&2
    say "npm packages could not be installed (full npm output: $npm_log)"
    hint 'run the command again: fetched packages are kept'
    registry_hint
    exit 5
  fi
}

# Replaces node_modules by the installed packages. A kill between the two renames leaves a
# complete tree in the folder of the install, which the next run finds.
replace_modules() {
  if [ -e "$root/node_modules" ] || [ -L "$root/node_modules" ]; then mv "$root/node_modules" "$aside/old-$$"; fi
  mv "$aside/node_modules" "$root/node_modules"
}

ensure_modules() {
  case $npm_timeout in
    '' | *[!0-9]* | 0)
      say "CCP_NPM_TIMEOUT is not a number of seconds: $npm_timeout"
      hint 'set it to a whole number from 1 on, or unset it'
      exit 2
      ;;
  esac
  need mkdir flock cp mv rm touch dirname grep sed tail sleep du
  if ! mkdir -p "$root/.ccp" 2>/dev/null || ! [ -w "$root" ] || ! [ -w "$root/.ccp" ]; then
    say "cannot write $root, where npm packages must be installed"
    hint 'grant this user write access, or work in another clone'
    exit 5
  fi
  # One process at a time: a second one waits and then finds the packages. npm inherits the lock.
  exec 9>>"$lock_file"
  flock -n 9 || {
    read -r holder <"$lock_file" || holder=
    say "waiting for ${holder:+process }${holder:-another ccp}, which installs npm packages here"
    flock 9
  }
  echo $$ >"$lock_file"
  # Complete now: installed by the process that had the lock, or manually with npm ci.
  if ! is_complete "$root/node_modules"; then
    # Complete next to it: a run was killed just before the rename.
    is_complete "$aside/node_modules" || run_npm_ci
    replace_modules
  fi
  # A bundle only makes the start faster, so its failure is no failure.
  NODE_COMPILE_CACHE='' "$CCP_NODE" "$bootstrap/make-bundle.ts" "$root" >/dev/null 2>&1 || true
  touch "$stamp"
  rm -rf "$aside"
  exec 9>&-
}
