# Succeeds if the server can be written and read: it is in the primary component, and synced or a donor. Else prints the reason.
set -euo pipefail
status=$(mariadb --defaults-file=/run/mysqld/client.cnf --connect-timeout=2 --batch --skip-column-names --execute \
  "SHOW GLOBAL STATUS WHERE Variable_name IN ('wsrep_cluster_status', 'wsrep_ready', 'wsrep_local_state')" 2>/dev/null || true)
has() { grep -qxE "$1"$'\t'"$2" <<<"$status"; }
if has wsrep_cluster_status Primary && has wsrep_ready ON && has wsrep_local_state '[24]'; then exit 0; fi
cat /run/mysqld/decision 2>/dev/null || echo 'the server starts'
exit 1
