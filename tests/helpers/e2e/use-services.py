"""Uses the main tables of OpenStack services through their APIs.

Prints JSON: service -> operation -> HTTP status, or the error of a request without an answer.
"""

import json
import os
import sys
import uuid

from keystoneauth1 import session
from keystoneauth1.identity import v3

AUTH_URL = os.environ["AUTH_URL"]
auth = v3.Password(
    auth_url=AUTH_URL,
    username="admin",
    password=os.environ["PASSWORD"],
    project_name="admin",
    user_domain_id="default",
    project_domain_id="default",
)
client = session.Session(auth=auth, timeout=60)
results = {}


class Service:
    """Requests to one service; a failed request returns an empty document, so the next ones fail too."""

    def __init__(self, name, kind, prefix="", headers=None):
        self.name, self.kind, self.prefix, self.headers = name, kind, prefix, headers or {}
        self.statuses = results.setdefault(name, {})

    def call(self, operation, method, path, body=None, headers=None):
        try:
            answer = client.request(
                self.prefix + path,
                method,
                json=body,
                headers={**self.headers, **(headers or {})},
                endpoint_filter={"service_type": self.kind, "interface": "internal"},
                raise_exc=False,
            )
        except Exception as error:
            self.statuses[operation] = f"{type(error).__name__}: {error}"
            return {}
        self.statuses[operation] = answer.status_code
        if answer.status_code >= 400:
            print(f"{self.name}: {operation}: {answer.status_code} {answer.text[:300]}", file=sys.stderr)
        try:
            return answer.json()
        except ValueError:
            return {}

    def resource(self, kind, body, changes=None, plural=None, method="PUT"):
        """Creates, lists, shows, changes and deletes a resource."""
        made = self.create(kind, body, plural)
        plural = plural or f"{kind}s"
        self.call(f"list {plural}", "GET", f"/{plural}")
        self.call(f"show {kind}", "GET", f"/{plural}/{made}")
        if changes is not None:
            self.call(f"change {kind}", method, f"/{plural}/{made}", {kind: changes})
        self.delete(kind, made, plural)

    def create(self, kind, body, plural=None):
        made = self.call(f"create {kind}", "POST", f"/{plural or kind + 's'}", {kind: body}).get(kind, {})
        return made.get("id", "missing")

    def delete(self, kind, made, plural=None):
        self.call(f"delete {kind}", "DELETE", f"/{plural or kind + 's'}/{made}")


def name(kind):
    return f"{kind}-{uuid.uuid4().hex[:8]}"


def keystone():
    api = Service("keystone", "identity")
    api.resource("domain", {"name": name("domain"), "enabled": False}, {"description": "x"}, method="PATCH")
    api.resource("region", {"id": name("region")}, {"description": "x"}, method="PATCH")
    api.resource("service", {"name": name("service"), "type": "x"}, {"description": "x"}, "services", "PATCH")
    api.resource("role", {"name": name("role")}, {"description": "x"}, method="PATCH")
    api.resource("group", {"name": name("group")}, {"description": "x"}, method="PATCH")
    role = api.create("role", {"name": name("role")})
    project = api.create("project", {"name": name("project")})
    user_name = name("user")
    user = api.create("user", {"name": user_name, "password": "one", "default_project_id": project})
    api.call("grant role", "PUT", f"/projects/{project}/users/{user}/roles/{role}")
    api.call("list role assignments", "GET", f"/role_assignments?user.id={user}")
    login = {"identity": {"methods": ["password"], "password": {"user": {"id": user, "password": "one"}}},
             "scope": {"project": {"id": project}}}
    try:
        answer = client.post(AUTH_URL + "/auth/tokens", json={"auth": login}, authenticated=False, raise_exc=False)
        api.statuses["log in"] = answer.status_code
        token = answer.headers.get("X-Subject-Token", "missing")
    except Exception as error:
        api.statuses["log in"], token = str(error), "missing"
    api.call("check token", "GET", "/auth/tokens", headers={"X-Subject-Token": token})
    api.call("revoke token", "DELETE", "/auth/tokens", headers={"X-Subject-Token": token})
    api.call("change user", "PATCH", f"/users/{user}", {"user": {"password": "two"}})
    credential = {"type": "x", "blob": "y", "user_id": user, "project_id": project}
    api.resource("credential", credential, {"blob": "z"}, method="PATCH")
    mine = client.get_user_id()
    made = api.call("create application credential", "POST", f"/users/{mine}/application_credentials",
                    {"application_credential": {"name": name("credential")}}).get("application_credential", {})
    api.call("list application credentials", "GET", f"/users/{mine}/application_credentials")
    api.call("delete application credential", "DELETE", f"/users/{mine}/application_credentials/{made.get('id')}")
    api.call("disable user", "PATCH", f"/users/{user}", {"user": {"enabled": False}})
    api.delete("user", user)
    api.delete("project", project)
    api.delete("role", role)


