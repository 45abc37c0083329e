import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '#core';
import {
  checkSetContent,
  newKeyPair,
  parseImageSet,
  publishSet,
  signerOf,
  type ImageSet,
  type Place,
} from '#release';
import { connectRegistry, openContent } from '#store';
import { memoryImages } from '../../tools/release/src/testing/memory-images.ts';
import { faultyProxy, type Fault } from '../../tools/store/src/testing/faulty-proxy.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { startDebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { storePlannedImages } from '../helpers/store-planned-images.ts';
import { testWorkspace } from '../helpers/workspace.ts';
import { runParts, textOf, type Part } from './faults/fault-parts.ts';

// Publishes generated images to Debian's docker-registry while things break, and exits with 1 if a
// name has wrong or missing content, or a fault is not named. Rounds of publishers are added to
// those of earlier runs.
// Usage: publish-faults.bench.ts [--rounds 50] [--publishers 64] [--away 30] [PART...]
// Parts: publishers, proxy, away, flipped.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: 'string', default: '50' },
    publishers: { type: 'string', default: '64' },
    away: { type: 'string', default: '30' },
  },
});
const count = (name: keyof typeof values): number => Number(values[name]);
const folder = mkdtempSync(join(tmpdir(), 'ccp-faults-'));
const debian = await startDebianRegistry(join(folder, 'registry'));
const workspace = testWorkspace();
const pair = newKeyPair('ed25519', undefined);
const signer = signerOf(pair.privateKey, 'key', undefined);
const keys = [signer.key];
const registry = await connectRegistry({ host: debian.address });

/** Builders of other bytes for one fingerprint, all at the same time. */
const publishers: Part = async (expect) => {
  let adopted = 0;
  for (let round = 0; round < count('rounds'); round += 1) {
    const place: Place = { registry, prefix: `publishers/${round}` };
    const published = await Promise.all(
      Array.from({ length: count('publishers') }, async (_, builder) => {
        const { set, content } = memoryImages(['base'], `${round} ${builder}`);
        return publishSet({ place, set, content, signer, keys });
      }),
    );
    const { name, version } = published[0]!.set.images[0]!;
    const tagged = await registry.manifestDigest(`${place.prefix}/${name}`, version);
    const digests = new Set(published.map(({ set }) => set.images[0]!.digest));
    expect(digests.size === 1 && digests.has(tagged!), `round ${round}: ${[...digests].join()}`);
    adopted += published.filter((each) => each.adopted.length > 0).length;
  }
  return { rounds: count('rounds'), publishersEach: count('publishers'), adopted };
};

const IMAGES = 28;
let built: ImageSet | undefined;

async function images(): Promise<ImageSet> {
  if (built !== undefined) return built;
  const from = (name: string): string => `title: ${name}\ndescription: An image.\nroot: a test\n`;
  for (let number = 0; number < IMAGES; number += 1) {
    const name = `image-${number}`;
    workspace.write(`images/${name}/image.yaml`, from(name));
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\nCOPY files /\n');
    workspace.write(`images/${name}/files/a`, `${name}\n`);
  }
  const run = (...args: readonly string[]): void => {
    const { status, stderr } = spawnSync(join(REPOSITORY, 'ccp'), ['-C', workspace.root, ...args]);
    if (status !== 0) throw new Error(stderr.toString());
  };
  run('lock');
  await storePlannedImages(workspace.root, {}, 'x'.repeat(200_000));
  run('build');
  const file = join(workspace.root, '.ccp/sets/2026.1.json');
  built = parseImageSet(readFileSync(file, 'utf8'), file);
  return built;
}

/** Publishes the images through a proxy with a fault; resolves with the outcome. */
async function publishThrough(fault: Fault, prefix: string): Promise<string> {
  const set = await images();
  const proxy = await faultyProxy({ address: debian.address, login: { user: '', password: '' } });
  proxy.fault = fault;
  try {
    const place = { registry: await connectRegistry({ host: proxy.address }), prefix };
    const content = await openContent(join(workspace.root, '.ccp/store'));
    return await publishSet({ place, set, content, signer, keys }).then(
      () => 'published',
      (thrown: unknown) => messageOf(thrown),
    );
  } finally {
    await proxy.close();
  }
}

