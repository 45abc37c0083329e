import { describe, expect, it } from 'vitest';
import { digestOf, type Json } from '#core';
import { bundleOf, checkBundle, SIGNATURE } from './envelope.ts';
import { newKeyPair, publicKeyOf, signerOf } from './keys.ts';

const subject = digestOf('an image');
const statement = { subject, predicateType: SIGNATURE, predicate: {} as Json };
const pair = newKeyPair('ed25519', undefined);
const signer = signerOf(pair.privateKey, 'key', undefined);
const key = publicKeyOf(pair.publicKey, 'key.pub');
const stranger = signerOf(newKeyPair('ed25519', undefined).privateKey, 'other', undefined);

/** The bundle with another member of its envelope. */
const changed = (change: (envelope: Record<string, unknown>) => object): Buffer => {
  const bundle = JSON.parse(bundleOf(signer, statement)) as {
    dsseEnvelope: Record<string, unknown>;
  };
  return Buffer.from(
    JSON.stringify({
      ...bundle,
      dsseEnvelope: { ...bundle.dsseEnvelope, ...change(bundle.dsseEnvelope) },
    }),
  );
};
const check = (bytes: Uint8Array, of = statement) => checkBundle(bytes, [key], of);

describe('bundles', () => {
  it('signs equal statements with equal bundles, with an Ed25519 key', () => {
    expect(bundleOf(signer, statement)).toBe(bundleOf(signer, statement));
  });

  it.each(['ed25519', 'p256'] as const)(
    'prove a statement signed with a key of type %s',
    (type) => {
      const { privateKey, publicKey } = newKeyPair(type, 'pass-phrase-of-a-key-5151');
      const bundle = bundleOf(signerOf(privateKey, 'key', 'pass-phrase-of-a-key-5151'), {
        ...statement,
        predicate: { a: 1 },
      });
      expect(
        checkBundle(Buffer.from(bundle), [key, publicKeyOf(publicKey, 'other.pub')], statement),
      ).toMatchObject({ key: { name: 'other.pub' }, predicate: { a: 1 } });
    },
  );

  it.each([
    ['text', Buffer.from('no JSON'), /^it is not JSON/],
    ['no envelope', Buffer.from('{}'), 'it is not a bundle with a DSSE envelope'],
    [
      'another payload type',
      changed(() => ({ payloadType: 'text/plain' })),
      'its payload type is "text/plain", not application/vnd.in-toto+json',
    ],
    [
      'no signatures',
      changed(() => ({ signatures: 1 })),
      'its envelope has no payload or no signatures',
    ],
    ['an unknown key', Buffer.from(bundleOf(stranger, statement)), 'no trusted key signed it'],
    [
      'another payload',
      changed(() => ({ payload: Buffer.from('{}').toString('base64') })),
      'no trusted key signed it',
    ],
    [
      'a statement about another image',
      Buffer.from(bundleOf(signer, { ...statement, subject: digestOf('other') })),
      `it is a statement about another manifest than ${subject}`,
    ],
    [
      'a package list alone',
      Buffer.from(bundleOf(signer, { ...statement, predicateType: 'https://spdx.dev/Document' })),
      `its predicate type is "https://spdx.dev/Document", not ${SIGNATURE}`,
    ],
  ])('prove nothing with %s', (_, bytes, reason) => {
    expect(check(bytes)).toMatch(reason);
  });
});

describe('keys', () => {
  it.each([
    ['no passphrase', undefined, 'k is encrypted'],
    [
      'a wrong passphrase',
      'another-phrase-5151',
      'k cannot be read with this passphrase, or is not a PKCS#8 key',
    ],
  ])('are refused with %s', (_, passphrase, message) => {
    const { privateKey } = newKeyPair('ed25519', 'the-right-phrase-5151');
    expect(() => signerOf(privateKey, 'k', passphrase)).toThrow(message);
  });

  it('refuses keys of another type, and private keys instead of public ones', () => {
    expect(() => publicKeyOf(pair.privateKey, 'k')).toThrow('k is a private key');
    expect(() => publicKeyOf('text', 'k')).toThrow('k is not a public key in PEM form');
  });
});
