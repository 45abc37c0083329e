import { NODE } from './pod-runner.ts';

/** Sends the report of a host's agent: neutron binds ports only on hosts with a live agent. */
export const AGENT = `
from neutron.common import config
config.register_common_config_options()
config.init(["--config-file", "/etc/neutron/neutron.conf"])
from neutron.conf.agent import common
from oslo_config import cfg
common.register_agent_state_opts_helper(cfg.CONF)
from neutron.agent import rpc
from neutron_lib import context
from neutron_lib.agent import topics

report = {"binary": "neutron-openvswitch-agent", "agent_type": "Open vSwitch agent", "topic": "N/A", "host": "${NODE}", "start_flag": True,
          "configurations": {"tunnel_types": ["vxlan"], "tunneling_ip": "127.0.0.1", "bridge_mappings": {}, "datapath_type": "system"}}
rpc.PluginReportStateAPI(topics.REPORTS).report_state(context.get_admin_context_without_session(), report, use_call=True)
`;
