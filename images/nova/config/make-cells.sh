# Maps cell0, for servers without a host, and cell1, for all hosts; idempotent.
# The mappings are templates that each service fills from its own options, so they contain no password and do not change
# with a password. For a bus with several hosts, Python's URL parser reads all hosts but the last as part of the password, so
# this template restores the whole list.
set -euo pipefail
database='{scheme}://{username}:{password}@{hostname}:{port}/{path}'
bus='{scheme}://{username}:{password}@{hostname}:{port}/{path}'
nova-manage cell_v2 map_cell0 --database_connection "${database}_cell0?{query}"
if ! nova-manage cell_v2 list_cells | grep -q ' cell1 '; then
  nova-manage cell_v2 create_cell --name cell1 --database_connection "$database?{query}" --transport-url "$bus"
fi
