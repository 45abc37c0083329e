"""What every site needs, from the environment; a site adds its own in site_settings.py. Settings: docs of horizon, "Settings Reference"."""

import os
from urllib.parse import urlsplit

from cache_cipher import CacheCipher

SECRET_KEY = os.environ["HORIZON_SECRET_KEY"]

# Requests are for the public host, or for a name of HORIZON_HOSTS; Django wants addresses of IPv6 in brackets.
PUBLIC_URL = urlsplit(os.environ.get("HORIZON_PUBLIC_URL", ""))
ALLOWED_HOSTS = [f"[{host}]" if ":" in host else host for host in os.environ.get("HORIZON_HOSTS", "*").split(",")]
if PUBLIC_URL.hostname is not None:
    ALLOWED_HOSTS.append(PUBLIC_URL.hostname)
if PUBLIC_URL.scheme == "https":
    # TLS ends before the pod; who ends it sets this header in every request.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_SECURE = True

OPENSTACK_KEYSTONE_URL = os.environ.get("OPENSTACK_KEYSTONE_URL", "http://127.0.0.1:5000/v3")
# Its own calls stay inside the cluster.
OPENSTACK_ENDPOINT_TYPE = "internalURL"

if "MEMCACHED_SERVERS" in os.environ:
    CIPHER = CacheCipher(SECRET_KEY)
    SESSION_ENGINE = "django.contrib.sessions.backends.cache"
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
            "LOCATION": os.environ["MEMCACHED_SERVERS"].split(","),
            # Sessions hold tokens, and the name of a session is enough to use it.
            "KEY_FUNCTION": CIPHER.key_name,
            "OPTIONS": {"serde": CIPHER},
        }
    }
else:
    # Enough for one pod and for tests.
    SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
