# Configures the node's switch as an OVN chassis, and runs the controller.
set -euo pipefail
value() { sed -n "s/^$1 = //p" /etc/ccp/chassis.conf; }
options=
[ "$(value gateway)" != true ] || options=enable-chassis-as-gw
ovs-vsctl --retry --timeout=60 --no-wait set Open_vSwitch . \
  "external-ids:system-id=$NODE_NAME" \
  "external-ids:hostname=$NODE_NAME" \
  "external-ids:ovn-remote=\"$SOUTHBOUND\"" \
  "external-ids:ovn-encap-type=geneve" \
  "external-ids:ovn-encap-ip=\"$NODE_IP\"" \
  "external-ids:ovn-bridge-datapath-type=$DATAPATH" \
  "external-ids:ovn-bridge-mappings=\"$(value bridge-mappings)\"" \
  "external-ids:ovn-cms-options=\"$options\""
exec ovn-controller --pidfile unix:/run/openvswitch/db.sock
