"""Lists the queues of a virtual host, or removes all messages of one queue: manage_queues.py list|purge."""
import base64, json, os, sys, urllib.error, urllib.parse, urllib.request

login = base64.b64encode(f"admin:{os.environ['ADMIN_PASSWORD']}".encode()).decode()
vhost, queue = (urllib.parse.quote(os.environ[name], safe="") for name in ("VHOST", "QUEUE"))


def call(path, method="GET"):
    for node in os.environ["NODES"].split(","):
        request = urllib.request.Request(f"http://{node}:15672/api/{path}", method=method, headers={"Authorization": f"Basic {login}"})
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.loads(answer.read() or "null")
        except urllib.error.HTTPError as error:
            raise SystemExit(f"{method} {path}: {error.code} {error.reason}") from None
        except OSError as error:
            print(f"{node}: {error}", file=sys.stderr)
    raise SystemExit("no node answers")


if sys.argv[1] == "purge":
    messages = call(f"queues/{vhost}/{queue}").get("messages", 0)
    call(f"queues/{vhost}/{queue}/contents", "DELETE")
    print(f"took {messages} messages out of {os.environ['QUEUE']}")
else:
    queues = sorted(call(f"queues/{vhost}" if vhost else "queues"), key=lambda each: (each["vhost"], each["name"]))
    for each in queues:
        print(each["vhost"], each["name"], f"messages={each.get('messages', 0)}", f"consumers={each.get('consumers', 0)}")
    if not queues:
        print("there are no queues")
