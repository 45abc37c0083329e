"""Creates a consumer's user with its roles in the service project, and registers its endpoints; idempotent.

Users of other generations stay valid; with OTHERS=remove they are deleted, which invalidates their tokens.
"""
import json, os, re
from keystoneauth1 import exceptions, session
from keystoneauth1.identity import v3

URL, ACCOUNT, NAME = (os.environ[key] for key in ("AUTH_URL", "ACCOUNT", "ACCOUNT_USER"))
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


def can_log_in(name, password):
    login = v3.Password(auth_url=URL, username=name, password=password, user_domain_id="default", unscoped=True)
    try:
        return bool(session.Session(auth=login).get_token())
    except exceptions.Unauthorized:
        return False


project = ensure("project", {"name": "service", "domain_id": "default"}, {"enabled": True})
# Keystone revokes all tokens of a user whose password is set, also to the same one.
password = os.environ["ACCOUNT_PASSWORD"]
settled = {} if can_log_in(NAME, password) else {"password": password, "enabled": True}
user = ensure("user", {"name": NAME, "domain_id": "default"}, settled)
for name in ("admin", "service"):
    role = ensure("role", {"name": name}, {})
    api.put(f"{URL}/projects/{project}/users/{user}/roles/{role}")
for endpoint in json.loads(os.environ["ENDPOINTS"]):
    service = ensure("service", {"type": endpoint["type"], "name": endpoint["name"]}, {"enabled": True})
    for interface in ("admin", "internal", "public"):
        url = endpoint["public-url" if interface == "public" else "url"]
        ensure("endpoint", {"service_id": service, "interface": interface, "region_id": os.environ["REGION"]}, {"url": url})
if os.environ.get("OTHERS") == "remove":
    for found in api.get(f"{URL}/users", params={"domain_id": "default", "name__startswith": ACCOUNT}).json()["users"]:
        if found["name"] != NAME and re.fullmatch(rf"{re.escape(ACCOUNT)}(\.[0-9]+)?", found["name"]):
            api.delete(f"{URL}/users/{found['id']}")
            print(f"deleted the user {found['name']}")
