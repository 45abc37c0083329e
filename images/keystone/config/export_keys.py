"""Prints the keys of this service for a backup, encrypted to a public key: one line of JSON.

An ephemeral key on P-256 and the public key agree on a secret; HKDF with SHA-256 makes a key for AES-256-GCM of it.
"""

import base64, json, os, pathlib, sys

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FOLDER = pathlib.Path("/etc/keystone")
PURPOSE = b"ccp keys of a backup"


def text(value):
    return base64.b64encode(value).decode()


def read(name):
    """Values of a mounted Secret by key."""
    return {file.name: file.read_text() for file in sorted((FOLDER / name).iterdir()) if file.name.isdigit()}


def main():
    public = serialization.load_der_public_key(base64.b64decode(os.environ["PUBLIC_KEY"]))
    if not isinstance(public, ec.EllipticCurvePublicKey) or public.curve.name != "secp256r1":
        sys.exit("the public key is not a key on P-256")
    own = ec.generate_private_key(ec.SECP256R1())
    nonce = os.urandom(12)
    key = HKDF(hashes.SHA256(), 32, nonce, PURPOSE).derive(own.exchange(ec.ECDH(), public))
    secrets = {name: read(name) for name in os.environ["SECRETS"].split(",")}
    point = own.public_key().public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    sealed = AESGCM(key).encrypt(nonce, json.dumps(secrets).encode(), PURPOSE)
    print(json.dumps({"format": 1, "app": os.environ["APP"], "point": text(point), "nonce": text(nonce), "sealed": text(sealed)}))


if __name__ == "__main__":
    main()
