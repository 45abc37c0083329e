import { CcpError } from '#core';

export type EntryType = 'file' | 'link' | 'symlink' | 'character' | 'block' | 'directory' | 'fifo';

/** A run of bytes of a file's content: `length` bytes found at `from` in the tar stand at `at` in the file. */
export interface Segment {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

/**
 * One member of a tar. Names and extended attributes are bytes, so they stand as strings of one character per byte
 * (`latin1`): nothing is lost where they are not UTF-8, and code-unit order is byte order.
 */
export interface TarEntry {
  /** Relative, without leading `./` or trailing `/`; empty for the root. */
  readonly path: string;
  readonly type: EntryType;
  /** What a symbolic link says, or the canonical path of a hard link's target; else empty. */
  readonly target: string;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Whole seconds since 1970. */
  readonly mtime: number;
  readonly major: number;
  readonly minor: number;
  /** Bytes of content, holes included. */
  readonly size: number;
  readonly xattrs: ReadonlyMap<string, string>;
  /** Content in order of `at`; what no segment covers is zeros. */
  readonly segments: readonly Segment[];
}

/** Random access to a tar on disk or in memory. */
export interface TarSource {
  /** Bytes. */
  readonly size: number;
  /** Exactly `length` bytes at `offset`, valid until the next call. */
  read(offset: number, length: number): Buffer;
}

/** Bytes of a block: headers are one, contents are filled up to whole ones. */
export const BLOCK = 512;

/** `size` rounded up to whole blocks. */
export function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** The error for a tar that cannot be understood; `at` is a byte offset in the unpacked layer. */
export function layerInvalid(at: number, reason: string): CcpError {
  return new CcpError({
    code: 'layer-invalid',
    message: `the layer is not a tar that can be normalised: ${reason} (at byte ${at})`,
    hint: 'build the image again; where that does not help, the engine writes layers that are not understood',
  });
}

/**
 * `raw` without leading `./` and `/`, doubled and trailing slashes. Raises `layer-invalid` for a path that leaves the root
 * or holds a NUL.
 */
export function canonicalPath(raw: string, at: number): string {
  if (raw.includes('\0')) throw layerInvalid(at, 'a name holds a NUL');
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) throw layerInvalid(at, `the name ${JSON.stringify(Buffer.from(raw, 'latin1').toString())} leads out of the image`);
  return parts.join('/');
}
