# Archives rows of all cells that were deleted before a date, and purges them; exit code 1 says that rows were archived.
set -euo pipefail
day=$(date --utc --date="$DAYS days ago" +%F)
nova-manage db archive_deleted_rows --until-complete --all-cells --before "$day" || [ $? = 1 ]
# Exit code 3: no rows to purge.
nova-manage db purge --all-cells --before "$day" || [ $? = 3 ]
