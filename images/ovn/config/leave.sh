# Makes members that the site no longer has leave, one after the other; idempotent.
set -euo pipefail
first=${PEERS%%,*}
state="[\"_Server\",{\"op\":\"select\",\"table\":\"Database\",\"where\":[[\"name\",\"==\",\"$DATABASE\"]],\"columns\":[\"sid\"]}]"
members=()
for ((ordinal = 0; ordinal < 7; ordinal++)); do
  member=${first%%-0.*}-$ordinal.${first#*.}
  getent hosts "$member" >/dev/null || break
  members+=("$member")
done
servers=$(printf "tcp:%s:$CLIENT_PORT," "${members[@]}")
for member in "${members[@]:REPLICAS}"; do
  ask() { ovsdb-client --timeout=10 query "tcp:$member:$CLIENT_PORT" "$state"; }
  answer=$(ask)
  if [[ $answer =~ \"sid\":\[\"uuid\",\"([-0-9a-f]+)\" ]]; then
    note="[[\"external_ids\",\"insert\",[\"map\",[[\"leaves-${BASH_REMATCH[1]}\",\"$member\"]]]]]"
    done=$(ovsdb-client --timeout=60 transact "${servers%,}" "[\"$DATABASE\",{\"op\":\"mutate\",\"table\":\"$TABLE\",\"where\":[],\"mutations\":$note}]")
    [[ $done == *'"count":1'* ]] || { echo "$member could not be asked to leave: $done" >&2; exit 1; }
    # The member reads this at the next run of its probe.
    for ((tries = 0; tries < 60; tries++)); do
      answer=$(ask)
      [[ $answer == *'"sid"'* ]] || break
      sleep 2
    done
  fi
  [[ $answer != *'"sid"'* ]] || { echo "$member does not leave: $answer" >&2; exit 1; }
  echo "$member has left"
done
