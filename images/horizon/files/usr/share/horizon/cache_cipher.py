"""Encrypts Django's values in memcached, because every client of memcached can read and write them."""

import hmac
import os
import pickle

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class CacheCipher:
    """A pymemcache serializer and Django's KEY_FUNCTION, with keys derived from a secret that all pods share.

    A value is bound to its key, so it cannot replace the value of another key. It is unpickled only after its tag is verified.
    """

    def __init__(self, secret):
        self._values = AESGCM(self._derive(secret.encode(), b"values of the cache"))
        self._names = self._derive(secret.encode(), b"names in the cache")

    def key_name(self, key, key_prefix, version):
        """The key in memcached, which does not reveal the session's key."""
        return self._derive(self._names, f"{key_prefix}:{version}:{key}".encode()).hex()

    def serialize(self, key, value):
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._values.encrypt(nonce, pickle.dumps(value), self._bytes(key)), 0

    def deserialize(self, key, value, flags):
        """The value, or None (a cache miss) if it was not written with this key and secret."""
        try:
            return pickle.loads(self._values.decrypt(value[:NONCE_BYTES], value[NONCE_BYTES:], self._bytes(key)))
        except (InvalidTag, ValueError):
            return None

    @staticmethod
    def _bytes(key):
        return key if isinstance(key, bytes) else key.encode()

    @staticmethod
    def _derive(secret, purpose):
        return hmac.digest(secret, purpose, "sha256")
