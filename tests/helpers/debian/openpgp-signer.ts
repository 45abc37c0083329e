import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** A key of OpenPGP (RFC 4880, Ed25519 as in draft-koch-eddsa-for-openpgp) that signs lists. */
export interface OpenPgpSigner {
  /** The public key, the content of a keyring. */
  readonly keyring: Buffer;
  /** A detached signature in armour, such as Release.gpg. */
  sign(data: Uint8Array): string;
}

const ED25519 = Buffer.from('2b06010401da470f01', 'hex');
const [PUBLIC_KEY, USER_ID, SIGNATURE] = [6, 13, 2];
const [BINARY, CERTIFICATION] = [0x00, 0x13];
const [EDDSA, SHA512] = [22, 10];

/** Makes a new key. */
export function openPgpSigner(): OpenPgpSigner {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
  const created = seconds();
  const key = Buffer.concat([
    Buffer.from([4]),
    created,
    Buffer.from([EDDSA, ED25519.length]),
    ED25519,
    integer(Buffer.concat([Buffer.from([0x40]), point])),
  ]);
  const hashedKey = Buffer.concat([Buffer.from([0x99]), length(key, 2), key]);
  const fingerprint = createHash('sha1').update(hashedKey).digest();
  const signature = (type: number, data: Uint8Array, flags: readonly Buffer[] = []): Buffer => {
    const hashed = Buffer.concat([
      subpacket(2, created),
      subpacket(33, Buffer.concat([Buffer.from([4]), fingerprint])),
      ...flags,
    ]);
    const head = Buffer.concat([Buffer.from([4, type, EDDSA, SHA512]), length(hashed, 2), hashed]);
    const trailer = Buffer.concat([Buffer.from([4, 0xff]), length(head, 4)]);
    const digest = createHash('sha512').update(data).update(head).update(trailer).digest();
    const pair = sign(null, digest, privateKey);
    const issuer = subpacket(16, fingerprint.subarray(-8));
    return packet(
      SIGNATURE,
      Buffer.concat([
        head,
        length(issuer, 2),
        issuer,
        digest.subarray(0, 2),
        integer(pair.subarray(0, 32)),
        integer(pair.subarray(32)),
      ]),
    );
  };
  const user = Buffer.from('test archive');
  const bound = Buffer.concat([hashedKey, Buffer.from([0xb4]), length(user, 4), user]);
  const mayCertifyAndSign = subpacket(27, Buffer.from([3]));
  return {
    keyring: Buffer.concat([
      packet(PUBLIC_KEY, key),
      packet(USER_ID, user),
      signature(CERTIFICATION, bound, [mayCertifyAndSign]),
    ]),
    sign: (data) => armour(signature(BINARY, data)),
  };
}

function seconds(): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(Math.floor(Date.now() / 1000) - 60);
  return bytes;
}

function length(data: Uint8Array, bytes: 2 | 4): Buffer {
  const found = Buffer.alloc(bytes);
  found.writeUIntBE(data.length, 0, bytes);
  return found;
}

/** A multiprecision integer: its length in bits, and its bytes without leading zeros. */
function integer(bytes: Buffer): Buffer {
  const start = bytes.findIndex((byte) => byte !== 0);
  const value = bytes.subarray(start);
  const bits = Buffer.alloc(2);
  bits.writeUInt16BE(value.length * 8 - Math.clz32(value[0]!) + 24);
  return Buffer.concat([bits, value]);
}

function packet(tag: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0xc0 | tag, 0xff]), length(body, 4), body]);
}

function subpacket(type: number, body: Buffer): Buffer {
  return Buffer.concat([Buffer.from([body.length + 1, type]), body]);
}

function armour(data: Buffer): string {
  const lines = data.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN PGP SIGNATURE-----\n\n${lines.join('\n')}\n=${checksum(data)}\n-----END PGP SIGNATURE-----\n`;
}

/** CRC-24 of RFC 4880. */
function checksum(data: Buffer): string {
  let crc = 0xb704ce;
  for (const byte of data) {
    crc ^= byte << 16;
    for (let bit = 0; bit < 8; bit += 1) {
      crc <<= 1;
      if ((crc & 0x1000000) !== 0) crc ^= 0x1864cfb;
    }
  }
  return Buffer.from([(crc >> 16) & 0xff, (crc >> 8) & 0xff, crc & 0xff]).toString('base64');
}
