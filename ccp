#!/bin/sh
# Finds or fetches Node 24 and the locked npm packages, then runs the tool.
#   ./ccp nx ...    runs Nx with the same Node and packages
set -eu
self=$0
if [ -L "$self" ]; then self=$(readlink -f -- "$self"); fi
case $self in */*) ;; *) self=./$self ;; esac
root=$(CDPATH='' cd -- "${self%/*}" && pwd -P)
bootstrap=$root/ci
. "$bootstrap/bootstrap.sh"
# Node would open /dev/null instead of a closed standard output, and the result would be lost.
{ command : 3>&1; } 2>/dev/null || {
  say 'cannot write standard output: it is closed'
  hint 'redirect it to a file, or to /dev/null'
  exit 5
}
if [ "${1:-}" = nx ]; then
  shift
  if [ ! -w "$root" ]; then
    say "cannot write $root, where Nx keeps its state"
    hint 'grant this user write access, or work in another clone'; exit 5
  fi
  exec "$CCP_NODE" "$root/node_modules/nx/dist/bin/nx.js" "$@"
fi
# A small young generation saves memory, and costs no time because most data of a run lives until its
# end; a build creates much short-lived data and gets more. The size is fixed from the start and there
# is one helper thread, because growing and sharing a millisecond of work takes longer than it saves.
# Threads with an arena of glibc each return little memory to the system: with a single arena a
# deployment is 10 MB smaller and as fast. The many threads of builds and tests keep their own.
case " $* " in
  *' build '* | *' test '*) young=16 ;;
  *) young=2; export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}" ;;
esac
# No module is behind a link and $root is not a link, so each module is resolved once.
exec "$CCP_NODE" --max-semi-space-size=$young --min-semi-space-size=$young --v8-pool-size=1 --preserve-symlinks --preserve-symlinks-main \
  "$root/ci/start.ts" "$@"
