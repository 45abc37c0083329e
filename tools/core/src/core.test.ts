import { describe, expect, it } from 'vitest';
import {
  canonicalJson,
  CcpError,
  digestOf,
  imageName,
  parseDigest,
  redact,
  registerSecret,
  series,
  sha256,
  tagPart,
  type Fingerprint,
} from './index.ts';

describe('canonicalJson', () => {
  it.each([
    [{ b: 1, a: [true, null, 'x'] }, '{"a":[true,null,"x"],"b":1}'],
    [{ a: undefined, é: '\u2028' }, '{"é":"\u2028"}'],
    ['"', '"\\""'],
  ])('writes %j with sorted keys', (value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('refuses floating point', () => {
    expect(() => canonicalJson(0.5)).toThrow(
      'canonical JSON can contain safe integers only, not 0.5',
    );
  });
});

describe('digests', () => {
  it('is the SHA-256 of FIPS 180-4 for "abc"', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
    expect(parseDigest(digestOf('abc'))).toBe(digestOf('abc'));
  });

  it('refuses upper case and other algorithms', () => {
    expect(() => parseDigest('sha512:00')).toThrow('"sha512:00" is not a sha256 digest');
  });
});

describe('names', () => {
  it.each(['Nova', '-a', 'a--b', 'a_b', '', 'x'.repeat(64)])(
    'refuses %j as an image name',
    (name) => {
      expect(() => imageName(name)).toThrow(`"${name}" is not an image name`);
    },
  );

  it('accepts the series of the design', () => {
    expect(['2026.1', '2025.2', 'master'].map((name) => series(name))).toEqual([
      '2026.1',
      '2025.2',
      'master',
    ]);
  });
});

describe('redact', () => {
  it('hides credentials of URLs and registered secrets', () => {
    registerSecret('hunter22');
    expect(redact('GET https://me:pw@host/x as hunter22')).toBe('GET https://***@host/x as ***');
    expect(new CcpError({ code: 'x', message: 'login hunter22 failed' }).message).toBe(
      'login *** failed',
    );
  });

  it.each([
    [
      'of -----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY----- x',
      'of -----BEGIN RSA PRIVATE KEY-----***-----END RSA PRIVATE KEY----- x',
    ],
    ['not "-----BEGIN PRIVATE KEY-----\\nMIIE…', 'not "-----BEGIN PRIVATE KEY-----***'],
    ['https://u:p@ss@host/x@y', 'https://***@host/x@y'],
    ['https://token@host', 'https://***@host'],
    ['a,https://u:p@one,https://u:q@two/', 'a,https://***@one,https://***@two/'],
    ['["https://host","a@b"]', '["https://host","a@b"]'],
    ['https://u:p?q#r@host/', 'https://***@host/'],
  ])('hides the whole userinfo of %s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it.each([
    ['> Authorization: Bearer abc.def\n> Host: h', '> Authorization: Bearer ***\n> Host: h'],
    ['Authorization: abcdef\nnext', 'Authorization: ***\nnext'],
    ['Authorization: AWS4-HMAC-SHA256 Credential=a/b, Signature=c', 'Authorization: ***'],
    [
      `curl -H 'Proxy-Authorization: Basic dTpw' https://h`,
      `curl -H 'Proxy-Authorization: Basic ***' https://h`,
    ],
    ['{"Authorization":["Bearer abc"],"a":1}', '{"Authorization":["Bearer ***"],"a":1}'],
    ['sent bearer sha256~Zm9vYmFy1 and it', 'sent bearer *** and it'],
    ['no bearer authentication here', 'no bearer authentication here'],
    ['got eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJqbyJ9.c2ln-x, expired', 'got ***, expired'],
    ['{ "access_token": "a\\"b", "expires": 3 }', '{ "access_token": "***", "expires": 3 }'],
    [
      '{"clientSecret":"a","secretName":"b","client-key-data":"c"}',
      '{"clientSecret":"***","secretName":"b","client-key-data":"***"}',
    ],
    [
      JSON.stringify({ body: JSON.stringify({ token: 'a"b\\c', kind: 'd' }) }),
      '{"body":"{\\"token\\":\\"***\\",\\"kind\\":\\"d\\"}"}',
    ],
    ['POST https://h/t?id_token=abc&x=1', 'POST https://h/t?id_token=***&x=1'],
    [
      'AWS_SECRET_ACCESS_KEY=abc --param secret=keystone',
      'AWS_SECRET_ACCESS_KEY=*** --param secret=keystone',
    ],
  ])('hides values with secret names in %s', (text, clean) => {
    expect(redact(text)).toBe(clean);
  });

  it('hides a short secret only as a whole word, so that digests stay intact', () => {
    for (const secret of ['1234', '12345', 'p-(x', 'a secret of many words'])
      registerSecret(secret);
    const digest = digestOf('x').replace('sha256:2d71', 'sha256:ab1234cd');
    expect(redact(`${digest} v1234 12345`)).toBe(`${digest} v1234 ***`);
    expect(redact('as 1234, key=1234 _1234_ p-(x')).toBe('as ***, key=*** _***_ ***');
    expect(redact(JSON.stringify({ log: 'x\n1234\t1234' }))).toBe('{"log":"x\\n***\\t***"}');
    expect(redact('user%3A1234 nota secret of many wordsx')).toBe('user%3A*** not***x');
  });
});

it('puts 128 bits of the fingerprint into a tag', () => {
  expect(tagPart(sha256('x') as string as Fingerprint)).toBe('2d711642b726b04401627ca9fbac32f5');
});
