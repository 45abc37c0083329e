# The folder of the servers is on the node, and is missing at the first start.
set -euo pipefail
install -d -o nova -g nova /var/lib/nova/instances
exec nova-compute --config-file /etc/nova/nova.conf --config-file /etc/nova/compute.conf
