#!/bin/sh
# Finds or fetches what the tool itself needs (Node 24 and the locked npm packages), then runs it.
set -eu
root=$(CDPATH='' cd -- "$(dirname -- "$(readlink -f -- "$0")")" && pwd)
. "$root/ci/bootstrap.sh"
exec "$CCP_NODE" "$root/tools/cli/src/main.ts" "$@"
