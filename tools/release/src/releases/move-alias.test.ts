import { setTimeout } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Registry } from '#ports';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { newKeyPair, signerOf } from '../index.ts';
import { setsRepository, type Place } from '../publish/place.ts';
import { slowRegistry } from '../testing/slow-registry.ts';
import { readAlias, type AliasRecord } from './aliases.ts';
import { moveAlias } from './move-alias.ts';

const signer = signerOf(newKeyPair('ed25519', undefined).privateKey, 'key', undefined);
const keys = [signer.key];
const targetOf = (version: string) => ({ version, digest: digestOf(version) });

let registry: MemoryRegistry;
let waits: number;
beforeEach(() => {
  registry = memoryRegistry();
  waits = 0;
});

/** Moves the alias; each call of the registry takes up to 3 ms, and waits are 20 times shorter. */
async function move(version: string, on: Registry = slowRegistry(registry)): Promise<AliasRecord> {
  const place: Place = { registry: on, prefix: 'ccp' };
  const sleep = async (ms: number): Promise<void> => {
    waits += 1;
    await setTimeout(ms / 20);
  };
  const by = `${version}@host`;
  return moveAlias({ place, alias: 'stable', to: targetOf(version), by, signer, keys, sleep });
}

/** All records, oldest first. */
async function records(): Promise<readonly AliasRecord[]> {
  const place = { registry, prefix: 'ccp' };
  const found: AliasRecord[] = [];
  const own = /:alias-stable\.(\d+)$/;
  const numbers = [...registry.names.keys()].flatMap((name) => own.exec(name)?.[1] ?? []);
  for (const number of numbers.map(Number).sort((a, b) => a - b)) {
    const tags = async () => [`alias-stable.${number}`];
    const alias = await readAlias({ ...place, registry: { ...registry, tags } }, 'stable', keys);
    found.push(alias!.record);
  }
  return found;
}

describe('moveAlias', () => {
  it('writes a record of each move, without waiting', async () => {
    for (const version of ['2026.1.0', '2026.1.1', '2026.1.1', '2026.1.0']) await move(version);
    expect(
      (await records()).map(({ number, from, to }) => [number, from?.version, to.version]),
    ).toEqual([
      [1, undefined, '2026.1.0'],
      [2, '2026.1.0', '2026.1.1'],
      [3, '2026.1.1', '2026.1.0'],
    ]);
    expect(waits).toBe(0);
  });

  it('loses no move when several runs move the alias at the same time', async () => {
    for (let round = 0; round < 15; round += 1) {
      registry = memoryRegistry();
      await move('2026.1.0');
      const runs = await Promise.allSettled(
        ['2026.1.1', '2026.1.2', '2026.1.3'].map((version) => move(version)),
      );
      const moved = runs.flatMap((run) => (run.status === 'fulfilled' ? [run.value] : []));
      for (const run of runs)
        if (run.status === 'rejected')
          expect(run.reason).toMatchObject({
            code: 'alias-moved',
            message: 'another run moved stable at the same time',
            hint: 'see `ccp release list`, then run the command again',
          });
      const all = await records();
      expect(moved.length).toBeGreaterThan(0);
      expect(
        all
          .slice(1)
          .map(({ to }) => to.version)
          .sort(),
      ).toEqual(moved.map(({ to }) => to.version).sort());
      // Each move starts where the one before it ended.
      expect(all.slice(1).map(({ from }) => from)).toEqual(all.slice(0, -1).map(({ to }) => to));
    }
  });

  it('reports that another run has just moved the alias', async () => {
    await move('2026.1.0');
    const { writeManifest } = registry;
    let isMoved = false;
    const late: Registry = {
      ...registry,
      writeManifest: async (repository, reference, type, bytes) => {
        if (!isMoved && reference.startsWith('claim-')) {
          isMoved = true;
          await move('2026.1.2', registry);
        }
        return writeManifest(repository, reference, type, bytes);
      },
    };
    await expect(move('2026.1.1', late)).rejects.toMatchObject({ code: 'alias-moved' });
    expect((await records()).map(({ to }) => to.version)).toEqual(['2026.1.0', '2026.1.2']);
  });

  it('moves an alias after a run that was killed with a claim', async () => {
    await move('2026.1.0');
    const digest = registry.names.get(`${setsRepository({ prefix: 'ccp' })}:alias-stable.1`)!;
    registry.names.set(`ccp/ccp.sets:claim-alias-stable.2-${'0'.repeat(32)}.1`, digest);
    expect(await move('2026.1.1')).toMatchObject({ number: 2, from: targetOf('2026.1.0') });
    expect(waits).toBe(12);
  });

  it('completes the move of a run that was killed before it wrote the tag', async () => {
    await move('2026.1.0');
    const killed: Registry = {
      ...registry,
      writeManifest: async (repository, reference, type, bytes) => {
        if (reference === 'alias-stable.2') throw new Error('killed');
        return registry.writeManifest(repository, reference, type, bytes);
      },
    };
    await expect(move('2026.1.1', killed)).rejects.toThrow('killed');
    await expect(move('2026.1.2')).rejects.toMatchObject({ code: 'alias-moved' });
    expect(await move('2026.1.2')).toMatchObject({ number: 3, from: targetOf('2026.1.1') });
  });
});
