"""Posts each Secret that does not exist yet. Answer 409 says that it exists: it is not changed.

A Secret that pods in other namespaces use is copied there; a copy with other values is replaced.

The account may create Secrets, read only those whose Fernet keys are carried on or that are copied, and replace only copies. A Fernet key is 32 random bytes in URL-safe base64,
as cryptography's Fernet.generate_key makes it.
"""

import base64, json, os, secrets, ssl, string, urllib.error, urllib.request

PART_OF = "app.kubernetes.io/part-of"
ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
LETTERS = string.ascii_letters + string.digits
MAKE = {
    "password": lambda: "".join(secrets.choice(LETTERS) for _ in range(32)),
    "fernet-key": lambda: base64.urlsafe_b64encode(os.urandom(32)).decode(),
}


def rotate(keys, keep):
    """Fernet keys by index after a rotation: key 0, which all pods know, becomes the primary, the oldest go, and a new key 0 is staged."""
    keys = {int(index): value for index, value in keys.items()}
    keys[max(keys) + 1] = keys.pop(0)
    kept = sorted(keys)[-(keep - 1):]
    return {"0": MAKE["fernet-key"](), **{str(index): keys[index] for index in kept}}


def secret(request, read):
    """The Secret of a request, and whether keys of an earlier generation were asked for and none exists. `read` gives a Secret's values by key, or None."""
    values = None
    previous = request.get("previous")
    if previous:
        earlier = next((found for found in map(read, previous["names"]) if found is not None), None)
        values = earlier and rotate(earlier, previous["keep"])
    body = {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"name": request["name"], "labels": request["labels"]},
        "type": "Opaque",
        "stringData": values or {key: MAKE[kind]() for key, kind in request["keys"].items()},
    }
    return body, bool(previous and not values)


def copy(body, api):
    """Whether a Secret was created or replaced in another namespace; False where it has the same values. One of another owner is not replaced."""
    if api.create(body):
        return True
    name, owner = body["metadata"]["name"], body["metadata"]["labels"][PART_OF]
    found = api.object(name)
    if found["metadata"].get("labels", {}).get(PART_OF) != owner:
        raise SystemExit(f"the Secret {name} in the namespace {api.namespace} does not belong to {owner}: delete it, or set another nodeNamespace")
    if values_of(found) == body["stringData"]:
        return False
    api.replace(body)
    return True


def values_of(found):
    """Values of a Secret by key."""
    return {key: base64.b64decode(value).decode() for key, value in found.get("data", {}).items()}


class Api:
    """Secrets of a namespace, as the pod's account may use them."""

    def __init__(self, namespace):
        with open(f"{ACCOUNT}/token") as file:
            token = file.read().strip()
        host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ["KUBERNETES_SERVICE_PORT"]
        host = f"[{host}]" if ":" in host else host
        self.namespace = namespace
        self.trust = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")
        self.url = f"https://{host}:{port}/api/v1/namespaces/{namespace}/secrets"
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def call(self, url, body=None, method=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(url, data=data, headers=self.headers, method=method)
        with urllib.request.urlopen(request, context=self.trust, timeout=30) as answer:
            return answer.read()

    def read(self, name):
        """Values of a Secret by key; None where it does not exist."""
        try:
            return values_of(self.object(name))
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None

    def object(self, name):
        return json.loads(self.call(f"{self.url}/{name}"))

    def replace(self, body):
        self.call(f"{self.url}/{body['metadata']['name']}", body, "PUT")

    def create(self, body):
        """Whether it was created; False where it exists."""
        try:
            self.call(self.url, body)
        except urllib.error.HTTPError as error:
            if error.code != 409:
                raise
            return False
        return True


def main():
    with open("/etc/ccp/requests.json") as file:
        spec = json.load(file)
    api = Api(spec["namespace"])
    for request in spec["secrets"]:
        body, is_first = secret(request, api.read)
        if api.create(body):
            print("made", request["name"], *(["with new keys: no generation before it is there"] if is_first else []))
        else:
            print("kept", request["name"])
            if request.get("copies"):
                body["stringData"] = api.read(request["name"])
        for namespace in request.get("copies", []):
            if copy(body, Api(namespace)):
                print("copied", request["name"], "to", namespace)


if __name__ == "__main__":
    main()
