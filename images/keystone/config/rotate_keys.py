"""Rotates the Fernet keys of a Secret in place: rotate_keys.py tokens | credentials; or only encrypts credentials: migrate.

Key 0 is staged: pods accept it and do not use it. A rotation makes it the primary key, which has the highest index, and stages a
new one. Pods see the keys of a Secret some time after it changed, so the staged key must be on all pods before it becomes primary.

tokens: each pod validates a token that only the staged key can open. A secondary key stays until tokens of it are of no use any
more. credentials: all are encrypted again with the primary key first. A secondary key stays for a day.

The times at which keys became secondary are in an annotation of the Secret.
"""
import base64, configparser, json, os, ssl, subprocess, sys, tempfile, time, urllib.error, urllib.request

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
CREDENTIAL_KEYS = "/etc/keystone/credential-keys"
TIMES = "ccp.openstack.org/secondary-since"
DAY = 86400
# Seconds that a kubelet may take to show new keys to a pod, with a margin.
DELAY = 600
# Seconds until a run gives up waiting for the pods.
WAIT = 300


def rotated(keys, since, now, window, fresh):
    """Keys and times by index after a rotation at `now`; secondary keys that are older than `window` go."""
    primary = max(keys)
    since = {index: since.get(index, now) for index in keys if index not in (0, primary)}
    since[primary] = now
    kept = {index: keys[index] for index, time in since.items() if time > now - window}
    return {0: fresh, **kept, primary + 1: keys[0]}, {index: since[index] for index in kept}


class Api:
    """Objects of the pod's namespace, as its account may use them."""

    def __init__(self):
        with open(f"{ACCOUNT}/token") as token, open(f"{ACCOUNT}/namespace") as namespace:
            self.headers = {"Authorization": f"Bearer {token.read().strip()}", "Content-Type": "application/json"}
            self.namespace = namespace.read().strip()
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        self.url = f"https://[{host}]:{port}" if ":" in host else f"https://{host}:{port}"
        self.trust = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")

    def call(self, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=self.headers, method="PUT" if data else "GET")
        with urllib.request.urlopen(request, context=self.trust, timeout=30) as answer:
            return json.loads(answer.read())

    def secret(self, name, body=None):
        return self.call(f"/api/v1/namespaces/{self.namespace}/secrets/{name}", body)

    def addresses(self, service):
        """Addresses of the Service's pods that serve requests, also those that stop soon."""
        path = f"/apis/discovery.k8s.io/v1/namespaces/{self.namespace}/endpointslices?labelSelector=kubernetes.io/service-name={service}"
        return sorted({
            address
            for item in self.call(path)["items"]
            for endpoint in item.get("endpoints") or []
            if endpoint.get("conditions", {}).get("serving", True)
            for address in endpoint["addresses"]
        })


def staged_token(keys):
    """The administrator's token, and the same token as the staged key would have encrypted it."""
    from cryptography.fernet import Fernet, MultiFernet
    from keystoneauth1 import session
    from keystoneauth1.identity import v3

    login = {"username": "admin", "password": os.environ["ADMIN_PASSWORD"], "project_name": "admin"}
    auth = v3.Password(auth_url=os.environ["AUTH_URL"], user_domain_id="default", project_domain_id="default", **login)
    token = session.Session(auth=auth).get_token()
    opened = MultiFernet([Fernet(key) for key in keys.values()]).decrypt(token + "=" * (-len(token) % 4))
    return token, Fernet(keys[0]).encrypt(opened).decode().rstrip("=")


def accepts(address, token, subject):
    """Whether the pod validates the token; it does not where it has no key for it."""
    host = f"[{address}]" if ":" in address else address
    headers = {"X-Auth-Token": token, "X-Subject-Token": subject}
    request = urllib.request.Request(f"http://{host}:{os.environ['PORT']}/v3/auth/tokens", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30):
            return True
    except OSError as error:
        print(f"{address}: {error}")
        return False


def await_pods(api, keys):
    """Waits until all pods have the staged key."""
    token, subject = staged_token(keys)
    until = time.monotonic() + WAIT
    # A pod that has the key keeps it, so it is asked once.
    have = set()
    while True:
        pods = api.addresses(os.environ["SERVICE"].split(".")[0])
        have |= {pod for pod in pods if pod not in have and accepts(pod, token, subject)}
        missing = [pod for pod in pods if pod not in have]
        if pods and not missing:
            print(f"{len(pods)} pods have the staged key")
            return
        if time.monotonic() > until:
            raise SystemExit(f"pods without the staged key: {', '.join(missing) or 'no pod serves'}; nothing was changed")
        time.sleep(5)


def mounted(folder):
    """Keys by index that this pod has."""
    keys = {}
    for name in filter(str.isdigit, os.listdir(folder)):
        with open(os.path.join(folder, name)) as file:
            keys[int(name)] = file.read()
    return keys


def migrate(keys):
    """Encrypts all credentials with the primary key. keystone-manage wants a folder of keys that it could write to."""
    with tempfile.TemporaryDirectory() as folder:
        for index, key in keys.items():
            with open(os.path.join(folder, str(index)), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
                file.write(key)
        subprocess.run(["keystone-manage", "credential_migrate"], check=True, env={**os.environ, "OS_CREDENTIAL__KEY_REPOSITORY": folder})


def window_of(path):
    """Seconds for which a token of keystone can be of use: services may use one for some time after its end."""
    conf = configparser.RawConfigParser(strict=False)
    conf.read(path)
    expiration = int(conf.get("token", "expiration", fallback=3600))
    return expiration + int(conf.get("token", "allow_expired_window", fallback=2 * DAY)) + DELAY


def main(kind):
    api, name, now = Api(), os.environ["SECRET"], int(time.time())
    secret = api.secret(name)
    keys = {int(index): base64.b64decode(value).decode() for index, value in secret["data"].items()}
    notes = secret["metadata"].setdefault("annotations", {})
    since = {int(index): time for index, time in json.loads(notes.get(TIMES, "{}")).items()}
    if kind == "tokens":
        window = window_of("/etc/keystone/keystone.conf")
        await_pods(api, keys)
    else:
        window = DAY
        if max(since.values(), default=0) > now - DELAY:
            raise SystemExit(f"the last rotation was less than {DELAY} seconds ago: a pod may not have the staged key; nothing was changed")
        if mounted(CREDENTIAL_KEYS) != keys:
            raise SystemExit("the Secret changed while this pod started; nothing was changed")
        migrate(keys)
    fresh = base64.urlsafe_b64encode(os.urandom(32)).decode()
    after, times = rotated(keys, since, now, window, fresh)
    secret["data"] = {str(index): base64.b64encode(key.encode()).decode() for index, key in after.items()}
    notes[TIMES] = json.dumps(times, sort_keys=True)
    try:
        api.secret(name, secret)
    except urllib.error.HTTPError as error:
        if error.code != 409:
            raise
        raise SystemExit(f"the Secret {name} was changed by another process; nothing was changed") from error
    print(f"{name}: primary key {max(after)}, {len(times)} secondary keys, {len(keys) + 1 - len(after)} removed")


if __name__ == "__main__":
    if sys.argv[1] == "migrate":
        migrate(mounted(CREDENTIAL_KEYS))
    else:
        main(sys.argv[1])
