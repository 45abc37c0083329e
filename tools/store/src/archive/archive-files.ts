import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { CcpError } from '#core';
import { scanTar, type TarSource } from '#formats/tar';

/** A set of 300 images with their statements has about 5,000 files. */
const MAX_FILES = 200_000;

/** Bytes of a file. */
export interface FileRange {
  readonly from: number;
  readonly size: number;
}

/** The files of an uncompressed tar, in order. Throws `layer-invalid` and errors of the system. */
export function archiveFiles(file: string): readonly (readonly [string, FileRange])[] {
  const handle = openSync(file, 'r');
  try {
    const members = scanTar(sourceOf(handle), MAX_FILES);
    return members.flatMap(({ path, type, size, segments }) =>
      type === 'file' && segments.length < 2
        ? [[path, { from: segments[0]?.from ?? 0, size }] as const]
        : [],
    );
  } finally {
    closeSync(handle);
  }
}

/** Reads a part of a file. */
export function readRange(file: string, { from, size }: FileRange): Buffer {
  const handle = openSync(file, 'r');
  try {
    return sourceOf(handle).read(from, size);
  } finally {
    closeSync(handle);
  }
}

function sourceOf(handle: number): TarSource {
  const { size } = fstatSync(handle);
  return {
    size,
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      for (let at = 0; at < length;) {
        const read = readSync(handle, bytes, at, length - at, offset + at);
        if (read === 0)
          throw new CcpError({
            code: 'layer-invalid',
            message: 'it became shorter while it was read',
          });
        at += read;
      }
      return bytes;
    },
  };
}
