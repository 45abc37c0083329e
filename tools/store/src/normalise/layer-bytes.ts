import { BLOCK, formatHeader, padded, type TarMember, type TarSource } from '#formats/tar';

const PIECE = 1 << 20;
const ZEROS = Buffer.alloc(PIECE);

/**
 * The bytes of a tar of `entries`, with content from `source`. Each piece is valid until the next.
 */
export function* layerBytes(entries: readonly TarMember[], source: TarSource): Generator<Buffer> {
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