def glance():
    api = Service("glance", "image", "/v2")
    image = {"name": "x", "disk_format": "raw", "container_format": "bare", "visibility": "private"}
    made = api.call("create image", "POST", "/images", image).get("id", "missing")
    try:
        answer = client.put(f"/v2/images/{made}/file", data=b"content", raise_exc=False,
                            headers={"Content-Type": "application/octet-stream"},
                            endpoint_filter={"service_type": "image", "interface": "internal"})
        api.statuses["upload image"] = answer.status_code
    except Exception as error:
        api.statuses["upload image"] = str(error)
    api.call("list images", "GET", "/images?sort=name:asc&os_hidden=false")
    api.call("show image", "GET", f"/images/{made}")
    patch = {"Content-Type": "application/openstack-images-v2.1-json-patch"}
    api.call("change image", "PATCH", f"/images/{made}", [{"op": "add", "path": "/colour", "value": "red"}], patch)
    api.call("tag image", "PUT", f"/images/{made}/tags/x")
    api.call("share image", "PATCH", f"/images/{made}", [{"op": "replace", "path": "/visibility", "value": "shared"}], patch)
    api.call("add member", "POST", f"/images/{made}/members", {"member": "0" * 32})
    api.call("delete member", "DELETE", f"/images/{made}/members/{'0' * 32}")
    api.call("deactivate image", "POST", f"/images/{made}/actions/deactivate")
    api.call("list tasks", "GET", "/tasks")
    space = name("space")
    api.call("create namespace", "POST", "/metadefs/namespaces", {"namespace": space})
    api.call("create object", "POST", f"/metadefs/namespaces/{space}/objects", {"name": "x", "properties": {}})
    api.call("delete namespace", "DELETE", f"/metadefs/namespaces/{space}")
    api.call("delete image", "DELETE", f"/images/{made}")


def placement():
    api = Service("placement", "placement", headers={"OpenStack-API-Version": "placement 1.36"})
    provider = str(uuid.uuid4())
    consumer = str(uuid.uuid4())
    trait = "CUSTOM_" + uuid.uuid4().hex.upper()
    resource = "CUSTOM_" + uuid.uuid4().hex.upper()
    made = api.call("create provider", "POST", "/resource_providers", {"name": name("node"), "uuid": provider})
    generation = made.get("generation", 0)
    api.call("create class", "PUT", f"/resource_classes/{resource}")
    inventory = {"total": 8, "reserved": 0, "min_unit": 1, "max_unit": 8, "step_size": 1, "allocation_ratio": 1.0}
    made = api.call("set inventory", "PUT", f"/resource_providers/{provider}/inventories",
                    {"resource_provider_generation": generation, "inventories": {"VCPU": inventory, resource: inventory}})
    api.call("create trait", "PUT", f"/traits/{trait}")
    generation = made.get("resource_provider_generation", 0)
    made = api.call("set traits", "PUT", f"/resource_providers/{provider}/traits",
                    {"resource_provider_generation": generation, "traits": [trait]})
    generation = made.get("resource_provider_generation", 0)
    api.call("set aggregates", "PUT", f"/resource_providers/{provider}/aggregates",
             {"resource_provider_generation": generation, "aggregates": [str(uuid.uuid4())]})
    api.call("list candidates", "GET", f"/allocation_candidates?resources=VCPU:1&required={trait}")
    owner = {"project_id": "0" * 32, "user_id": "0" * 32, "consumer_generation": None}
    api.call("allocate", "PUT", f"/allocations/{consumer}",
             {"allocations": {provider: {"resources": {"VCPU": 2, resource: 1}}}, **owner})
    api.call("show allocations", "GET", f"/allocations/{consumer}")
    api.call("show usages", "GET", f"/usages?project_id={'0' * 32}")
    api.call("delete allocations", "DELETE", f"/allocations/{consumer}")
    api.call("list providers", "GET", "/resource_providers")
    api.call("delete provider", "DELETE", f"/resource_providers/{provider}")
    api.call("delete class", "DELETE", f"/resource_classes/{resource}")
    api.call("delete trait", "DELETE", f"/traits/{trait}")


