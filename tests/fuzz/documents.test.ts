import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { digestOf, imageName, series, sha256 } from '#core';
import { parsePlan } from '#plan';
import { parseImageSet } from '#release';
import { connectRegistry } from '#store';
import { parseLock } from '../../tools/locks/src/lock-file.ts';
import { fuzz, FUZZ_TIMEOUT_MS, mutated } from '../helpers/fuzz.ts';
import type { Random } from '../helpers/random.ts';

/** The code of the error that `read` throws, which is one of ours. */
async function codeOfFailure(read: () => unknown): Promise<string | undefined> {
  try {
    await read();
    return undefined;
  } catch (thrown) {
    expect(thrown).toMatchObject({ name: 'CcpError', code: expect.any(String) });
    return (thrown as { readonly code: string }).code;
  }
}

const ODD = [null, true, -1, 1e308, '', 'a'.repeat(1000), '../../x', '\u202e\u0000', [], {}, [[]]];

/** `value` with some of its members replaced by odd values, left out or doubled. */
function changed(random: Random, value: unknown): unknown {
  if (random.chance(0.04)) return random.pick(ODD);
  if (Array.isArray(value))
    return value.flatMap((item) => {
      const copies = random.chance(0.03) ? random.int(3) : 1;
      return Array.from({ length: copies }, () => changed(random, item));
    });
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(() => !random.chance(0.02))
      .map(([key, item]) => [random.chance(0.02) ? '__proto__' : key, changed(random, item)]),
  );
}

const HASH = 'a'.repeat(64);
const SET = {
  format: 1,
  series: '2026.1',
  platform: 'linux/amd64',
  images: ['a', 'b'].map((name) => ({
    name,
    version: `2026.1-${HASH.slice(0, 32)}`,
    fingerprint: HASH,
    digest: `sha256:${HASH}`,
    size: 2,
    compressedSize: 1,
    shipped: true,
    sources: { x: { repository: 'https://git.test/x', commit: 'b'.repeat(40), version: '1' } },
    packages: { debian: { runtime: HASH } },
    parents: { base: 'c' },
  })),
};
const PLAN = {
  format: 1,
  series: '2026.1',
  platform: 'linux/amd64',
  origin: 'git',
  images: [{ image: 'a', fingerprint: HASH, version: 'x', record: { image: 'a', sources: {} } }],
};

it(
  'reads or refuses any changed lock',
  async () => {
    const lock = readFileSync(
      new URL('../../images/memcached/lock/2026.1.yaml', import.meta.url),
      'utf8',
    );
    const [image, name] = [imageName('memcached'), series('2026.1')];
    expect(parseLock(lock, 'x.yaml', image, name).image).toBe(image);
    const line = /^checksum: .*\n/m;
    await fuzz(60, async (random) => {
      const body = mutated(random, Buffer.from(lock)).toString();
      // The checksum is right again, so that the reader looks at the rest.
      const sum = `checksum: "${sha256(body.replace(line, ''))}"\n`;
      const text = body.replace(line, sum);
      expect([
        undefined,
        'lock-tampered',
        'lock-invalid',
        'yaml-invalid',
        'name-invalid',
      ]).toContain(await codeOfFailure(() => parseLock(text, 'x.yaml', image, name)));
    });
  },
  FUZZ_TIMEOUT_MS,
);

it.each([
  ['image set', SET, parseImageSet, ['image-set-invalid', 'image-set-format']],
  ['plan', PLAN, parsePlan, ['plan-invalid', 'plan-format']],
] as const)(
  'reads or refuses any changed %s',
  async (_, document, parse, codes) => {
    await fuzz(800, async (random) => {
      const text = JSON.stringify(changed(random, document));
      const bytes = random.chance(0.3) ? mutated(random, Buffer.from(text)).toString() : text;
      expect([undefined, ...codes]).toContain(await codeOfFailure(() => parse(bytes, 'x.json')));
    });
  },
  FUZZ_TIMEOUT_MS,
);

it(
  'reads or refuses any answer of a registry',
  async () => {
    const body = Buffer.from('{"errors":[{"code":"DENIED","message":"no"}],"manifests":[]}');
    let random: Random | undefined;
    const server = createServer((request, response) => {
      request.resume();
      const status = random!.pick([200, 200, 201, 202, 204, 307, 400, 401, 404]);
      const headers = random!.pick<Record<string, string>>([
        {},
        { Location: random!.pick(['/', 'http://[', 'file:///x', '//', '?x=%zz', 'a b']) },
        {
          'WWW-Authenticate': random!.pick(['Bearer', 'Bearer realm="', 'Basic', 'x'.repeat(999)]),
        },
        { 'Content-Type': random!.pick(['', 'application/json', '\u00ff;;']) },
      ]);
      const answer = random!.chance(0.5) ? mutated(random!, body) : random!.bytes(40);
      response.writeHead(status, headers).end(status === 204 ? undefined : answer);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const registry = await connectRegistry({
      host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
      sleep: async () => undefined,
      credentials: () => ({ user: 'me', password: 'pass-word' }),
    });
    const blob = Buffer.from('blob');
    const digest = digestOf(blob);
    try {
      await fuzz(300, async (source) => {
        random = source;
        await codeOfFailure(() =>
          source.pick<() => Promise<unknown>>([
            () => registry.readManifest('a', 'one'),
            () => registry.referrers('a', digest),
            () => registry.hasBlob('a', digest),
            () => registry.mountBlob('a', digest, 'b'),
            () => registry.writeManifest('a', 'one', 'x/y', Buffer.from('{}')),
            () =>
              registry.writeBlob('a', digest, blob.length, async function* () {
                yield blob;
              }),
            async () => {
              for await (const _ of await registry.readBlob('a', {
                mediaType: 'x/y',
                digest,
                size: blob.length,
              }));
            },
          ])(),
        );
      });
    } finally {
      server.close();
      server.closeAllConnections();
    }
  },
  FUZZ_TIMEOUT_MS,
);
