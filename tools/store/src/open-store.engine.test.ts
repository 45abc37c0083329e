import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  imageName,
  omitUndefined,
  platform,
  series,
  sha256,
  type Digest,
  type Fingerprint,
} from '#core';
import type { ImageIdentity, ImageStore, StoredImage } from '#ports';
import { openStore } from './index.ts';

const socketPath = (process.env['CCP_ENGINE'] ?? '').replace(/^unix:\/\//, '');
const TIMEOUT = 120_000;

describe.skipIf(socketPath === '')('a store fed by an engine (set CCP_ENGINE to run)', () => {
  let root = '';
  let store: ImageStore;
  let base: Digest;
  const made: string[] = [];

  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'ccp-store-engine-'));
    store = await openStore({ folder: join(root, 'store') });
    shellInto(join(root, 'base'));
    writeFileSync(
      join(root, 'base', 'Dockerfile'),
      'FROM scratch\nCOPY rootfs /\nENV A=1\nLABEL from=file\nRUN ["/bin/sh", "-c", "mkdir /d && : > /d/gone && ln /d/gone /d/a-link"]\n',
    );
  });
  afterAll(async () => {
    for (const reference of made) await engine('DELETE', `/images/${reference}?force=true`);
    await store.close();
    rmSync(root, { recursive: true });
  });

  const build = async (
    name: string,
    folder: string,
    salt: string,
    parent?: Digest,
  ): Promise<{ readonly identity: ImageIdentity; readonly pushed: Digest }> => {
    const identity: ImageIdentity = {
      image: imageName(name),
      series: series('2026.1'),
      platform: platform('linux/amd64'),
      fingerprint: sha256(`${name}${salt}`) as string as Fingerprint,
      contentKey: `${name}${salt}`,
      labels: { 'org.opencontainers.image.title': name },
      ...omitUndefined({ base: parent }),
    };
    const reference = store.incoming(identity);
    const context = execFileSync('tar', ['-c', '-C', join(root, folder), '.'], {
      maxBuffer: 1 << 28,
    });
    const args =
      parent === undefined ? {} : { BASE: store.reference(imageName('tiny-base'), parent) };
    const query = new URLSearchParams({
      t: reference,
      version: '2',
      networkmode: 'none',
      nocache: '1',
      buildargs: JSON.stringify(args),
    });
    const log = await engine('POST', `/build?${query}`, context);
    expect(log).not.toContain('errorDetail');
    const [repository, tag] = [
      reference.slice(0, reference.lastIndexOf(':')),
      reference.slice(reference.lastIndexOf(':') + 1),
    ];
    const pushed = await engine('POST', `/images/${repository}/push?tag=${tag}`);
    expect(pushed).not.toContain('errorDetail');
    made.push(reference);
    const [, digest = ''] = /"Digest":"(sha256:[0-9a-f]{64})"/.exec(pushed) ?? [];
    return { identity, pushed: digest as Digest };
  };
  const seal = async (...of: Parameters<typeof build>): Promise<StoredImage> => {
    const { identity, pushed } = await build(...of);
    return store.seal(identity, pushed);
  };
  const pull = async (image: string, digest: Digest): Promise<void> => {
    const reference = store.reference(imageName(image), digest);
    expect(
      await engine('POST', `/images/create?fromImage=${encodeURIComponent(reference)}`),
    ).not.toContain('errorDetail');
    made.push(reference);
  };

  it(
    'seals two builds of one image to the same digest, which the engine can pull',
    { timeout: TIMEOUT },
    async () => {
      const first = await seal('tiny-base', 'base', 'one');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const second = await seal('tiny-base', 'base', 'two');
      expect(first.size).toBeGreaterThan(1000);
      expect(second.digest).toBe(first.digest);
      base = first.digest;
      await pull('tiny-base', base);
      await store.publish(first);
      const { config } = await store.inspect(base);
      expect(config).toMatchObject({
        created: '2026-01-01T00:00:00Z',
        config: {
          Env: [expect.stringContaining('PATH='), 'A=1'],
          Labels: { from: 'file', 'org.opencontainers.image.title': 'tiny-base' },
        },
      });
    },
  );

  it('reuses the stored layers of the base in a child', { timeout: TIMEOUT }, async () => {
    mkdirSync(join(root, 'child'));
    writeFileSync(join(root, 'child', 'new'), 'new');
    writeFileSync(
      join(root, 'child', 'Dockerfile'),
      'ARG BASE\nFROM ${BASE}\nCOPY new /d/new\nRUN ["/bin/sh", "-c", "rm /d/gone"]\nWORKDIR /\n',
    );
    const child = await seal('tiny-child', 'child', 'one', base);
    const [parent, image] = await Promise.all([store.inspect(base), store.inspect(child.digest)]);
    const layers = (of: typeof parent): unknown[] => (of.manifest as { layers: unknown[] }).layers;
    expect(layers(image).slice(0, layers(parent).length)).toEqual(layers(parent));
    expect(layers(image)).toHaveLength(layers(parent).length + 2);
    await pull('tiny-child', child.digest);
    await store.verify(child.digest);
  });

  it('refuses an image that is based on another image', { timeout: TIMEOUT }, async () => {
    const { identity, pushed } = await build('tiny-base', 'base', 'three');
    const other = await seal('tiny-child', 'child', 'four', base);
    await expect(store.seal({ ...identity, base: other.digest }, pushed)).rejects.toThrow(
      `the pushed image of tiny-base is not based on its base image ${other.digest}`,
    );
  });

  it(
    'seals the image that the engine pushed while another program tries to replace it',
    { timeout: TIMEOUT },
    async () => {
      const attacker = keepAttacking(store, 'tiny-base');
      try {
        for (const salt of ['five', 'six', 'seven']) {
          const image = await seal('tiny-base', 'base', salt);
          expect(image.digest).toBe(base);
        }
      } finally {
        expect([...(await attacker.stop())]).toEqual([401]);
      }
    },
  );

  const engine = (method: string, path: string, body?: Buffer): Promise<string> =>
    new Promise((resolve, reject) => {
      const headers = {
        'X-Registry-Auth': Buffer.from(
          JSON.stringify({ username: store.login.user, password: store.login.password }),
        ).toString('base64url'),
        'Content-Type': 'application/x-tar',
        'Content-Length': body?.length ?? 0,
      };
      const call = request({ socketPath, method, path: `/v1.41${path}`, headers }, (response) => {
        let text = '';
        response
          .setEncoding('utf8')
          .on('data', (part: string) => (text += part))
          .on('end', () => resolve(text))
          .on('error', reject);
      });
      call.on('error', reject).end(body);
    });
});

