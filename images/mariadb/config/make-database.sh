# Makes a consumer's user and its databases; safe to run again, and sets the password anew each time.
set -euo pipefail
case $ACCOUNT_PASSWORD in '' | *[!A-Za-z0-9]*) echo 'the password must be letters and digits' >&2; exit 1 ;; esac
umask 077
printf '[client]\nuser=ccp.setup\npassword=%s\nhost=%s\nport=%s\n' "$SETUP_PASSWORD" "$DATABASE_HOST" "$DATABASE_PORT" >/tmp/client.cnf
# A Service takes a moment to lead to a pod that has just become ready.
mariadb-admin --defaults-file=/tmp/client.cnf --connect-timeout=5 --wait=20 ping >/dev/null
mariadb --defaults-file=/tmp/client.cnf <<<"CALL mysql.make_account('$ACCOUNT', '$ACCOUNT_PASSWORD', '$DATABASES');"
