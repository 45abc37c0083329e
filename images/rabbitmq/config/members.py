"""Removes members that the site no longer has, or grows quorum queues; idempotent: members.py forget|grow."""
import json, os, subprocess, sys

wanted = os.environ["NODES"].split(",")
asked = wanted[0]
cookie = os.open(f"{os.environ['HOME']}/.erlang.cookie", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o400)
os.write(cookie, os.environ.pop("COOKIE").encode())
os.close(cookie)


def call(node, *words, check=True):
    program, *rest = words
    done = subprocess.run([program, "--longnames", "--quiet", "--node", f"rabbit@{node}", *rest], stdout=subprocess.PIPE, text=True)
    if check and done.returncode != 0:
        raise SystemExit(f"{node}: {' '.join(words)} ended with {done.returncode}: {done.stdout}")
    return done


def ask(node, *words):
    return json.loads(call(node, *words, "--formatter", "json").stdout)


def when_alone(policy):
    """Sets what members do in a minority, as one of two members is when the other one leaves."""
    for node in wanted:
        call(node, "rabbitmqctl", "eval", f"application:set_env(rabbit, cluster_partition_handling, {policy}).")


def kept_by(node):
    """Yields a text for each queue with messages that only this member has."""
    for vhost in ask(asked, "rabbitmqctl", "list_vhosts", "name"):
        queues = ask(node, "rabbitmqctl", "list_queues", "--vhost", vhost["name"], "--local", "name", "type", "durable", "messages")
        for queue in queues:
            if queue["type"] == "classic" and queue["durable"] and queue["messages"]:
                yield f"{queue['messages']} in {queue['name']} of {vhost['name']}"


def forget(node, runs):
    if call(node, "rabbitmqctl", "ping", check=False).returncode != 0:
        call(asked, "rabbitmqctl", "forget_cluster_node", f"rabbit@{node}")
        return print(f"{node} did not answer and is forgotten; if it comes back, it sets its data aside and joins as a new member")
    kept = list(kept_by(node)) if runs else []
    if kept:
        raise SystemExit(f"{node} has messages that would be lost: {', '.join(kept)}; wait until they are taken, or run the action purge-queue")
    try:
        when_alone("ignore")
        call(asked, "rabbitmq-queues", "shrink", f"rabbit@{node}")
        call(node, "rabbitmqctl", "stop_app")
        call(node, "rabbitmqctl", "reset")
    finally:
        when_alone("pause_minority")
    print(f"{node} has left")


if sys.argv[1] == "forget":
    status = ask(asked, "rabbitmqctl", "cluster_status")
    members, running = ({member.partition("@")[2] for member in status[key]} for key in ("disk_nodes", "running_nodes"))
    # Dead members first, while the running ones are still a majority.
    for member in sorted(members.difference(wanted), key=lambda each: (each in running, each)):
        forget(member, member in running)
else:
    for member in wanted:
        print(call(asked, "rabbitmq-queues", "grow", f"rabbit@{member}", "all").stdout, end="")
