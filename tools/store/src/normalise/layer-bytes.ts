import { BLOCK, padded, type TarEntry, type TarSource } from '../tar/tar-entry.ts';
import { formatHeader } from '../tar/write-header.ts';

const PIECE = 1 << 20;
const ZEROS = Buffer.alloc(PIECE);

/** The bytes of a tar with these members, their content read from `source`; a piece is valid until the next is asked for. */
export function* layerBytes(entries: readonly TarEntry[], source: TarSource): Generator<Buffer> {
  for (const entry of entries) {
    yield formatHeader(entry);
    let at = 0;
    for (const segment of entry.segments) {
      yield* zeros(segment.at - at);
      for (let done = 0; done < segment.length; done += PIECE) {
        yield source.read(segment.from + done, Math.min(PIECE, segment.length - done));
      }
      at = segment.at + segment.length;
    }
    yield* zeros(padded(entry.size) - at);
  }
  yield* zeros(2 * BLOCK);
}

function* zeros(count: number): Generator<Buffer> {
  for (let left = count; left > 0; left -= PIECE) yield ZEROS.subarray(0, Math.min(left, PIECE));
}
