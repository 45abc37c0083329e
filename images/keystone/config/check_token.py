"""Requests a token, and the catalogue with it."""
import os
from keystoneauth1 import session
from keystoneauth1.identity import v3

login = {"username": "admin", "password": os.environ["ADMIN_PASSWORD"], "project_name": "admin"}
auth = v3.Password(auth_url=os.environ["AUTH_URL"], user_domain_id="default", project_domain_id="default", **login)
services = session.Session(auth=auth).get(f"{os.environ['AUTH_URL']}/services").json()["services"]
print(f"a token was issued; the catalogue has {len(services)} services")
