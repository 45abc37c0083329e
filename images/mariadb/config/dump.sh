# Writes all databases of the apps to a file, or makes them again from one: dump.sh backup|restore. Accounts are not in it.
set -euo pipefail
umask 077
printf '[client]\nuser=root\npassword=%s\nhost=%s\nport=%s\n' "$ROOT_PASSWORD" "$DATABASE_HOST" "$DATABASE_PORT" >/tmp/client.cnf
file=/backups/$BACKUP.sql.gz
if [ "$1" = restore ]; then
  [ -e "$file" ] || { echo "there is no backup $BACKUP; there are: $(cd /backups && ls)" >&2; exit 1; }
  gzip --test "$file"
  gzip --decompress --stdout "$file" | mariadb --defaults-file=/tmp/client.cnf
  echo "restored $BACKUP, written at $(date --utc --reference="$file" +%FT%TZ)"
  exit
fi
query="SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')"
found=$(mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute "$query")
[ -n "$found" ] || { echo 'there is no database to write' >&2; exit 1; }
mapfile -t databases <<<"$found"
mariadb-dump --defaults-file=/tmp/client.cnf --single-transaction --routines --events --triggers --add-drop-database --databases "${databases[@]}" | gzip >"$file.new"
sync "$file.new"
mv "$file.new" "$file"
echo "wrote ${databases[*]} to $BACKUP, $(stat --format=%s "$file") bytes"
