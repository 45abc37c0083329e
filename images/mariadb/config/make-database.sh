# Creates a consumer's user and its databases and sets the user's password; idempotent. The password before stays valid unless OTHERS is
# "remove".
set -euo pipefail
case $ACCOUNT_PASSWORD in '' | *[!A-Za-z0-9]*) echo 'the password must be letters and digits' >&2; exit 1 ;; esac
umask 077
printf '[client]\nuser=ccp.setup\npassword=%s\nhost=%s\nport=%s\n' "$SETUP_PASSWORD" "$DATABASE_HOST" "$DATABASE_PORT" >/tmp/client.cnf
# The Service of a pod that has just become ready needs a moment until it routes to the pod.
mariadb-admin --defaults-file=/tmp/client.cnf --connect-timeout=5 --wait=20 ping >/dev/null
mariadb --defaults-file=/tmp/client.cnf <<<"CALL mysql.make_account('$ACCOUNT', '$ACCOUNT_PASSWORD', '$DATABASES', '${OTHERS:-keep}');"
