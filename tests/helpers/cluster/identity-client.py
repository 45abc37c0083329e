"""Asks keystone for users, tokens and credentials of the recovery drill: identity-client.py make | check, with STATE as JSON."""
import json, os, sys, urllib.request

URL = os.environ["URL"]


def call(method, path, body=None, token=None, subject=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["X-Auth-Token"] = token
    if subject:
        headers["X-Subject-Token"] = subject
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(URL + path, data=data, headers=headers, method=method)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read() or b"{}"), answer.headers


def login(name, password, scope=None):
    identity = {"methods": ["password"], "password": {"user": {"name": name, "domain": {"id": "default"}, "password": password}}}
    auth = {"identity": identity, **({"scope": scope} if scope else {})}
    return call("POST", "/auth/tokens", {"auth": auth})[1]["X-Subject-Token"]


def admin():
    return login("admin", os.environ["ADMIN_PASSWORD"], {"project": {"name": "admin", "domain": {"id": "default"}}})


def make():
    token = admin()
    user = call("POST", "/users", {"user": {"name": "alice", "password": "old-secret", "domain_id": "default"}}, token)[0]["user"]["id"]
    blob = {"credential": {"type": "totp", "blob": "GEZDGNBVGY3TQOJQ", "user_id": user}}
    credential = call("POST", "/credentials", blob, token)[0]["credential"]["id"]
    return {"user": user, "credential": credential, "token": login("alice", "old-secret")}


def check(state):
    token = admin()
    return {
        "user": call("GET", "/auth/tokens", None, token, state["token"])[0]["token"]["user"]["id"],
        "login": bool(login("alice", "old-secret")),
        "blob": call("GET", f"/credentials/{state['credential']}", None, token)[0]["credential"]["blob"],
        "users": sorted(each["name"] for each in call("GET", "/users", None, token)[0]["users"]),
    }


print("RESULT " + json.dumps(make() if sys.argv[1] == "make" else check(json.loads(os.environ["STATE"]))))
