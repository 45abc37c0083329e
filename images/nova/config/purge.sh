# Moves what was deleted before a day out of the tables of all cells, and deletes it there; 1 says that something was moved.
set -euo pipefail
day=$(date --utc --date="$DAYS days ago" +%F)
nova-manage db archive_deleted_rows --until-complete --all-cells --before "$day" || [ $? = 1 ]
# 3 says that nothing was there to be deleted.
nova-manage db purge --all-cells --before "$day" || [ $? = 3 ]
