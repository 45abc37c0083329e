import { CcpError } from '#core';

export type MemberType = 'file' | 'link' | 'symlink' | 'directory' | 'fifo';

/**
 * A part of a file's content: `length` bytes at offset `from` of the tar are at `at` in the file.
 */
export interface Segment {
  readonly at: number;
  readonly from: number;
  readonly length: number;
}

/**
 * One member of a tar. Names and extended attributes are bytes, represented by strings with one
 * character per byte (`latin1`): invalid UTF-8 is preserved, and code-unit order is byte order.
 */
export interface TarMember {
  /** Relative, without leading `./` or trailing `/`; empty for the root. */
  readonly path: string;
  readonly type: MemberType;
  /** A symbolic link's text, or the canonical path of a hard link's target; else empty. */
  readonly target: string;
  /** Permission bits with setuid, setgid and sticky. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Whole seconds since 1970. */
  readonly mtime: number;
  /** Size of the content with holes, in bytes. */
  readonly size: number;
  readonly xattrs: ReadonlyMap<string, string>;
  /** Content in order of `at`; the bytes between segments are zeros. */
  readonly segments: readonly Segment[];
}

/** Random access to a tar on disk or in memory. */
export interface TarSource {
  /** In bytes. */
  readonly size: number;
  /** Exactly `length` bytes at `offset`, valid until the next call. */
  read(offset: number, length: number): Buffer;
}

/** Bytes per block: a header is one block, contents are padded to whole blocks. */
export const BLOCK = 512;

/** `size` rounded up to whole blocks. */
export function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

/** The error for an invalid or unsupported tar; `at` is a byte offset in the unpacked layer. */
export function layerInvalid(at: number, reason: string): CcpError {
  return new CcpError({
    code: 'layer-invalid',
    message: `the layer cannot be normalised: ${reason} (at byte ${at})`,
    hint: 'build the image again; if it fails again, the engine writes layers that ccp does not support',
  });
}

/**
 * Quotes a member's name (one character per byte) for messages, as UTF-8, shortened if it is long.
 */
export function quoteName(name: string): string {
  const text = Buffer.from(name, 'latin1').toString();
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}...` : text);
}

/** PATH_MAX and NAME_MAX of Linux, without the NUL at the end. */
const MAX_PATH = 4095;
const MAX_NAME = 255;

/** Checks a symbolic link's text. Throws `layer-invalid` if no file system can store it. */
export function checkTarget(target: string, path: string, at: number): string {
  if (target === '' || target.length > MAX_PATH || target.includes('\0'))
    throw layerInvalid(
      at,
      `the symbolic link ${quoteName(path)} has the target ${quoteName(target)}`,
    );
  return target;
}

/**
 * `raw` without leading `./` and `/`, and without double and trailing slashes. Throws
 * `layer-invalid` if the path points outside the root, contains a NUL or is too long for Linux.
 */
export function canonicalPath(raw: string, at: number): string {
  if (raw.includes('\0')) throw layerInvalid(at, `the name ${quoteName(raw)} contains a NUL`);
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..'))
    throw layerInvalid(at, `the name ${quoteName(raw)} points outside the image`);
  const path = parts.join('/');
  if (path.length > MAX_PATH || parts.some((part) => part.length > MAX_NAME))
    throw layerInvalid(at, `the name ${quoteName(raw)} is too long`);
  return path;
}
