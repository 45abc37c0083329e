import {
  createCipheriv,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { openKeys, parseSealedKeys } from './backup-keys.ts';

const P256 = { namedCurve: 'P-256' };
const { privateKey, publicKey } = generateKeyPairSync('ec', P256);
const SECRETS = { 'fernet-keys': { 0: 'staged', 1: 'primary' } };

/** As images/keystone/config/export_keys.py writes it. */
function seal(): string {
  const own = generateKeyPairSync('ec', P256);
  const nonce = randomBytes(12);
  const secret = diffieHellman({ privateKey: own.privateKey, publicKey });
  const purpose = 'ccp keys of a backup';
  const key = Buffer.from(hkdfSync('sha256', secret, nonce, purpose, 32));
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
  const body = Buffer.concat([cipher.update(JSON.stringify(SECRETS)), cipher.final()]);
  return JSON.stringify({
    format: 1,
    app: 'keystone',
    point: own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    nonce: nonce.toString('base64'),
    sealed: Buffer.concat([body, cipher.getAuthTag()]).toString('base64'),
  });
}

describe('keys of a backup', () => {
  it('decrypts keys with the private key', () => {
    const sealed = parseSealedKeys(seal(), 'the file');
    expect(openKeys(sealed, privateKey)).toEqual(SECRETS);
    expect(JSON.stringify(sealed)).not.toContain('primary');
  });

  it.each([
    ['another private key', {}, generateKeyPairSync('ec', P256).privateKey],
    ['changed content', { sealed: randomBytes(80).toString('base64') }, privateKey],
    ['another kind of key', {}, generateKeyPairSync('ed25519').privateKey],
  ])('are not decrypted with %s', (_, change, key) => {
    const sealed = { ...parseSealedKeys(seal(), 'the file'), ...change };
    expect(() => openKeys(sealed, key)).toThrow(
      expect.objectContaining({
        code: 'backup-key',
        message: 'the keys of keystone cannot be decrypted with this private key',
        hint: 'use the private key that belongs to the public key of the export',
      }),
    );
  });

  it('are found among other lines of output, but only once', () => {
    const sealed = seal();
    const warned = `DeprecationWarning: {"format":1}\n${sealed}\nbye\n`;
    expect(parseSealedKeys(warned, 'the output')).toEqual(JSON.parse(sealed));
    expect(() => parseSealedKeys(`${sealed}\n${seal()}`, 'the output')).toThrow(
      'the output does not contain keys of a backup in format 1',
    );
  });

  it.each(['', 'null', '{"format":2}', '{"format":1,"app":"keystone"}'])(
    'are refused in another form: %j',
    (text) => {
      expect(() => parseSealedKeys(text, 'the file')).toThrow(
        'the file does not contain keys of a backup in format 1',
      );
    },
  );
});
