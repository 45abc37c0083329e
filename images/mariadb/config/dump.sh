# Backups of the apps' databases on the claim: dump.sh backup|check|restore|verify. Accounts are not in them. While `dump.sh transfer` runs,
# `ccp deploy backup` calls: dump.sh name|send FILE|receive FILE BYTES|accept|end.
# A backup is a folder NAME.TIME with the dump, its tables' rows and sums, and a manifest; the link NAME leads to the newest one.
set -euo pipefail
umask 077
mode=$1
backups=${BACKUPS:-/backups}
scratch=${SCRATCH:-/scratch}
# A restore that fails with 66 has changed nothing.
status=1
fail() { echo "$1" >&2; exit "$status"; }
value() { sed -nE "s/^  \"$1\": \"?([^\",]*)\"?,?\$/\1/p" "$2"; }
client() { printf '[client]\nuser=%s\npassword=%s\nhost=%s\nport=%s\n' "$1" "$2" "$DATABASE_HOST" "$DATABASE_PORT" >/tmp/client.cnf; }
# One transaction reads all databases; each row is a line, so that it can be counted.
dump() {
  mariadb-dump --defaults-file="$1" --single-transaction --routines --events --triggers --hex-blob --skip-dump-date \
    --add-drop-database --databases "${databases[@]}" | perl /etc/ccp/tally.pl pass "$2"
}
rows() { awk '{ rows += $2 } END { printf "%d rows of %d tables", rows, NR }' "$1"; }
position() {
  mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute "SHOW GLOBAL STATUS LIKE 'wsrep_$1'" | cut --fields=2
}

# The folder of the backup that was asked for, whose dump is whole; older ones are a file without a manifest.
find_backup() {
  found=$backups/$BACKUP
  if [ -e "$found.sql.gz" ] && [ ! -e "$found" ]; then
    gzip --test "$found.sql.gz" || fail "the dump of $BACKUP is damaged"
    file=$found.sql.gz
    return
  fi
  [ -e "$found/manifest.json" ] || fail "there is no backup $BACKUP; there are: $(cd "$backups" && echo *)"
  found=$(realpath "$found")
  file=$found/dump.sql.gz
  [ "$(sha256sum <"$file" | cut --delimiter=' ' --fields=1)" = "$(value sha256 "$found/manifest.json")" ] ||
    fail "the dump of $BACKUP is damaged: its SHA-256 is not the one of its manifest"
}

