#!/bin/sh
# Finds or fetches what the tool itself needs (Node 24 and the locked npm packages), then runs it.
#   ./ccp nx ...    runs Nx, with the same Node and packages
set -eu
self=$0
if [ -L "$self" ]; then self=$(readlink -f -- "$self"); fi
case $self in */*) ;; *) self=./$self ;; esac
root=$(CDPATH='' cd -- "${self%/*}" && pwd -P)
. "$root/ci/bootstrap.sh"
if [ "${1:-}" = nx ]; then
  shift
  if [ ! -w "$root" ]; then
    say "cannot write $root, where Nx keeps its state"
    hint 'give this user the right to write there, or work in a clone of its own'; exit 5
  fi
  exec "$CCP_NODE" "$root/node_modules/nx/dist/bin/nx.js" "$@"
fi
# A small young generation keeps memory low, and costs no time where most of what a run reads lives until its end; a build makes much
# that dies at once, and has room for it. It has its size from the start, and one helper thread: growing it, and handing a millisecond's
# work to more, takes longer than it saves. Threads that each take their own memory from the system give little of it back: with one
# arena (of glibc) for all a deployment is 10 MB smaller, as fast; the many threads of builds and tests have theirs.
case " $* " in
  *' build '* | *' test '*) young=16 ;;
  *) young=2; export MALLOC_ARENA_MAX="${MALLOC_ARENA_MAX:-1}" ;;
esac
# No module is behind a link, so none is looked up twice; and $root is no link.
exec "$CCP_NODE" --max-semi-space-size=$young --min-semi-space-size=$young --v8-pool-size=1 --preserve-symlinks --preserve-symlinks-main \
  "$root/tools/cli/src/main.ts" "$@"
