# Writes the node's name and bridges to the database, and runs the switch.
set -euo pipefail
ovs-vsctl --retry --timeout=60 --no-wait init -- set Open_vSwitch . "external-ids:system-id=$NODE_NAME" "external-ids:hostname=$NODE_NAME"
for pair in ${BRIDGES//,/ }; do
  ovs-vsctl --timeout=60 --no-wait --may-exist add-br "${pair%%=*}" -- --may-exist add-port "${pair%%=*}" "${pair#*=}"
done
exec ovs-vswitchd --pidfile
