import { expect, it } from 'vitest';
import { seededRandom, type Random } from '../random.ts';
import { ALL, type BusSite } from './bus-site.ts';
import { cutOff, killed, stopped } from './bus-faults.ts';

const ROUNDS = Number(process.env['CCP_FAULT_ROUNDS'] ?? 30);
const SEED = Number(process.env['CCP_FAULT_SEED'] ?? Date.now() % 1_000_000);
const ROUND_MS = 600_000;

/** A fault, and its name. */
interface Fault {
  readonly name: string;
  run(site: BusSite): Promise<void>;
}

/** Members in random order. */
const shuffled = (random: Random): readonly number[] =>
  ALL.map((member) => ({ member, at: random.int(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ member }) => member);

const FAULTS: readonly ((random: Random) => Fault)[] = [
  (random) => {
    const some = shuffled(random).slice(0, 1 + random.int(3));
    return { name: `kill of ${some.join(', ')}`, run: (site) => killed(site, some) };
  },
  (random) => {
    const some = shuffled(random).slice(0, 1 + random.int(3));
    const apart = random.pick([0, 300, 3000]);
    return {
      name: `stop of ${some.join(', ')}, ${apart} ms apart`,
      run: (site) => stopped(site, some, apart),
    };
  },
  (random) => {
    const order = shuffled(random);
    const some = order.slice(0, random.pick([1, 3]));
    return {
      name: `kill of ${some.join(', ')}, volume ${order[0]} lost`,
      run: (site) => killed(site, some, [order[0]!]),
    };
  },
  (random) => {
    const [one, ...others] = shuffled(random);
    const sides = random.chance(0.7) ? [[one!], others] : [[one!], ...others.map((each) => [each])];
    const time = 5000 + random.int(40_000);
    return {
      name: `network cut ${sides.map((side) => side.join(', ')).join(' | ')} for ${time} ms`,
      run: (site) => cutOff(site, sides, time),
    };
  },
];

/** Random faults, one after the other; the seed is printed, and `CCP_FAULT_SEED` repeats them. */
export function testRandomBusFaults(current: () => BusSite): void {
  it(
    `loses no confirmed message in ${ROUNDS} rounds of random faults (seed ${SEED})`,
    { timeout: ROUNDS * ROUND_MS },
    async () => {
      const [site, random] = [current(), seededRandom(SEED)];
      const gaps: number[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        const { name, run } = random.pick(FAULTS)(random);
        const title = `round ${round} of seed ${SEED}: ${name}`;
        gaps.push((await site.under(title, () => run(site))).gap);
      }
      const sorted = gaps.toSorted((a, b) => a - b);
      console.log(
        `seed ${SEED}: ${ROUNDS} rounds, seconds without a confirm: median ${sorted[Math.floor(sorted.length / 2)]}, worst ${sorted.at(-1)}`,
      );
      expect(gaps).toHaveLength(ROUNDS);
    },
  );
}
