import { TAR_END, tarHeader, tarPadding, type TarHeader } from './tar-header.ts';

/** An entry and its bytes, exactly as many as its header says. */
export interface TarEntry {
  readonly header: TarHeader;
  readonly data?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/** The tar of these entries, made as fast as it is read. Raises a `RangeError` where an entry's bytes are not as many as announced. */
export async function* writeTar(entries: AsyncIterable<TarEntry> | Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const { header, data = [] } of entries) {
    yield tarHeader(header);
    let written = 0;
    for await (const chunk of data) {
      written += chunk.byteLength;
      if (written > header.size) break;
      yield chunk;
    }
    if (written !== header.size) throw new RangeError(`${header.path} has not the ${header.size} bytes its tar header announced`);
    yield tarPadding(header.size);
  }
  yield TAR_END;
}
