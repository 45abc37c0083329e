import { readCount } from './header-fields.ts';
import {
  BLOCK,
  layerInvalid,
  padded,
  quoteName,
  type Segment,
  type TarSource,
} from './tar-member.ts';

/** The size and the segments of a sparse file. */
export interface SparseMap {
  /** Size of the content with holes, in bytes. */
  readonly size: number;
  readonly segments: readonly Segment[];
}

/** Maximum number of data runs in one sparse file; GNU tar writes one per hole. */
const MAX_RUNS = 100_000;
const MAX_MAP = 1 << 20;
const NEWLINE = 0x0a;

/**
 * The sparse map in an old GNU header (type `S`) of a member with `stored` bytes of data; `dataAt`
 * is the data's offset. Throws `layer-invalid`.
 */
export function readGnuSparse(
  source: TarSource,
  headerAt: number,
  stored: number,
  path: string,
): SparseMap & { readonly dataAt: number } {
  const header = Buffer.from(source.read(headerAt, BLOCK));
  const size = readCount(header, 483, 12, headerAt);
  const runs = readRuns(header, 386, 4, headerAt);
  let dataAt = headerAt + BLOCK;
  let more = header[482] !== 0;
  while (more) {
    const block = Buffer.from(source.read(dataAt, BLOCK));
    runs.push(...readRuns(block, 0, 21, dataAt));
    if (runs.length > MAX_RUNS)
      throw layerInvalid(headerAt, `the sparse file ${quoteName(path)} has too many holes`);
    more = block[504] !== 0;
    dataAt += BLOCK;
  }
  return { size, segments: place(runs, { dataAt, stored, size, path, at: headerAt }), dataAt };
}

/**
 * The map in PAX sparse format 1.0: decimal lines at `dataAt`, then data. Throws `layer-invalid`.
 */
export function readPaxSparse(
  source: TarSource,
  dataAt: number,
  stored: number,
  size: number,
  path: string,
): SparseMap {
  const unterminated = (): never => {
    throw layerInvalid(dataAt, `the sparse map of ${quoteName(path)} is not terminated`);
  };
  const numbers: number[] = [];
  let wanted = 1;
  let digits = '';
  let read = 0;
  while (numbers.length < wanted) {
    if (read + BLOCK > padded(stored) || read >= MAX_MAP) unterminated();
    for (const byte of Buffer.from(source.read(dataAt + read, BLOCK))) {
      if (byte !== NEWLINE) {
        digits += String.fromCharCode(byte);
        if (digits.length > 15) unterminated();
        continue;
      }
      if (!/^\d{1,15}$/.test(digits))
        throw layerInvalid(
          dataAt,
          `the sparse map of ${quoteName(path)} contains ${quoteName(digits)}`,
        );
      numbers.push(Number(digits));
      digits = '';
      if (numbers.length === 1) wanted = 1 + 2 * numbers[0]!;
      if (numbers.length === wanted) break;
    }
    read += BLOCK;
  }
  const runs: Run[] = [];
  for (let index = 1; index < wanted; index += 2)
    runs.push({ at: numbers[index]!, length: numbers[index + 1]! });
  const data = { dataAt: dataAt + read, stored: stored - read, size, path, at: dataAt };
  return { size, segments: place(runs, data) };
}

interface Run {
  readonly at: number;
  readonly length: number;
}

function readRuns(block: Buffer, offset: number, count: number, at: number): Run[] {
  const runs: Run[] = [];
  for (let index = 0; index < count; index += 1) {
    const start = offset + index * 24;
    if (block[start] === 0) break;
    runs.push({
      at: readCount(block, start, 12, at),
      length: readCount(block, start + 12, 12, at),
    });
  }
  return runs;
}

interface SparseData {
  readonly dataAt: number;
  /** Size of the data at `dataAt`, in bytes. */
  readonly stored: number;
  /** Size of the file, in bytes. */
  readonly size: number;
  readonly path: string;
  readonly at: number;
}

function place(runs: readonly Run[], { dataAt, stored, size, path, at }: SparseData): Segment[] {
  const segments: Segment[] = [];
  let from = dataAt;
  let end = 0;
  for (const run of runs) {
    if (run.at < end || run.at + run.length > size)
      throw layerInvalid(at, `the sparse map of ${quoteName(path)} is out of order`);
    if (run.length > 0) segments.push({ at: run.at, from, length: run.length });
    from += run.length;
    end = run.at + run.length;
  }
  if (from - dataAt > Math.max(stored, 0))
    throw layerInvalid(at, `the sparse map of ${quoteName(path)} covers more than its data`);
  return segments;
}
