#!/bin/sh
# Finds or fetches what the tool itself needs (Node 24 and the locked npm packages), then runs it.
#   ./ccp nx ...    runs Nx, with the same Node and packages
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
. "$root/ci/bootstrap.sh"
if [ "${1:-}" = nx ]; then
  shift
  exec "$CCP_NODE" "$root/node_modules/nx/dist/bin/nx.js" "$@"
fi
# A small young generation keeps memory low, and costs no time: most of what a run reads lives until its end.
exec "$CCP_NODE" --max-semi-space-size=2 "$root/tools/cli/src/main.ts" "$@"
