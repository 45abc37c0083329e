import { setTimeout } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import type { Digest } from '#core';
import type { Registry } from '#ports';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { createRelease, listReleases, newKeyPair, signerOf, trustedRelease } from '../index.ts';
import { findStatement } from '../publish/statements.ts';
import { publishEmptySet } from '../testing/empty-set.ts';
import { slowRegistry } from '../testing/slow-registry.ts';
import { releaseStatement } from './releases.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];
const REPOSITORY = 'ccp/ccp.sets';

let registry: MemoryRegistry;
let waits: number;
beforeEach(() => {
  registry = memoryRegistry();
  waits = 0;
});

const publish = async (reason: string): Promise<Digest> =>
  (await publishEmptySet({ registry, prefix: 'ccp' }, signer, reason)).digest;

/** Creates a version; calls of the registry take up to 3 ms, waits are 20 times shorter. */
async function create(
  version: string,
  digest: Digest,
  on: Registry = slowRegistry(registry),
): Promise<boolean> {
  const sleep = async (ms: number): Promise<void> => {
    waits += 1;
    await setTimeout(ms / 20);
  };
  const place = { registry: on, prefix: 'ccp' };
  return createRelease({ place, digest, series: '2026.1', version, signer, sleep });
}

/** The sets that a key signed as a version. */
async function signedAs(version: string, sets: readonly Digest[]): Promise<readonly Digest[]> {
  const found: Digest[] = [];
  for (const digest of sets) {
    const subject = { repository: REPOSITORY, digest };
    const place = { registry, prefix: 'ccp' };
    const signed = await findStatement(place, subject, keys, releaseStatement(version));
    if (typeof signed !== 'string') found.push(digest);
  }
  return found;
}

it('creates a version for one of several sets that are released at the same time', async () => {
  for (let round = 0; round < 15; round += 1) {
    registry = memoryRegistry();
    const sets = await Promise.all(['a', 'b', 'c'].map(publish));
    const runs = await Promise.allSettled(sets.map((set) => create('2026.1.0', set)));
    expect(runs.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const run of runs)
      if (run.status === 'rejected')
        expect(['release-busy', 'release-exists']).toContain((run.reason as { code: string }).code);
    const winner = sets[runs.findIndex(({ status }) => status === 'fulfilled')]!;
    expect(registry.names.get(`${REPOSITORY}:2026.1.0`)).toBe(winner);
    // A signature about another set would be a second, valid release.
    expect(await signedAs('2026.1.0', sets)).toEqual([winner]);
  }
});

it('creates two versions one after the other, or refuses one of them', async () => {
  for (let round = 0; round < 10; round += 1) {
    registry = memoryRegistry();
    const [first, second] = [await publish('a'), await publish('b')];
    const runs = await Promise.allSettled([
      create('2026.1.0-rc.1', first),
      create('2026.1.0', second),
    ]);
    // A run that starts to look while the other one has its claim waits, and then continues.
    const refused = runs.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []));
    expect(refused.length).toBeLessThan(2);
    if (refused[0] === 0) expect(await create('2026.1.1-rc.1', first)).toBe(true);
    if (refused[0] === 1) expect(await create('2026.1.0', second)).toBe(true);
    const place = { registry, prefix: 'ccp' };
    const { versions } = await listReleases(place, keys);
    expect(versions.map(({ state }) => state)).toEqual(['verified', 'verified']);
  }
});

it('lets two runs with one set create a version together', async () => {
  const set = await publish('a');
  await Promise.all([create('2026.1.0', set), create('2026.1.0', set)]);
  const place = { registry, prefix: 'ccp' };
  expect((await trustedRelease(place, '2026.1.0', keys)).digest).toBe(set);
});

it('names the run that it gives way to', async () => {
  const [own, other] = [await publish('a'), await publish('b')];
  const { writeManifest } = registry;
  const late: Registry = {
    ...registry,
    writeManifest: async (repository, reference, type, bytes) => {
      if (reference.startsWith('creating-'))
        registry.names.set(`${REPOSITORY}:creating-2026.1.0-rc.1-${'0'.repeat(32)}`, other);
      return writeManifest(repository, reference, type, bytes);
    },
  };
  await expect(create('2026.1.0', own, late)).rejects.toMatchObject({
    code: 'release-busy',
    message: 'another run creates 2026.1.0-rc.1 at the same time',
    hint: 'see `ccp release list`, then run the command again, or with the next version',
  });
  expect(await signedAs('2026.1.0', [own])).toEqual([]);
});

it('continues after a killed run, unless that run claimed the version for its set', async () => {
  const [own, other] = [await publish('a'), await publish('b')];
  const killed: Registry = {
    ...registry,
    writeManifest: async (repository, reference, type, bytes) => {
      if (reference === '2026.1.0') throw new Error('killed');
      return registry.writeManifest(repository, reference, type, bytes);
    },
  };
  registry.names.set(`${REPOSITORY}:creating-2026.1.0-rc.1-${'0'.repeat(32)}`, other);
  await expect(create('2026.1.0', other, killed)).rejects.toThrow('killed');
  expect(waits).toBe(12);
  await expect(create('2026.1.0', own)).rejects.toMatchObject({
    code: 'release-exists',
    message: `another run claimed 2026.1.0 for registry.test/ccp/ccp.sets@${other}`,
    hint: 'release that set with the version, then this set with the next version',
  });
  expect(await create('2026.1.0', other)).toBe(true);
  waits = 0;
  expect(await create('2026.1.1', own)).toBe(true);
  expect(waits).toBe(0);
});
