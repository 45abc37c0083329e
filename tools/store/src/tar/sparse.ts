import { readNumber } from './header-fields.ts';
import { BLOCK, layerInvalid, padded, type Segment, type TarSource } from './tar-entry.ts';

/** Where a sparse file's bytes are; `data` is the offset after the map. */
export interface SparseMap {
  /** Bytes of content, holes included. */
  readonly size: number;
  readonly segments: readonly Segment[];
}

/** The map in an old GNU header (type `S`); also says where the member's data starts. Raises `layer-invalid`. */
export function readGnuSparse(source: TarSource, headerAt: number): SparseMap & { readonly dataAt: number } {
  const header = Buffer.from(source.read(headerAt, BLOCK));
  const size = readNumber(header, 483, 12, headerAt);
  const runs = readRuns(header, 386, 4, headerAt);
  let dataAt = headerAt + BLOCK;
  let more = header[482] !== 0;
  while (more) {
    const block = Buffer.from(source.read(dataAt, BLOCK));
    runs.push(...readRuns(block, 0, 21, dataAt));
    more = block[504] !== 0;
    dataAt += BLOCK;
  }
  return { size, segments: place(runs, dataAt, size, headerAt), dataAt };
}

/** The map of PAX sparse format 1.0, decimal lines before the data at `dataAt`. Raises `layer-invalid`. */
export function readPaxSparse(source: TarSource, dataAt: number, stored: number, size: number): SparseMap {
  let text = '';
  let read = 0;
  const lines = (): string[] => text.split('\n').slice(0, -1);
  const wanted = (): number => 1 + 2 * Number(lines()[0] ?? 0);
  while (lines().length === 0 || lines().length < wanted()) {
    if (read + BLOCK > padded(stored) || read > 1 << 20) throw layerInvalid(dataAt, 'a sparse map does not end');
    text += source.read(dataAt + read, BLOCK).toString('latin1');
    read += BLOCK;
  }
  const numbers = lines().slice(0, wanted()).map(Number);
  if (!numbers.every((number) => Number.isSafeInteger(number))) throw layerInvalid(dataAt, 'a sparse map holds no numbers');
  const runs: Run[] = [];
  for (let index = 1; index < numbers.length; index += 2) runs.push({ at: numbers[index] ?? 0, length: numbers[index + 1] ?? 0 });
  return { size, segments: place(runs, dataAt + read, size, dataAt) };
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
    runs.push({ at: readNumber(block, start, 12, at), length: readNumber(block, start + 12, 12, at) });
  }
  return runs;
}

function place(runs: readonly Run[], dataAt: number, size: number, at: number): Segment[] {
  const segments: Segment[] = [];
  let from = dataAt;
  let end = 0;
  for (const run of runs) {
    if (run.at < end || run.length < 0 || run.at + run.length > size) throw layerInvalid(at, 'a sparse map is out of order');
    if (run.length > 0) segments.push({ at: run.at, from, length: run.length });
    from += run.length;
    end = run.at + run.length;
  }
  return segments;
}
