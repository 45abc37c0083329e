# connected.sh TARGET COMMAND...: succeeds if the daemon answers "connected" to each command.
set -euo pipefail
for question in "${@:2}"; do
  [ "$(ovn-appctl --timeout=5 --target="$1" "$question")" = connected ]
done
