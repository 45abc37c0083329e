# Creates the node's database, or converts it to this version's schema, and serves it.
set -euo pipefail
file=/var/lib/openvswitch/conf.db
schema=/usr/share/openvswitch/vswitch.ovsschema
if [ ! -e "$file" ]; then
  rm -f "$file.new"
  ovsdb-tool create "$file.new" "$schema"
  mv "$file.new" "$file"
elif [ "$(ovsdb-tool needs-conversion "$file" "$schema")" = yes ]; then
  ovsdb-tool convert "$file" "$schema"
fi
exec ovsdb-server --pidfile --remote=punix:/run/openvswitch/db.sock --remote=ptcp:6640:127.0.0.1 "$file"
