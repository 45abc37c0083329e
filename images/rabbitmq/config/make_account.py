"""Creates a consumer's virtual host and user and sets the user's password; idempotent."""
import base64, json, os, urllib.error, urllib.request

account = os.environ["ACCOUNT"]
login = base64.b64encode(f"admin:{os.environ['ADMIN_PASSWORD']}".encode()).decode()
nodes = os.environ["NODES"].split(",")


def put(path, body):
    for node in nodes:
        request = urllib.request.Request(
            f"http://{node}:15672/api/{path}",
            data=json.dumps(body).encode(),
            method="PUT",
            headers={"Authorization": f"Basic {login}", "Content-Type": "application/json"},
        )
        try:
            return urllib.request.urlopen(request, timeout=30).close()
        except urllib.error.HTTPError:
            raise
        except OSError as error:
            print(f"{node}: {error}")
    raise SystemExit("no node answers")


put(f"vhosts/{account}", {})
put(f"users/{account}", {"password": os.environ["ACCOUNT_PASSWORD"], "tags": ""})
put(f"permissions/{account}/{account}", {"configure": ".*", "write": ".*", "read": ".*"})
# Notifications without a consumer must not fill the disk.
bounds = {"message-ttl": 24 * 3600 * 1000, "max-length": 100000}
put(f"policies/{account}/notifications", {"pattern": "notifications", "apply-to": "queues", "definition": bounds})
