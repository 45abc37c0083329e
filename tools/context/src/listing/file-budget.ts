import { CcpError } from '#core';

/** Limits on the files of one folder that enter a build context. */
export interface FileLimits {
  /** Bytes of one file: it is read whole. */
  readonly fileBytes: number;
  /** Bytes of all files. */
  readonly totalBytes: number;
  /** Number of files, folders and links. */
  readonly entries: number;
}

/** Over a thousand times the largest folder here. */
export const FILE_LIMITS: FileLimits = {
  fileBytes: 64 * 2 ** 20,
  totalBytes: 256 * 2 ** 20,
  entries: 20_000,
};

const HINT = 'add large or many files as a locked input of the image, or create them in a RUN step';

/** Counts the entries of a folder against its limits, before they are read. */
export interface FileBudget {
  /** Throws `context-invalid`. */
  countEntry(): void;
  /**
   * Counts a file of `size` bytes; messages call it `nameOf(path)`, which is only called for them.
   * Throws `context-invalid`.
   */
  countFile(path: string, size: number): void;
}

/** A new budget for the folder at `folder`; `nameOf` gives the name of a path in messages. */
export function fileBudget(
  folder: string,
  nameOf: (path: string) => string,
  limits: FileLimits = FILE_LIMITS,
): FileBudget {
  let entries = 0;
  let bytes = 0;
  let largest = { path: '', size: 0 };
  return {
    countEntry() {
      entries += 1;
      if (entries > limits.entries)
        throw tooLarge(
          nameOf(folder),
          `has more than ${limits.entries} files, folders and links, which is the limit`,
        );
    },
    countFile(path, size) {
      if (size > limits.fileBytes)
        throw tooLarge(
          nameOf(path),
          `has ${size} bytes, more than the limit of ${limits.fileBytes}`,
        );
      bytes += size;
      if (size > largest.size) largest = { path, size };
      if (bytes > limits.totalBytes)
        throw tooLarge(
          nameOf(folder),
          `has files of more than ${limits.totalBytes} bytes in total, which is the limit; the largest is ${nameOf(largest.path)} with ${largest.size}`,
        );
    },
  };
}

function tooLarge(file: string, reason: string): CcpError {
  return new CcpError({
    code: 'context-invalid',
    message: `${file} ${reason}`,
    hint: HINT,
    at: { file },
  });
}
