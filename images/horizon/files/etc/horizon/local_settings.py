"""Settings for every site, from the environment; a site adds its own in site_settings.py. See horizon's "Settings Reference"."""

import os
from urllib.parse import urlsplit

from cache_cipher import CacheCipher

SECRET_KEY = os.environ["HORIZON_SECRET_KEY"]

# Valid hosts are the public host and the names in HORIZON_HOSTS; Django needs IPv6 addresses in brackets.
PUBLIC_URL = urlsplit(os.environ.get("HORIZON_PUBLIC_URL", ""))
ALLOWED_HOSTS = [f"[{host}]" if ":" in host else host for host in os.environ.get("HORIZON_HOSTS", "*").split(",")]
if PUBLIC_URL.hostname is not None:
    ALLOWED_HOSTS.append(PUBLIC_URL.hostname)
if PUBLIC_URL.scheme == "https":
    # TLS ends before the pod; the proxy that ends it sets this header in every request.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    CSRF_COOKIE_SECURE = True
    SESSION_COOKIE_SECURE = True

OPENSTACK_KEYSTONE_URL = os.environ.get("OPENSTACK_KEYSTONE_URL", "http://127.0.0.1:5000/v3")
# Horizon calls the APIs inside the cluster.
OPENSTACK_ENDPOINT_TYPE = "internalURL"

if "MEMCACHED_SERVERS" in os.environ:
    CIPHER = CacheCipher(SECRET_KEY)
    SESSION_ENGINE = "django.contrib.sessions.backends.cache"
    CACHES = {
        "default": {
            "BACKEND": "django.core.cache.backends.memcached.PyMemcacheCache",
            "LOCATION": os.environ["MEMCACHED_SERVERS"].split(","),
            # Sessions contain tokens, and a session's key is enough to use the session.
            "KEY_FUNCTION": CIPHER.key_name,
            "OPTIONS": {"serde": CIPHER},
        }
    }
else:
    # Enough for one pod and for tests.
    SESSION_ENGINE = "django.contrib.sessions.backends.signed_cookies"
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}