def neutron():
    api = Service("neutron", "network", "/v2.0")
    network = api.create("network", {"name": "x"})
    subnet = api.create("subnet", {"network_id": network, "cidr": "10.9.0.0/24", "ip_version": 4})
    port = api.create("port", {"network_id": network, "device_owner": "compute:x", "binding:host_id": "node-0"})
    router = api.create("router", {"name": "x"})
    api.call("add interface", "PUT", f"/routers/{router}/add_router_interface", {"subnet_id": subnet})
    for kind, made in [("network", network), ("subnet", subnet), ("port", port), ("router", router)]:
        api.call(f"list {kind}s", "GET", f"/{kind}s")
        api.call(f"show {kind}", "GET", f"/{kind}s/{made}")
        api.call(f"change {kind}", "PUT", f"/{kind}s/{made}", {kind: {"name": "y"}})
        api.call(f"tag {kind}", "PUT", f"/{kind}s/{made}/tags/red")
    group = api.create("security_group", {"name": "x"}, "security-groups")
    rule = {"security_group_id": group, "direction": "ingress", "protocol": "tcp", "port_range_min": 1, "port_range_max": 2}
    api.resource("security_group_rule", rule, None, "security-group-rules")
    api.delete("security_group", group, "security-groups")
    policy = {"object_type": "network", "object_id": network, "action": "access_as_shared", "target_tenant": "0" * 32}
    api.resource("rbac_policy", policy, {"target_tenant": "1" * 32}, "rbac-policies")
    api.resource("address_group", {"name": "x", "addresses": ["10.0.0.0/8"]}, {"name": "y"}, "address-groups")
    api.resource("address_scope", {"name": "x", "ip_version": 4}, {"name": "y"}, "address-scopes")
    api.resource("subnetpool", {"name": "x", "prefixes": ["10.8.0.0/16"], "default_prefixlen": 24}, {"name": "y"})
    api.call("change quota", "PUT", f"/quotas/{'0' * 32}", {"quota": {"network": 3}})
    api.call("delete quota", "DELETE", f"/quotas/{'0' * 32}")
    api.call("list agents", "GET", "/agents")
    segments = {"name": "x", "shared": True, "network_type": "vxlan", "minimum": 70000, "maximum": 70010}
    api.resource("network_segment_range", segments, {"name": "y"}, "network_segment_ranges")
    api.call("remove interface", "PUT", f"/routers/{router}/remove_router_interface", {"subnet_id": subnet})
    api.delete("router", router)
    api.delete("port", port)
    api.delete("subnet", subnet)
    api.delete("network", network)


def nova():
    api = Service("nova", "compute", headers={"OpenStack-API-Version": "compute 2.90"})
    flavor = api.create("flavor", {"name": name("flavor"), "ram": 64, "vcpus": 1, "disk": 1})
    api.call("list flavors", "GET", "/flavors/detail")
    api.call("set flavor's specs", "POST", f"/flavors/{flavor}/os-extra_specs", {"extra_specs": {"hw:cpu_policy": "shared"}})
    pair = name("pair")
    key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHV5dXl1eXV5dXl1eXV5dXl1eXV5dXl1eXV5dXl1eXV5 x"
    api.call("create key pair", "POST", "/os-keypairs", {"keypair": {"name": pair, "public_key": key, "type": "ssh"}})
    api.call("list key pairs", "GET", "/os-keypairs")
    group = {"name": name("group"), "policy": "anti-affinity"}
    made = api.call("create server group", "POST", "/os-server-groups", {"server_group": group}).get("server_group", {}).get("id")
    api.call("list server groups", "GET", "/os-server-groups")
    aggregate = {"name": name("aggregate"), "availability_zone": name("zone")}
    number = api.call("create aggregate", "POST", "/os-aggregates", {"aggregate": aggregate}).get("aggregate", {}).get("id")
    api.call("set aggregate's metadata", "POST", f"/os-aggregates/{number}/action", {"set_metadata": {"metadata": {"a": "b"}}})
    api.call("delete aggregate", "DELETE", f"/os-aggregates/{number}")
    api.call("list services", "GET", "/os-services")
    api.call("list hypervisors", "GET", "/os-hypervisors/detail")
    api.call("show limits", "GET", "/limits")
    project = client.get_project_id()
    api.call("change quota", "PUT", f"/os-quota-sets/{project}", {"quota_set": {"cores": 30, "force": True}})
    api.call("delete quota", "DELETE", f"/os-quota-sets/{project}")
    image = os.environ["IMAGE_ID"]
    server = {"name": "x", "flavorRef": flavor, "imageRef": image, "networks": "none", "key_name": pair, "metadata": {"a": "b"}}
    made_server = api.create("server", server)
    api.call("list servers", "GET", "/servers/detail?all_tenants=1")
    api.call("show server", "GET", f"/servers/{made_server}")
    api.call("change server", "PUT", f"/servers/{made_server}", {"server": {"name": "y"}})
    api.call("list actions", "GET", f"/servers/{made_server}/os-instance-actions")
    api.call("list migrations", "GET", "/os-migrations")
    api.delete("server", made_server)
    api.call("delete server group", "DELETE", f"/os-server-groups/{made}")
    api.call("delete key pair", "DELETE", f"/os-keypairs/{pair}")
    api.delete("flavor", flavor)


def make_image():
    """An image for servers; it stays."""
    body = {"name": "server", "disk_format": "raw", "container_format": "bare"}
    where = {"service_type": "image", "interface": "internal"}
    made = client.post("/v2/images", json=body, endpoint_filter=where, raise_exc=False).json().get("id", "missing")
    client.put(f"/v2/images/{made}/file", data=b"content", endpoint_filter=where, raise_exc=False,
               headers={"Content-Type": "application/octet-stream"})
    os.environ["IMAGE_ID"] = made


make_image()
for use in [keystone, glance, placement, neutron, nova]:
    try:
        use()
    except Exception as error:
        results.setdefault(use.__name__, {})["all operations"] = f"{type(error).__name__}: {error}"
print(json.dumps(results))
