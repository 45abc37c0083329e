"""Encrypts what Django keeps in memcached, where anyone who reaches the server reads and writes."""

import hmac
import os
import pickle

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

NONCE_BYTES = 12


class CacheCipher:
    """Serializer of pymemcache and Django's KEY_FUNCTION, with keys derived from a secret that all pods share.

    A value is bound to its name, so that one session cannot be put in the place of another, and is unpickled only after its tag was checked.
    """

    def __init__(self, secret):
        self._values = AESGCM(self._derive(secret.encode(), b"values of the cache"))
        self._names = self._derive(secret.encode(), b"names in the cache")

    def key_name(self, key, key_prefix, version):
        """Name of an entry that does not show the session's own."""
        return self._derive(self._names, f"{key_prefix}:{version}:{key}".encode()).hex()

    def serialize(self, key, value):
        nonce = os.urandom(NONCE_BYTES)
        return nonce + self._values.encrypt(nonce, pickle.dumps(value), self._bytes(key)), 0

    def deserialize(self, key, value, flags):
        """The value; None, which is a miss, where it was not written under this name with this secret."""
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
