import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { CcpError, CcpErrors, messageOf } from '#core';
import {
  checkSetContent,
  newKeyPair,
  parseImageSet,
  publishSet,
  signerOf,
  trustedSet,
  type ImageSet,
  type Place,
} from '#release';
import { connectRegistry, openContent } from '#store';
import { memoryImages } from '../../tools/release/src/testing/memory-images.ts';
import { faultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';
import { REPOSITORY } from '../helpers/ccp.ts';
import { startDebianRegistry } from '../helpers/e2e/debian-registry.ts';
import { storePlannedImages } from '../helpers/store-planned-images.ts';
import { testWorkspace } from '../helpers/workspace.ts';
import { report } from './measure.ts';

// Publishes generated images to Debian's docker-registry while things break, and exits with 1 if a
// name has wrong or missing content, or a fault is not named.
// Usage: publish-faults.bench.ts [--rounds 50] [--publishers 64] [--kills 50] [--away 30]
const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '50' },
    publishers: { type: 'string', default: '64' },
    kills: { type: 'string', default: '50' },
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
const key = join(folder, 'release.key');
writeFileSync(key, pair.privateKey, { mode: 0o600 });
const registry = await connectRegistry({ host: debian.address });
const faults: string[] = [];

function expected(isTrue: boolean, what: string): void {
  if (!isTrue) faults.push(what);
}

/** All findings of an error, one a line. */
function textOf(thrown: unknown): string {
  if (!(thrown instanceof CcpError)) throw thrown;
  return (thrown instanceof CcpErrors ? thrown.findings : [thrown]).map(messageOf).join('\n');
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T & { seconds: number }> {
  const start = performance.now();
  const result = await work();
  const seconds = Math.round((performance.now() - start) / 100) / 10;
  console.log(name, JSON.stringify({ ...result, seconds }));
  return { ...result, seconds };
}

/** Builders of other bytes for one fingerprint, all at the same time. */
async function publishers(): Promise<object> {
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
    expected(digests.size === 1 && digests.has(tagged!), `round ${round}: ${[...digests].join()}`);
    adopted += published.filter((each) => each.adopted.length > 0).length;
  }
  return { rounds: count('rounds'), publishers: count('publishers'), adopted };
}

async function images(): Promise<ImageSet> {
  const from = (name: string): string => `title: ${name}\ndescription: An image.\nroot: a test\n`;
  for (let number = 0; number < 12; number += 1) {
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
  return parseImageSet(readFileSync(file, 'utf8'), file);
}

/** Names of a place with wrong or missing content; a set may be missing, but not be incomplete. */
async function wrongNames(place: Place, set: ImageSet): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { name, version, digest } of set.images) {
    const tagged = await registry.manifestDigest(`${place.prefix}/${name}`, version);
    if (tagged === undefined) continue;
    if (tagged !== digest) wrong.push(`${name} is ${tagged}`);
    await checkSetContent(place, {
      digest,
      set: { ...set, images: set.images.filter((entry) => entry.name === name) },
    }).catch((thrown: unknown) => {
      const lost = textOf(thrown)
        .split('\n')
        .filter((line) => line.includes(`image ${name} `));
      wrong.push(...lost);
    });
  }
  for (const tag of await registry.tags(`${place.prefix}/ccp.sets`)) {
    if (/^(?:sha256|creating|inputs)-/.test(tag)) continue;
    const found = await trustedSet(place, tag, keys);
    await checkSetContent(place, found).catch((thrown: unknown) => wrong.push(textOf(thrown)));
  }
  return wrong;
}

/** `ccp publish` as a process, killed at random moments; the run after it must finish. */
async function kills(set: ImageSet): Promise<object> {
  const publish = (prefix: string) =>
    spawn(
      join(REPOSITORY, 'ccp'),
      ['-C', workspace.root, 'publish', '--to', `${debian.address}/${prefix}`, '--key', key],
      { stdio: 'ignore', detached: true },
    );
  const end = async (child: ReturnType<typeof publish>): Promise<number | null> =>
    new Promise((resolve) => void child.once('exit', resolve));
  const start = performance.now();
  expected((await end(publish('kills/whole'))) === 0, 'the run without a kill failed');
  const whole = performance.now() - start;
  let killed = 0;
  for (let round = 0; round < count('kills'); round += 1) {
    const prefix = `kills/${round}`;
    const child = publish(prefix);
    const ended = end(child);
    await Promise.race([setTimeout(Math.random() * whole), ended]);
    if (child.exitCode === null) {
      process.kill(-child.pid!, 'SIGKILL');
      killed += 1;
    }
    await ended;
    const place = { registry, prefix };
    for (const wrong of await wrongNames(place, set)) expected(false, `kill ${round}: ${wrong}`);
    expected((await end(publish(prefix))) === 0, `the run after kill ${round} failed`);
    const names = await wrongNames(place, set);
    const tags = await registry.tags(`${prefix}/ccp.sets`);
    expected(names.length === 0 && tags.length > 0, `after kill ${round}: ${names.join()}`);
  }
  return { runs: count('kills'), killed, wholeSeconds: Math.round(whole / 100) / 10 };
}

