import { BLOCK, padded } from './tar-member.ts';
import { formatHeader } from './write-header.ts';

/** The header of a tar entry. */
export interface TarHeader {
  /** Relative, without trailing slash. */
  readonly path: string;
  readonly type: 'file' | 'directory' | 'symlink' | 'hardlink';
  /** Permission bits, setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Size in bytes; 0 for anything but a file. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** Target of a link. */
  readonly target?: string;
}

/** An entry and its content, which must have the size in the header. */
export interface TarEntry {
  readonly header: TarHeader;
  readonly data?: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

/**
 * A tar of these entries, produced as fast as it is consumed. Throws a `RangeError` if the size of
 * a content differs from its header.
 */
export async function* writeTar(
  entries: AsyncIterable<TarEntry> | Iterable<TarEntry>,
): AsyncGenerator<Uint8Array> {
  for await (const { header, data = [] } of entries) {
    yield headerOf(header);
    let written = 0;
    for await (const chunk of data) {
      written += chunk.byteLength;
      if (written > header.size) break;
      yield chunk;
    }
    if (written !== header.size)
      throw new RangeError(
        `${header.path} does not have the ${header.size} bytes that its tar header declares`,
      );
    yield new Uint8Array(padded(header.size) - header.size);
  }
  yield new Uint8Array(2 * BLOCK);
}

function headerOf({ path, type, target = '', ...numbers }: TarHeader): Uint8Array {
  return formatHeader({
    ...numbers,
    path: byteText(path),
    type: type === 'hardlink' ? 'link' : type,
    target: byteText(target),
    xattrs: new Map(),
  });
}

/** UTF-8 as a string with one character per byte, the form of names in the codec. */
function byteText(text: string): string {
  return Buffer.from(text).toString('latin1');
}
