# Whether a daemon has what it works with: connected.sh TARGET QUESTION...
set -euo pipefail
for question in "${@:2}"; do
  [ "$(ovn-appctl --timeout=5 --target="$1" "$question")" = connected ]
done