/** A proxy with 30 % of 5xx, 10 % of resets, and a burst of 429 in every 50 requests. */
async function brokenProxy(set: ImageSet): Promise<object> {
  const broken = { unavailable: 0, reset: 0, limited: 0 };
  const proxy = await faultyProxy({ address: debian.address, login: { user: '', password: '' } });
  let requests = 0;
  proxy.fault = (_, response) => {
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
  };
  try {
    const place = { registry: await connectRegistry({ host: proxy.address }), prefix: 'proxy' };
    const content = await openContent(join(workspace.root, '.ccp/store'));
    const outcome = await publishSet({ place, set, content, signer, keys }).then(
      () => 'published',
      (thrown: unknown) => messageOf(thrown),
    );
    expected(outcome === 'published', `broken proxy: ${outcome}`);
    return { requests, ...broken, outcome };
  } finally {
    await proxy.close();
  }
}

/** A registry that refuses connections for some seconds in the middle of a publish. */
async function away(set: ImageSet): Promise<object> {
  const proxy = await faultyProxy({ address: debian.address, login: { user: '', password: '' } });
  let requests = 0;
  let until = 0;
  proxy.fault = (_, response) => {
    requests += 1;
    if (requests === 60) until = Date.now() + count('away') * 1000;
    return Date.now() < until ? response.destroy() : undefined;
  };
  try {
    const place = { registry: await connectRegistry({ host: proxy.address }), prefix: 'away' };
    const content = await openContent(join(workspace.root, '.ccp/store'));
    const outcome = await publishSet({ place, set, content, signer, keys }).then(
      () => 'published',
      (thrown: unknown) => messageOf(thrown),
    );
    expected(outcome === 'published', `registry away: ${outcome}`);
    return { awaySeconds: count('away'), outcome };
  } finally {
    await proxy.close();
  }
}

/** One flipped byte in each of up to 50 blobs of the registry: all are named. */
async function flippedBytes(set: ImageSet): Promise<object> {
  const place = { registry, prefix: 'flipped' };
  const content = await openContent(join(workspace.root, '.ccp/store'));
  const { digest } = await publishSet({ place, set, content, signer, keys });
  const folders = join(debian.blobs, 'sha256');
  const own = new Set<string>();
  for (const entry of set.images) {
    const text = Buffer.from(content.document(entry.digest)).toString();
    for (const [, hex] of text.matchAll(/sha256:([0-9a-f]{64})/g)) own.add(hex!);
  }
  // Content behind a damaged manifest is not known, so a few manifests are damaged at the end.
  const [whole, ...others] = set.images;
  const behind = Buffer.from(content.document(whole!.digest)).toString();
  const shown = [...own].filter((hex) => !behind.includes(hex));
  const damaged = [...shown.slice(0, 49), whole!.digest.slice(7)];
  expected(others.length > 0, 'too few images');
  for (const hex of damaged) {
    const path = join(
      folders,
      hex.slice(0, 2),
      hex,
      readdirSync(join(folders, hex.slice(0, 2), hex))[0]!,
    );
    const bytes = readFileSync(path);
    const at = Math.floor(Math.random() * bytes.length);
    bytes[at] = bytes[at]! ^ 1;
    writeFileSync(path, bytes);
  }
  const text = await checkSetContent(place, { set, digest }, { deep: true }).then(() => '', textOf);
  const named = damaged.filter((hex) => text.includes(hex));
  for (const hex of damaged) expected(text.includes(hex), `flipped byte in ${hex} was not named`);
  return { blobs: damaged.length, named: named.length };
}

try {
  const set = await images();
  const results = {
    publishers: await timed('publishers', publishers),
    kills: await timed('kills', () => kills(set)),
    proxy: await timed('proxy', () => brokenProxy(set)),
    away: await timed('away', () => away(set)),
    flipped: await timed('flipped', () => flippedBytes(set)),
  };
  report('publish-faults', { cores: cpus().length, images: set.images.length, ...results, faults });
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await debian.close();
  workspace.remove();
  rmSync(folder, { recursive: true, force: true });
}