/** Repeatedly pushes an empty manifest to all incoming names of `image`, without the login. */
function keepAttacking(store: ImageStore, image: string): { stop(): Promise<ReadonlySet<number>> } {
  const seen = new Set<number>();
  let stopped = false;
  const attack = async (): Promise<ReadonlySet<number>> => {
    while (!stopped) {
      const url = `http://${store.address}/v2/incoming/${image}`;
      const { tags } = (await (await fetch(`${url}/tags/list`)).json()) as { tags: string[] };
      for (const tag of ['any', ...tags]) {
        const body = '{"schemaVersion":2,"layers":[]}';
        seen.add((await fetch(`${url}/manifests/${tag}`, { method: 'PUT', body })).status);
      }
    }
    return seen;
  };
  const running = attack();
  return {
    stop: () => {
      stopped = true;
      return running;
    },
  };
}

/** Copies this machine's shell, `rm`, `mkdir` and `ln` with their libraries to `folder`/rootfs. */
function shellInto(folder: string): void {
  const programs = ['/bin/sh', '/bin/rm', '/bin/mkdir', '/bin/ln'];
  const libraries = programs.flatMap(
    (program) => execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [],
  );
  for (const file of new Set([...programs, ...libraries])) {
    const target = join(folder, 'rootfs', file);
    mkdirSync(dirname(target), { recursive: true });
    copyFileSync(file, target);
  }
}
