import { cpuMs } from './cpu-ms.ts';
import { seededRandom, type Random } from './random.ts';

/** Bounds for one case; a reader that exceeds them can be made to hang or to use all memory. */
const MAX_CASE_MS = 5000;
const MAX_GROWTH = 1 << 30;

/** Seconds for each reader, if a nightly run requests more than the fixed cases. */
const SECONDS = Number(process.env['CCP_FUZZ_SECONDS'] ?? 0);
const FIRST_SEED = Number(
  process.env['CCP_FUZZ_SEED'] ?? (SECONDS > 0 ? Math.floor(Date.now() / 1000) : 1),
);

/** Time limit of a test that calls `fuzz`, in milliseconds. */
export const FUZZ_TIMEOUT_MS = 60_000 + SECONDS * 1000;

/**
 * Calls `attempt` with `cases` generators of consecutive seeds, or for CCP_FUZZ_SECONDS with seeds
 * from the clock. Throws the first failure with the seed that repeats it (CCP_FUZZ_SEED), and an
 * error for a case that needs more than 5 s of processor time or 1 GiB.
 */
export async function fuzz(
  cases: number,
  attempt: (random: Random) => void | Promise<void>,
): Promise<void> {
  const until = performance.now() + SECONDS * 1000;
  for (let done = 0; done < cases || performance.now() < until; done += 1) {
    const seed = (FIRST_SEED + done) >>> 0;
    const [started, memory] = [cpuMs(), process.memoryUsage.rss()];
    try {
      await attempt(seededRandom(seed));
      const took = cpuMs() - started;
      if (took > MAX_CASE_MS) throw new Error(`it took ${Math.round(took)} ms`);
      const grown = process.memoryUsage.rss() - memory;
      if (grown > MAX_GROWTH) throw new Error(`it took ${grown} bytes of memory`);
    } catch (cause) {
      throw new Error(`CCP_FUZZ_SEED=${seed}: ${String(cause)}`, { cause });
    }
  }
}

/** Values that readers of sizes, offsets and lengths tend to get wrong. */
const ODD_NUMBERS = [
  '-1',
  '-60',
  '0',
  '1e9',
  '0x10',
  '4294967295',
  '9999999999',
  '99999999999',
  'NaN',
  '',
  ' ',
];

/**
 * `bytes` with up to four changes: flipped bits, odd bytes and numbers, pieces cut out, doubled,
 * moved or added.
 */
export function mutated(random: Random, bytes: Uint8Array): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let left = 1 + random.int(4); left > 0; left -= 1) {
    const at = random.int(changed.length + 1);
    const to = Math.min(changed.length, at + random.int(random.chance(0.5) ? 8 : 600));
    const [before, piece, after] = [
      changed.subarray(0, at),
      changed.subarray(at, to),
      changed.subarray(to),
    ];
    const insert = (...parts: Uint8Array[]): Buffer => Buffer.concat([before, ...parts, after]);
    changed = random.pick<() => Buffer>([
      () => insert(piece.map((byte) => byte ^ (1 << random.int(8)))),
      () =>
        insert(Buffer.alloc(piece.length, random.pick([0, 0x20, 0x30, 0x39, 0x7f, 0x80, 0xff]))),
      () => insert(Buffer.from(random.pick(ODD_NUMBERS).padEnd(random.pick([0, 8, 10, 12])))),
      () => insert(),
      () => insert(piece, piece),
      () => insert(random.bytes(random.int(16)), piece),
      () => Buffer.from(before),
      () => Buffer.concat([piece, before, after]),
    ])();
  }
  return changed;
}

/** A tar with corrected header checksums, so that a reader sees the changes in the headers. */
export function withChecksums(tar: Buffer): Buffer {
  for (let at = 0; at + 512 <= tar.length; at += 512) {
    const block = tar.subarray(at, at + 512);
    if (block.toString('latin1', 257, 262) !== 'ustar') continue;
    block.fill(' ', 148, 156);
    const sum = block.reduce((total, byte) => total + byte, 0);
    block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  }
  return tar;
}
