import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Calls that read the disk, by path or by a descriptor of `openSync`. */
const READS = [
  'existsSync',
  'fstatSync',
  'lstatSync',
  'openSync',
  'readFileSync',
  'readdirSync',
  'readlinkSync',
  'statSync',
] as const;

type Read = (at: unknown, ...rest: unknown[]) => unknown;

/**
 * Runs `body`, and calls `touched` before each read of the file at `path` by any function, so that
 * a test can act between any two reads without a clock. Reads in `touched` itself do not count.
 */
export async function beforeEachRead<T>(
  path: string,
  touched: () => void,
  body: () => T | Promise<T>,
): Promise<T> {
  const ours = fs as unknown as Record<string, Read>;
  const real = new Map(READS.map((name) => [name, ours[name]!]));
  const { open } = fs.promises;
  const open_ = new Set<unknown>();
  let inside = false;
  const notify = (): void => {
    if (inside) return;
    inside = true;
    try {
      touched();
    } finally {
      inside = false;
    }
  };
  for (const [name, read] of real) {
    ours[name] = Object.assign((at: unknown, ...rest: unknown[]): unknown => {
      if (at === path || open_.has(at)) notify();
      const result = read(at, ...rest);
      if (name === 'openSync') {
        if (at === path) open_.add(result);
        else open_.delete(result);
      }
      return result;
    }, read);
  }
  fs.promises.open = async (at, ...rest) => {
    if (at === path) notify();
    const file = await open(at, ...rest);
    if (at !== path) return file;
    const { readFile, stat } = file;
    return Object.assign(file, {
      readFile: (...args: Parameters<typeof readFile>) => (notify(), readFile.apply(file, args)),
      stat: (...args: Parameters<typeof stat>) => (notify(), stat.apply(file, args)),
    });
  };
  syncBuiltinESMExports();
  try {
    return await body();
  } finally {
    for (const [name, read] of real) ours[name] = read;
    fs.promises.open = open;
    syncBuiltinESMExports();
  }
}
