# Creates the data folder if it is missing, writes root's password and the probes' login, and starts the member.
set -euo pipefail
data=/var/lib/mysql/data
own=/var/lib/mysql/member
for password in "$ROOT_PASSWORD" "$SETUP_PASSWORD" "$BACKUP_PASSWORD"; do
  case $password in '' | *[!A-Za-z0-9]*) echo 'the passwords must be letters and digits' >&2; exit 1 ;; esac
done
mkdir -p "$own"
if [ ! -e "$data/mysql" ]; then
  rm -rf "$data.new"
  mariadb-install-db --no-defaults --datadir="$data.new" --skip-test-db >/dev/null
  # The data has no value until the server has served.
  touch "$own/fresh"
  if [ -e "$data" ]; then mv "$data" "/var/lib/mysql/aside-$(date --utc +%FT%TZ)-unknown-unknown"; fi
  mv "$data.new" "$data"
fi
umask 077
{
  echo "SET SESSION sql_log_bin = 0;"
  echo "SET SESSION wsrep_on = OFF;"
  echo "CREATE USER IF NOT EXISTS 'root'@'%';"
  # At each start, because a server that returns to 10.11 ignores privileges written by 11.8.
  echo "GRANT ALL PRIVILEGES ON *.* TO 'root'@'%' WITH GRANT OPTION;"
  echo "GRANT ALL PRIVILEGES ON *.* TO 'root'@'localhost' WITH GRANT OPTION;"
  echo "ALTER USER 'root'@'%' IDENTIFIED BY '$ROOT_PASSWORD';"
  echo "ALTER USER 'root'@'localhost' IDENTIFIED BY '$ROOT_PASSWORD';"
  # The account of setup jobs can call the procedure and nothing else. Apps' accounts have no dot in their name.
  echo "CREATE USER IF NOT EXISTS 'ccp.setup'@'%';"
  echo "ALTER USER 'ccp.setup'@'%' IDENTIFIED BY '$SETUP_PASSWORD';"
  tr '\n' ' ' </etc/ccp/make-account.sql
  echo
  echo "GRANT EXECUTE ON PROCEDURE mysql.make_account TO 'ccp.setup'@'%';"
  # The account of backups reads everything, since a database that it could not read would be missing, and writes nothing.
  echo "CREATE USER IF NOT EXISTS 'ccp.backup'@'%';"
  echo "ALTER USER 'ccp.backup'@'%' IDENTIFIED BY '$BACKUP_PASSWORD';"
  echo "GRANT SELECT, SHOW VIEW, TRIGGER, EVENT ON *.* TO 'ccp.backup'@'%';"
} >/run/mysqld/init.sql
printf '[client]\nuser=root\npassword=%s\nsocket=/run/mysqld/mysqld.sock\n' "$ROOT_PASSWORD" >/run/mysqld/client.cnf
exec perl /etc/ccp/member.pl
