import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { digestOf, type Digest } from '#core';
import type { Registry } from '#ports';
import { memoryRegistry, type MemoryRegistry } from '#ports/testing';
import { seededRandom, type Random } from '../../../../tests/helpers/random.ts';
import { decideTag, writeTagOnce } from './decide-tag.ts';

const REPOSITORY = 'ccp/base';
const TAG = '2026.1-a';
const manifestOf = (run: number): Buffer => Buffer.from(JSON.stringify({ run }));

/** A registry whose calls stall for any time before or after their work, or kill their run. */
function stalling(of: Registry, random: Random, kills: number): Registry {
  const pause = async (): Promise<void> => {
    const ticks = random.chance(0.05) ? random.int(300) : random.int(4);
    for (let tick = 0; tick < ticks; tick += 1) await setImmediate();
    if (random.chance(kills)) throw new Error('killed');
  };
  const calls = Object.entries(of).map(([name, call]: [string, unknown]) => [
    name,
    typeof call !== 'function'
      ? call
      : async (...args: readonly unknown[]) => {
          await pause();
          const answer: unknown = await (call as (...all: readonly unknown[]) => unknown)(...args);
          await pause();
          return answer;
        },
  ]);
  return Object.fromEntries(calls) as Registry;
}

const decisionOf = (registry: Registry, run: number) => ({
  registry,
  repository: REPOSITORY,
  tag: TAG,
  manifest: manifestOf(run),
  // Runs wait for no time, so each stalled run is presumed killed.
  sleep: setImmediate,
});

/** Digests that the runs got; a killed run gets none. */
async function race(
  memory: MemoryRegistry,
  random: Random,
  { runs, kills, from = 0 }: { runs: number; kills: number; from?: number },
): Promise<ReadonlySet<Digest>> {
  const found = await Promise.allSettled(
    Array.from({ length: runs }, async (_, index) => {
      const manifest = manifestOf(from + index);
      memory.manifests.set(`${REPOSITORY}@${digestOf(manifest)}`, manifest);
      return writeTagOnce(decisionOf(stalling(memory, random, kills), from + index));
    }),
  );
  const digests = new Set<Digest>();
  for (const run of found)
    if (run.status === 'fulfilled') digests.add(run.value);
    else expect((run.reason as Error).message).toBe('killed');
  return digests;
}

describe('decideTag', () => {
  it('gives all runs one digest, even if each is slower than the time limit of the others', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const memory = memoryRegistry();
      const random = seededRandom(seed);
      const digests = await race(memory, random, { runs: 2 + random.int(6), kills: 0 });
      expect([...digests], `seed ${seed}`).toEqual([memory.names.get(`${REPOSITORY}:${TAG}`)]);
    }
  });

  it('never changes a decision after runs are killed', async () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const memory = memoryRegistry();
      const random = seededRandom(seed);
      const early = await race(memory, random, { runs: 5, kills: 0.03 });
      const late = await race(memory, random, { runs: 2, kills: 0, from: 10 });
      expect(late.size, `seed ${seed}`).toBe(1);
      expect([...new Set([...early, ...late])], `seed ${seed}`).toEqual([...late]);
    }
  });

  it('writes one claim and accepts it, if it is alone', async () => {
    const memory = memoryRegistry();
    const manifest = manifestOf(0);
    memory.manifests.set(`${REPOSITORY}@${digestOf(manifest)}`, manifest);
    expect(await writeTagOnce(decisionOf(memory, 0))).toBe(digestOf(manifest));
    const tags = (await memory.tags(REPOSITORY)).map((tag) => tag.replace(/[0-9a-f]{32}/, 'MARK'));
    expect(tags).toEqual([`claim-${TAG}-MARK.1`, `accepted-${TAG}-MARK.1`, TAG]);
  });

  it('refuses a registry whose list of tags does not show a written tag', async () => {
    const stale: Registry = { ...memoryRegistry(), tags: async () => [] };
    await expect(decideTag(decisionOf(stale, 0))).rejects.toMatchObject({
      code: 'publish-lost',
      message: expect.stringMatching(
        /^registry\.test: claim-2026\.1-a-[0-9a-f]{32}\.1 was written to the registry, but the list of tags of ccp\/base does not have it$/,
      ),
      hint: 'run the command again; if that does not help, check the registry and other writers',
    });
  });
});