/** A proxy with 30 % of 5xx, 10 % of resets, and a burst of 429 in every 50 requests. */
const brokenProxy: Part = async (expect) => {
  const broken = { unavailable: 0, reset: 0, limited: 0 };
  let requests = 0;
  const outcome = await publishThrough((_, response) => {
    requests += 1;
    if (requests % 50 < 5) {
      broken.limited += 1;
      return response.writeHead(429, { 'Retry-After': '1' }).end();
    }
    const chance = Math.random();
    if (chance < 0.3) {
      broken.unavailable += 1;
      return response.writeHead(503).end();
    }
    if (chance >= 0.4) return undefined;
    broken.reset += 1;
    return response.destroy();
  }, 'proxy');
  expect(outcome === 'published', outcome);
  return { images: IMAGES, requests, ...broken, outcome };
};

/** A registry that refuses connections for some seconds in the middle of a publish. */
const away: Part = async (expect) => {
  let requests = 0;
  let until = 0;
  const outcome = await publishThrough((_, response) => {
    requests += 1;
    if (requests === 60) until = Date.now() + count('away') * 1000;
    return Date.now() < until ? response.destroy() : undefined;
  }, 'away');
  expect(outcome === 'published', outcome);
  return { images: IMAGES, awaySeconds: count('away'), outcome };
};

/** One flipped byte in each of 50 blobs of the registry: all are named, and none is read. */
const flipped: Part = async (expect) => {
  const set = await images();
  const place = { registry, prefix: 'flipped' };
  const content = await openContent(join(workspace.root, '.ccp/store'));
  const { digest } = await publishSet({ place, set, content, signer, keys });
  const own = new Map<string, Place['prefix']>();
  for (const { name, digest: image } of set.images) {
    const text = Buffer.from(content.document(image)).toString();
    for (const [, hex] of text.matchAll(/sha256:([0-9a-f]{64})/g)) own.set(hex!, name);
  }
  // Content behind a damaged manifest is not known, so a few manifests are damaged at the end.
  const manifests = set.images.slice(0, 4);
  const behind = manifests.map((entry) => Buffer.from(content.document(entry.digest)).toString());
  const shown = [...own.keys()].filter((hex) => !behind.some((text) => text.includes(hex)));
  const damaged = [
    ...shown.slice(0, 50 - manifests.length),
    ...manifests.map((entry) => entry.digest.slice(7)),
  ];
  for (const hex of damaged) flipByte(hex);
  const text = await checkSetContent(place, { set, digest }, { deep: true }).then(() => '', textOf);
  const named = damaged.filter((hex) => text.includes(hex));
  for (const hex of damaged) expect(text.includes(hex), `${hex} was not named`);
  let read = 0;
  for (const hex of shown.slice(0, 50 - manifests.length)) {
    const blob = { digest: `sha256:${hex}` as const, mediaType: '', size: 1 << 20 };
    const isRead = await readAll(`flipped/${own.get(hex)}`, blob as never);
    expect(!isRead, `${hex} was read`);
    if (isRead) read += 1;
  }
  expect(damaged.length === 50, `${damaged.length} blobs`);
  return { blobs: damaged.length, named: named.length, read };
};

function flipByte(hex: string): void {
  const path = join(debian.blobs, 'sha256', hex.slice(0, 2), hex, 'data');
  const bytes = readFileSync(path);
  const at = Math.floor(Math.random() * bytes.length);
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(path, bytes);
}

/** True if the client reads a blob to its end without an error. */
async function readAll(repository: string, blob: Parameters<typeof registry.readBlob>[1]) {
  try {
    for await (const _ of await registry.readBlob(repository, blob));
    return true;
  } catch {
    return false;
  }
}

try {
  const parts = { publishers, proxy: brokenProxy, away, flipped };
  await runParts('publish-faults', parts, positionals, ['publishers']);
} finally {
  await debian.close();
  workspace.remove();
  rmSync(folder, { recursive: true, force: true });
}
