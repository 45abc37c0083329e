# Creates this member's copy of a database, and serves it: the first member founds the cluster, the others join it.
set -euo pipefail
file=/var/lib/ovn/$DATABASE.db
name=$POD_NAME.$DOMAIN
others=()
for peer in ${PEERS//,/ }; do [ "$peer" = "$name" ] || others+=("tcp:$peer"); done
query="[\"_Server\",{\"op\":\"select\",\"table\":\"Database\",\"where\":[[\"name\",\"==\",\"$DATABASE\"]],\"columns\":[\"cid\"]}]"
# Succeeds if every other member says that it has no cluster: a member that does not answer could be in a running cluster.
founds() {
  [ "${POD_NAME##*-}" = 0 ] || return 1
  for peer in "${others[@]}"; do
    until answer=$(ovsdb-client --timeout=3 query "$peer:$CLIENT_PORT" "$query"); do
      echo "$peer does not say yet whether there is a cluster"
      sleep 1
    done
    [[ $answer != *'"cid":["uuid",'* || $answer == *'"cid":["uuid","00000000-'* ]] || return 1
  done
}
trap 'exit 143' TERM
# A member that has left cannot use its old copy again.
[ ! -e "$file.left" ] || rm -f "$file" "$file.left"
if [ ! -e "$file" ]; then
  rm -f "$file.new"
  if founds; then
    ovsdb-tool "--election-timer=$ELECTION_TIMER" create-cluster "$file.new" "$SCHEMA" "tcp:$name:$CLUSTER_PORT"
  else
    ovsdb-tool join-cluster "$file.new" "$DATABASE" "tcp:$name:$CLUSTER_PORT" "${others[@]/%/:$CLUSTER_PORT}"
  fi
  mv "$file.new" "$file"
fi
exec ovsdb-server --unixctl=/run/ovn/database.ctl --remote=punix:/run/ovn/database.sock "--remote=ptcp:$CLIENT_PORT" "$file"
