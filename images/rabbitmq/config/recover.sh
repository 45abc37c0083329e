# Runs the actions of recover.escript, which need Erlang's cookie in a file.
set -euo pipefail
umask 077
printf %s "$COOKIE" >"$HOME/.erlang.cookie"
unset COOKIE
exec escript /etc/ccp/recover.escript "$1"
