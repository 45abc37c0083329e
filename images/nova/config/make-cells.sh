# Maps cell0, where servers lie that found no host, and cell1, where all hosts are; safe to run again.
# The mappings are templates that each service fills from its own options, so no password is in them and none of them changes
# with it. Of a bus with several hosts Python's URL parser takes all but the last one for a part of the password, so this
# template gives the whole list back.
set -euo pipefail
database='{scheme}://{username}:{password}@{hostname}:{port}/{path}'
bus='{scheme}://{username}:{password}@{hostname}:{port}/{path}'
nova-manage cell_v2 map_cell0 --database_connection "${database}_cell0?{query}"
if ! nova-manage cell_v2 list_cells | grep -q ' cell1 '; then
  nova-manage cell_v2 create_cell --name cell1 --database_connection "$database?{query}" --transport-url "$bus"
fi