backup() {
  client ccp.backup "$BACKUP_PASSWORD"
  local new=$backups/.new-$BACKUP found query started ended from to
  query="SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys')"
  found=$(mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute "$query")
  [ -n "$found" ] || fail 'there is no database to write'
  mapfile -t databases <<<"$found"
  exec 9<"$backups"
  flock --timeout 600 9 || fail 'another backup is running'
  rm -rf "$new"
  mkdir "$new"
  started=$(date --utc +%FT%TZ)
  from=$(position last_committed)
  dump /tmp/client.cnf "$new/tables" | gzip >"$new/dump.sql.gz"
  to=$(position last_committed)
  ended=$(date --utc +%FT%TZ)
  {
    echo '{'
    echo '  "format": 1,'
    echo "  \"name\": \"$BACKUP\","
    echo "  \"started\": \"$started\","
    echo "  \"ended\": \"$ended\","
    echo "  \"server\": \"$(mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute 'SELECT VERSION()')\","
    # The snapshot is a position of this cluster between the two.
    echo "  \"cluster\": \"$(position local_state_uuid)\","
    echo "  \"from\": \"$from\","
    echo "  \"to\": \"$to\","
    echo "  \"bytes\": $(stat --format=%s "$new/dump.sql.gz"),"
    echo "  \"sha256\": \"$(sha256sum <"$new/dump.sql.gz" | cut --delimiter=' ' --fields=1)\","
    echo '  "tables": {'
    awk '{ printf "%s    \"%s\": { \"rows\": %s, \"sum\": \"%s\" }", (NR == 1 ? "" : ",\n"), $1, $2, $3 } END { print "" }' "$new/tables"
    echo '  }'
    echo '}'
  } >"$new/manifest.json"
  sync "$new"/* "$new"
  local name
  name=$BACKUP.$(tr --delete ':-' <<<"${started,,}")
  rm -rf "${backups:?}/$name"
  mv --no-target-directory "$new" "$backups/$name"
  ln --symbolic --force --no-target-directory "$name" "$backups/.link-$BACKUP"
  mv --no-target-directory "$backups/.link-$BACKUP" "$backups/$BACKUP"
  sync "$backups"
  echo "wrote ${databases[*]} to $name, $(rows "$backups/$name/tables"), $(stat --format=%s "$backups/$name/dump.sql.gz") bytes"
  remove_old
}

remove_old() {
  local old
  rm -f "$backups/$BACKUP.sql.gz"
  for old in "$backups/$BACKUP".*; do
    if [[ ${old#"$backups/$BACKUP."} =~ ^[0-9]{8}t[0-9]{6}z$ ]]; then echo "$old"; fi
  done | sort --reverse | tail --lines="+$((KEEP > 0 ? KEEP + 1 : 2))" | while read -r old; do
    rm -rf "$old"
    echo "removed ${old#"$backups/"}"
  done
}

# The newest migrations of each database, for the record of the run. A view is not read: its functions could run as root.
report_schemas() {
  local query found database heads separator='' text=''
  query="SELECT TABLE_SCHEMA FROM information_schema.TABLES WHERE TABLE_NAME = 'alembic_version' AND TABLE_TYPE = 'BASE TABLE' ORDER BY 1"
  found=$(mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute "$query")
  for database in $found; do
    heads=$(mariadb --defaults-file=/tmp/client.cnf --batch --skip-column-names --execute \
      "SELECT GROUP_CONCAT(JSON_QUOTE(version_num) ORDER BY 1 SEPARATOR ',') FROM \`$database\`.alembic_version")
    [ "$heads" != NULL ] || heads=''
    text+="$separator\"$database\":[$heads]"
    separator=,
  done
  echo "{\"schemas\":{$text}}" >"${TERMINATION_LOG:-/dev/termination-log}"
}

answers() {
  mariadb-admin --defaults-file=/tmp/client.cnf --connect-timeout=10 ping >/dev/null || fail 'the database does not answer'
}

# Whether a restore can start; it runs before services stop.
check() {
  client ccp.backup "$BACKUP_PASSWORD"
  find_backup
  answers
  echo "$(basename "$found") can be restored"
}

restore() {
  status=66
  client root "$ROOT_PASSWORD"
  find_backup
  exec 9<"$backups"
  flock --timeout 600 9 || fail 'a backup is running'
  answers
  status=1
  gzip --decompress --stdout "$file" | mariadb --defaults-file=/tmp/client.cnf
  report_schemas
  echo "restored $(basename "$found"), written at $(date --utc --reference="$file" +%FT%TZ)"
  echo 'accounts and settings of the apps are set up again by the next apply'
}

# Restores into a server of its own, and compares what it then has with the backup.
verify() {
  find_backup
  [ -e "$found/tables" ] || fail "$BACKUP has no manifest to compare with"
  local server=$scratch/server socket=/tmp/verify.sock process started=$SECONDS
  rm -rf "$server"
  mariadb-install-db --no-defaults --datadir="$server" --skip-test-db --auth-root-authentication-method=normal >/dev/null
  mariadbd --defaults-file=/etc/ccp/my.cnf --wsrep-on=OFF --wsrep-provider=none --datadir="$server" --socket="$socket" \
    --pid-file=/tmp/verify.pid --tmpdir="$scratch" --skip-networking --innodb-flush-log-at-trx-commit=0 --innodb-buffer-pool-size=128M \
    >/tmp/verify.log 2>&1 &
  process=$!
  printf '[client]\nuser=root\nsocket=%s\n' "$socket" >/tmp/verify.cnf
  mariadb-admin --defaults-file=/tmp/verify.cnf --connect-timeout=5 --wait=60 ping >/dev/null || { tail /tmp/verify.log >&2; exit 1; }
  gzip --decompress --stdout "$file" | mariadb --defaults-file=/tmp/verify.cnf
  mapfile -t databases < <(gzip --decompress --stdout "$file" | sed -nE 's/^USE `([^`]+)`;$/\1/p' | sort --unique)
  dump /tmp/verify.cnf "$scratch/tables" >/dev/null
  kill "$process"
  wait "$process" || true
  perl /etc/ccp/tally.pl compare "$found/tables" "$scratch/tables" >&2 || fail "$BACKUP is not what was written"
  date --utc +%FT%TZ >"$found/verified.new"
  mv "$found/verified.new" "$found/verified"
  echo "restored $(basename "$found") into a server of its own in $((SECONDS - started)) s: $(rows "$found/tables"), all as written"
}

transfer() {
  local second
  for ((second = 0; second < LIMIT; second++)); do
    if [ -e /tmp/ended ]; then exit; fi
    sleep 1
  done
  fail "nothing ended the transfer within $LIMIT s"
}

# The folder of a backup that was written with a manifest.
name() {
  find_backup
  [ -d "$found" ] || fail "$BACKUP has no manifest; take another backup"
  basename "$found"
}

send() { cat "$backups/$BACKUP/$1"; }

receive() {
  mkdir -p "$backups/.new-$BACKUP"
  head --bytes="$2" >"$backups/.new-$BACKUP/$1"
}

# A complete received backup gets its name. It becomes the newest backup of that name if no other exists.
accept() {
  local name=$BACKUP link=${BACKUP%.*}
  BACKUP=.new-$name
  find_backup
  sync "$found"/* "$found"
  rm -rf "${backups:?}/$name"
  mv --no-target-directory "$found" "$backups/$name"
  if [ "$link" != "$name" ] && [ ! -e "$backups/$link" ]; then ln --symbolic "$name" "$backups/$link"; fi
}

case $mode in
  backup | check | restore | verify | transfer | name | accept) "$mode" ;;
  send | receive) "$@" ;;
  end) touch /tmp/ended ;;
  *) fail "there is no mode $mode" ;;
esac
