# shellcheck shell=dash
# shellcheck disable=SC2154 # root and bootstrap are set by ccp
# Sourced by ccp with $root and $bootstrap (the folder of this file) set. Exports CCP_NODE, a Node of the pinned release line, and installs
# node_modules when package-lock.json has changed. Every download is checked against a SHA-256 that
# install-node.sh or package-lock.json contains.
node_version=24.19.0

say() { printf 'ccp: %s\n' "$*" >&2; }
hint() { printf '  -> %s\n' "$*" >&2; }

# Ends the launcher if one of these programs is missing. Without this check, the shell's own message
# would be followed by an unrelated error.
need() {
  missing=
  for program; do command -v "$program" >/dev/null || missing="$missing${missing:+, }$program"; done
  [ -z "$missing" ] || {
    say "not found in PATH ($PATH): $missing"
    hint 'add /usr/bin and /bin to it; Debian has them in coreutils, diffutils, grep, sed and util-linux'
    exit 5
  }
}

# Without HOME (in a service, or after env -i), use the home folder that the system has for this user.
# Node and the shell's ~ do the same.
if [ -z "${HOME:-}" ]; then
  HOME=$({ getent passwd "$(id -u)" | cut -d: -f6; } 2>/dev/null) || true
  if [ -n "$HOME" ]; then
    export HOME
  elif [ -z "${CCP_CACHE:-}${XDG_CACHE_HOME:-}" ]; then
    say 'no folder for the cache: HOME is not set, and the system has no home folder for this user'
    hint 'set HOME, or CCP_CACHE to a folder for the cache'
    exit 2
  else
    unset HOME
  fi
fi
own_cache=${XDG_CACHE_HOME:-${HOME:-}/.cache}/ccp
cache=${CCP_CACHE:-$own_cache}
case $cache in
  /*) ;;
  *)
    say "the cache folder is not an absolute path: $cache"
    hint 'set CCP_CACHE to an absolute path'
    exit 2
    ;;
esac

# True if only this user and root can replace what is at the path: no part of it belongs to another
# user or can be written by others. tools/host/src/require-private.ts has the same rule.
is_private() {
  at=$1
  set --
  while [ -n "$at" ]; do
    set -- "$@" "$at"
    at=${at%/*}
  done
  # The first line is of the stat process itself: its owner is this user.
  stat -L -c '%u %g %a' -- /proc/self "$@" / 2>/dev/null | {
    read -r user _ || exit 1
    while read -r owner group mode; do
      case $owner in 0 | "$user") ;; *) exit 1 ;; esac
      case $mode in
        [1357]???) ;;
        *[2367]) exit 1 ;;
        *[2367]?) [ "$group" = 0 ] || { [ "$group" = "$user" ] && [ "$owner" = "$user" ]; } || exit 1 ;;
      esac
    done
  }
}

# Programs are only run from a folder that no other user can write to. A shared cache contains only
# inputs, which are checked by their SHA-256; programs are then in the user's own cache.
# True if the path exists and others can replace it.
is_unsafe() { [ -e "$1" ] && ! is_private "$1"; }
if [ "$cache" != "$own_cache" ] && [ -d "$cache" ] &&
  { ! is_private "$cache" || is_unsafe "$cache/node/$node_version/bin/node" || is_unsafe "$cache/compile"; }; then
  cache=$own_cache
  case $cache in /.cache/ccp) say "other users can write to $CCP_CACHE, and HOME, the place for programs, is not set"; hint 'set HOME'; exit 2 ;; esac
fi
node_home=$cache/node/$node_version

# True for a Node of the pinned line: 24, from 24.14 on (the first whose fetch can use proxies).
has_node() {
  case $("$1" -v 2>/dev/null) in
    v24.[0-9].* | v24.1[0-3].*) return 1 ;;
    v24.*) return 0 ;;
    *) return 1 ;;
  esac
}

offline=
for argument; do
  case $argument in
    --) break ;;
    --yes | -y) export CCP_YES=1 ;;
    --offline) offline=1 ;;
  esac
done

CCP_NODE=$node_home/bin/node
if [ ! -x "$CCP_NODE" ]; then
  CCP_NODE=$(command -v node || true)
  if [ -z "$CCP_NODE" ] || ! has_node "$CCP_NODE"; then
    . "$bootstrap/install-node.sh"
    fetch_node
    CCP_NODE=$node_home/bin/node
  fi
fi
export CCP_NODE

# Node creates all folders of this path, and hangs where it cannot (in /proc). So the path is only set
# when the cache exists.
if [ -z "${NODE_COMPILE_CACHE:-}" ] && [ -d "$cache" ] &&
  { [ -d "$cache/compile" ] || mkdir "$cache/compile" 2>/dev/null; }; then
  export NODE_COMPILE_CACHE="$cache/compile"
fi

# node_modules has a copy of the lock that it was installed from, touched last: comparing bytes and
# times is cheaper than starting Node. Any change of node_modules makes it newer than the copy.
stamp=$root/node_modules/.ccp-lock.json
need cmp
if ! cmp -s "$root/package-lock.json" "$stamp" ||
  { [ "$root/node_modules" -nt "$stamp" ] && [ -w "$root/node_modules" ]; }; then
  . "$bootstrap/install-modules.sh"
  ensure_modules
fi
