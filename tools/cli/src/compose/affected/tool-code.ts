import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FINGERPRINT_CODE } from '#definitions';
import { sha256 } from '#core';

/**
 * Pathspecs of git for the code that computes fingerprints, in a repository with the tool at
 * `prefix`.
 */
export function codePaths(prefix: string): readonly string[] {
  return [...FINGERPRINT_CODE.map((folder) => join(prefix, folder)), ':(exclude,glob)**/*.test.ts'];
}

/**
 * A key of the code of the tool at `own` that computes fingerprints: from sizes and times of its
 * files.
 */
export function codeKey(own: string): string {
  const lines = FINGERPRINT_CODE.flatMap((folder) =>
    readdirSync(join(own, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const { size, mtimeMs } = statSync(path);
        return `${path} ${size} ${mtimeMs}`;
      }),
  );
  return sha256(lines.sort().join('\n'));
}
