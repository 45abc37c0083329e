# Has members leave that the site has not any more, one after the other; safe to run again.
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
    # It sees this when its probe runs the next time.
    for ((tries = 0; tries < 60; tries++)); do
      answer=$(ask)
      [[ $answer == *'"sid"'* ]] || break
      sleep 2
    done
  fi
  [[ $answer != *'"sid"'* ]] || { echo "$member does not leave: $answer" >&2; exit 1; }
  echo "$member has left"
done
