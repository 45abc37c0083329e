import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { seededRandom, type Random } from '../random.ts';
import type { DatabaseSite } from './database-site.ts';
import { cutNetwork } from './database-faults.ts';

const ROUNDS = Number(process.env['CCP_FAULT_ROUNDS'] ?? 50);
const SEED = Number(process.env['CCP_FAULT_SEED'] ?? Date.now() % 1_000_000);
const ROUND_MS = 600_000;

type Fault = (site: DatabaseSite, random: Random) => Promise<string>;

/** Members in random order. */
const shuffled = ({ members }: DatabaseSite, random: Random): readonly string[] =>
  members()
    .map((member) => ({ member, at: random.int(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ member }) => member);

const FAULTS: readonly Fault[] = [
  async (site, random) => {
    const some = shuffled(site, random).slice(0, 1 + random.int(3));
    for (const member of some) site.processes.kill(member);
    await delay(3000);
    return `kill of ${some.join(', ')}`;
  },
  async (site, random) => {
    const some = shuffled(site, random).slice(0, 1 + random.int(3));
    const [apart, force] = [random.pick([0, 300, 3000]), random.chance(0.5)];
    for (const member of some) {
      await site.deletePods([member], force ? 0 : undefined);
      await delay(apart);
    }
    return `${force ? 'forced' : 'orderly'} delete of ${some.join(', ')}, ${apart} ms apart`;
  },
  async (site, random) => {
    const order = shuffled(site, random);
    const [killed, lost] = [order.slice(0, random.pick([1, 3])), order.slice(0, 1)];
    await site.killAndLose(killed, lost);
    return `kill of ${killed.join(', ')}, volume of ${lost.join(', ')} lost`;
  },
  async (site) => {
    await site.scale(0);
    await site.scale(3);
    return 'scale to 0 and back';
  },
  async (site, random) => {
    const [one, ...others] = shuffled(site, random);
    const sides = random.chance(0.7) ? [[one!], others] : [[one!], ...others.map((each) => [each])];
    const heal = await cutNetwork(site, sides);
    await delay(5000 + random.int(40_000));
    heal();
    return `network cut ${sides.map((side) => side.join(', ')).join(' | ')}`;
  },
];

/** Random faults, one after the other; the seed is printed, and `CCP_FAULT_SEED` repeats them. */
export function testRandomFaults(current: () => DatabaseSite): void {
  it(
    `loses no committed row in ${ROUNDS} rounds of random faults (seed ${SEED})`,
    { timeout: ROUNDS * ROUND_MS },
    async () => {
      const [site, random] = [current(), seededRandom(SEED)];
      const gaps: number[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        let what = '';
        const { gap } = await site.under(`round ${round} of seed ${SEED}`, async () => {
          what = await random.pick(FAULTS)(site, random);
        });
        console.log(`round ${round}: ${what}`);
        gaps.push(gap);
      }
      const sorted = gaps.toSorted((a, b) => a - b);
      console.log(
        `seed ${SEED}: ${ROUNDS} rounds, seconds without a write: median ${sorted[Math.floor(sorted.length / 2)]}, worst ${sorted.at(-1)}`,
      );
      expect(gaps).toHaveLength(ROUNDS);
    },
  );
}
