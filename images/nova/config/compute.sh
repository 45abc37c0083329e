# The folder of the servers is on the node, where it is missing at first.
set -euo pipefail
install -d -o nova -g nova /var/lib/nova/instances
exec nova-compute --config-file /etc/nova/nova.conf --config-file /etc/nova/compute.conf
