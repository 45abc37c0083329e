"""Creates a consumer's user with its roles in the service project, and registers its endpoints; idempotent."""
import json, os
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

URL = os.environ["AUTH_URL"]
login = {"username": "admin", "password": os.environ["ADMIN_PASSWORD"], "project_name": "admin"}
api = session.Session(auth=v3.Password(auth_url=URL, user_domain_id="default", project_domain_id="default", **login))


def ensure(kind, wanted, settled):
    """Id of the object with the `wanted` values; creates the object or updates its `settled` values."""
    def find():
        return api.get(f"{URL}/{kind}s", params=wanted).json()[f"{kind}s"]

    found = find()
    if not found:
        try:
            return api.post(f"{URL}/{kind}s", json={kind: {**wanted, **settled}}).json()[kind]["id"]
        except exceptions.Conflict:
            # The job of another consumer has created the shared object.
            found = find()
    if settled:
        api.patch(f"{URL}/{kind}s/{found[0]['id']}", json={kind: settled})
    return found[0]["id"]


project = ensure("project", {"name": "service", "domain_id": "default"}, {"enabled": True})
user = ensure("user", {"name": os.environ["ACCOUNT"], "domain_id": "default"}, {"password": os.environ["ACCOUNT_PASSWORD"], "enabled": True})
for name in ("admin", "service"):
    role = ensure("role", {"name": name}, {})
    api.put(f"{URL}/projects/{project}/users/{user}/roles/{role}")
for endpoint in json.loads(os.environ["ENDPOINTS"]):
    service = ensure("service", {"type": endpoint["type"], "name": endpoint["name"]}, {"enabled": True})
    for interface in ("admin", "internal", "public"):
        url = endpoint["public-url" if interface == "public" else "url"]
        ensure("endpoint", {"service_id": service, "interface": interface, "region_id": os.environ["REGION"]}, {"url": url})
