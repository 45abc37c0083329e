# Succeeds if this server is a member of the cluster and knows its leader. Only a member can leave or remove another, so this
# probe does both: it leaves if leave.sh has written its id, and removes its former self if it had lost its copy.
set -euo pipefail
control() { ovs-appctl --timeout=5 --target=/run/ovn/database.ctl "cluster/$1" "$DATABASE" "${@:2}"; }
status=$(control status)
[[ $status == *$'\nStatus: cluster member\n'* && $status != *$'\nLeader: unknown\n'* ]]
address=$(sed -n 's/^Address: //p' <<<"$status")
mapfile -t former < <(sed -n "/(self)/d; s|^    \([0-9a-f]*\) (.* at $address).*|\1|p" <<<"$status")
for server in "${former[@]}"; do control kick "$server"; done
select="[\"$DATABASE\",{\"op\":\"select\",\"table\":\"$TABLE\",\"where\":[],\"columns\":[\"external_ids\"]}]"
asked=$(ovsdb-client --timeout=5 --no-leader-only query unix:/run/ovn/database.sock "$select")
sid=$(control sid)
[[ $asked != *"leaves-$sid"* ]] || { touch "/var/lib/ovn/$DATABASE.db.left"; control leave; exit 1; }
