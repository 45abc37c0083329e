"""Creates a consumer's virtual host and its user with the password; idempotent.

Users of other generations stay valid; with OTHERS=remove they are deleted, which closes their connections.
"""
import base64, json, os, re, urllib.error, urllib.parse, urllib.request

account, user = os.environ["ACCOUNT"], os.environ["ACCOUNT_USER"]
login = base64.b64encode(f"admin:{os.environ['ADMIN_PASSWORD']}".encode()).decode()
nodes = os.environ["NODES"].split(",")


def call(method, path, body=None):
    for node in nodes:
        request = urllib.request.Request(
            f"http://{node}:15672/api/{path}",
            data=None if body is None else json.dumps(body).encode(),
            method=method,
            headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.read()
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            print(f"{node}: {error}")
    raise SystemExit("no node answers")


def put(path, body):
    call("PUT", path, body)


put(f"vhosts/{account}", {})
put(f"users/{user}", {"password": os.environ["ACCOUNT_PASSWORD"], "tags": ""})
put(f"permissions/{account}/{user}", {"configure": ".*", "write": ".*", "read": ".*"})
# Notifications without a consumer must not fill the disk.
bounds = {"message-ttl": 24 * 3600 * 1000, "max-length": 100000}
put(f"policies/{account}/notifications", {"pattern": "notifications", "apply-to": "queues", "definition": bounds})
if os.environ.get("OTHERS") == "remove":
    for name in (found["name"] for found in json.loads(call("GET", "users"))):
        if name != user and re.fullmatch(rf"{re.escape(account)}(\.[0-9]+)?", name):
            call("DELETE", f"users/{urllib.parse.quote(name, safe='')}")
            print(f"deleted the user {name}")
