"""Calls an RPC server of its own through oslo.messaging for SECONDS, and casts to all servers; prints JSON."""
import json, os, threading, time

import oslo_messaging
from oslo_config import cfg

# The services read a file too, and the driver reads some options when it is loaded.
with open("/tmp/rpc.conf", "w") as file:
    print("[oslo_concurrency]\nlock_path = /tmp\n[oslo_messaging_rabbit]\nhostname = rpc", file=file)
    for name, value in json.loads(os.environ["OPTIONS"]).items():
        print(f"{name} = {value}", file=file)
conf = cfg.CONF
conf(["--config-file", "/tmp/rpc.conf"], project="rpc")
transport = oslo_messaging.get_rpc_transport(conf, os.environ["URL"])
heard = set()


class Endpoint:
    def echo(self, context, number):
        return number

    def hear(self, context, number):
        heard.add(number)


def server_of(name):
    server = oslo_messaging.get_rpc_server(
        oslo_messaging.get_rpc_transport(conf, os.environ["URL"]),
        oslo_messaging.Target(topic="rounds", server=name),
        [Endpoint()],
    )
    server.start()


server_of("one")
client = oslo_messaging.get_rpc_client(transport, oslo_messaging.Target(topic="rounds"), timeout=5)
begin = last = time.monotonic()
state = {"calls": 0, "failed": 0, "gap": 0.0, "texts": [], "cast": 0}
while (now := time.monotonic()) < begin + float(os.environ["SECONDS"]):
    try:
        assert client.call({}, "echo", number=state["calls"]) == state["calls"]
        state["calls"] += 1
        state["gap"], last = max(state["gap"], time.monotonic() - last), time.monotonic()
    except Exception as error:
        state["failed"] += 1
        state["texts"] = [*state["texts"][-3:], f"{now - begin:.1f} s: {error!r}"]
    time.sleep(0.05)
# After all faults, an answer and a fan-out arrive.
state["answer"] = client.call({}, "echo", number=-1)
for number in range(20):
    client.prepare(fanout=True).cast({}, "hear", number=number)
until = time.monotonic() + 10
while len(heard) < 20 and time.monotonic() < until:
    time.sleep(0.1)
state["heard"] = len(heard)
print(json.dumps(state), flush=True)
os._exit(0)
