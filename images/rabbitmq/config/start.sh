# Starts a RabbitMQ member, and stops it only when its queues keep a majority.
set -euo pipefail
# Process 1 ignores signals that it does not trap, and the server does not run yet.
trap 'exit 143' TERM INT
# Erlang needs its cookie in a file that only its user can read; a mounted Secret is readable by a group.
umask 077
printf %s "$COOKIE" >"$HOME/.erlang.cookie.new"
chmod 400 "$HOME/.erlang.cookie.new"
mv -f "$HOME/.erlang.cookie.new" "$HOME/.erlang.cookie"
# RabbitMQ's password hash: four bytes of salt, then the SHA-256 of the salt and the password.
salt=$(od -An -tx1 -N4 /dev/urandom | tr -d ' ')
# shellcheck disable=SC2001 # bookworm's Bash has no & in ${name//pattern/text}.
bytes() { printf '%b' "$(sed 's/../\\x&/g' <<<"$1")"; }
digest=$({ bytes "$salt"; printf %s "$ADMIN_PASSWORD"; } | sha256sum | cut -c1-64)
hash=$(bytes "$salt$digest" | base64 -w0)
cat >/tmp/definitions.json <<END
{
  "vhosts": [{ "name": "/" }],
  "users": [{ "name": "admin", "password_hash": "$hash", "hashing_algorithm": "rabbit_password_hashing_sha256", "tags": ["administrator"] }],
  "permissions": [{ "user": "admin", "vhost": "/", "configure": ".*", "write": ".*", "read": ".*" }]
}
END
unset COOKIE ADMIN_PASSWORD
# RabbitMQ cannot upgrade between Debian's versions in one step (3.10 to 4.0 needs 3.13), so each version has a folder of its
# own: a new version starts empty, and an earlier version finds its data again.
programs=(/usr/lib/rabbitmq/lib/rabbitmq_server-*)
version=${programs[0]##*-}
export RABBITMQ_MNESIA_BASE=/var/lib/rabbitmq/mnesia-${version%.*}
# To compare itself with a peer, a member starts Mnesia without a folder. A peer that starts at the same moment sends its
# schema, and Mnesia then writes it to the working folder (4.0.5, rabbit_mnesia:with_running_or_clean_mnesia/1).
rm -rf /tmp/asking && mkdir /tmp/asking && cd /tmp/asking
# A hanging member answers no call.
ask() { timeout --kill-after=5 20 "$@"; }
# A member that founds, joins or continues a cluster decides so from the volumes of all members.
shopt -s nullglob
holds=empty
data=(/var/lib/rabbitmq/mnesia-*/"$RABBITMQ_NODENAME"/schema.DAT)
if (( ${#data[@]} )); then holds=other; fi
if [ -e "$RABBITMQ_MNESIA_BASE/$RABBITMQ_NODENAME/schema.DAT" ]; then holds=data; fi
escript /etc/ccp/member.escript arrive "$holds" &
arrives=$!
trap 'kill "$arrives" 2>/dev/null; exit 143' TERM INT
wait "$arrives"
cat /etc/ccp/rabbitmq.conf /tmp/members.conf >/tmp/rabbitmq.conf
/usr/lib/rabbitmq/bin/rabbitmq-server &
server=$!
escript /etc/ccp/member.escript watch &
# Queues get their replicas back on a member that joined again.
if [ -e /tmp/forgotten ]; then
  (until ask rabbitmqctl --quiet await_startup >/dev/null 2>&1; do sleep 2; done
  ask rabbitmq-queues --quiet grow "$RABBITMQ_NODENAME" all
  rm /tmp/forgotten) &
fi
# Stops the server when no quorum queue loses its majority, when all running members stop too, or after eight minutes. A member
# that boots, pauses or hangs cannot know and stops at once: after two failed calls, since a busy machine can lose one.
# shellcheck disable=SC2329 # The trap calls it.
leave() {
  local failed=0 mark why
  mark='application:set_env(rabbit, ccp_stops, true), lists:usort([rpc:call(N, application, get_env, [rabbit, ccp_stops], 3000) || N <- rabbit_mnesia:cluster_nodes(running)]) =:= [{ok, true}].'
  until (( SECONDS > $1 + 480 )); do
    if ask rabbitmq-diagnostics --quiet check_running >/dev/null 2>&1; then
      failed=0
      if [ "$(ask rabbitmqctl --quiet eval "$mark" 2>/dev/null)" = true ]; then break; fi
      if why=$(ask rabbitmq-diagnostics --quiet check_if_node_is_quorum_critical 2>&1); then break; fi
    else
      if (( ++failed == 2 )); then break; fi
      why='it does not run'
    fi
    kill -0 "$server" 2>/dev/null || break
    echo "waits to stop: $why"
    sleep 2
  done
  kill -TERM "$server" 2>/dev/null || true
}
trap 'leave $SECONDS' TERM INT
code=0
while kill -0 "$server" 2>/dev/null; do wait "$server" && code=0 || code=$?; done
exit "$code"
