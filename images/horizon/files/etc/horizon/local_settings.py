"""What every site needs, from the environment; a site adds its own in site_settings.py. Settings: docs of horizon, "Settings Reference"."""

import os

SECRET_KEY = os.environ["HORIZON_SECRET_KEY"]
ALLOWED_HOSTS = ["*"]
OPENSTACK_KEYSTONE_URL = os.environ.get("OPENSTACK_KEYSTONE_URL", "http://127.0.0.1:5000/v3")
# Its own calls stay inside the cluster.
OPENSTACK_ENDPOINT_TYPE = "internalURL"

if "MEMCACHED_SERVERS" in os.environ:
    SESSION_ENGINE = "django.contrib.sessions.backends.cache"
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
            "LOCATION": os.environ["MEMCACHED_SERVERS"].split(","),
        }
    }
else:
    # Enough for one pod and for tests.
    SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
