import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, isRecord } from '#core';
import { readBounded } from './read-bounded.ts';
import { replaceFile } from './replace-file.ts';
import { requirePrivate } from './require-private.ts';

const RECORD = '.digests.json';
const MAX_RECORD_BYTES = 1 << 20;

/** Records the SHA-256 of each program in a folder, for `verifyPrograms`. */
export function recordPrograms(folder: string): void {
  replaceFile(
    join(folder, RECORD),
    `${JSON.stringify({ format: 1, digests: digestsOf(folder) })}\n`,
  );
}

/**
 * Checks that other users could not replace the programs in a folder, and that their bytes are
 * those recorded after the build. A folder without a record gets one. Throws `machine-rights` and
 * `machine-program`.
 */
export function verifyPrograms(folder: string): void {
  requirePrivate(folder, `the folder of programs ${folder}`);
  for (const name of programsIn(folder)) requirePrivate(join(folder, name), `the program ${name}`);
  const noted = readRecord(folder);
  if (noted === undefined) return recordPrograms(folder);
  const found = digestsOf(folder);
  for (const name of new Set([...Object.keys(noted), ...Object.keys(found)])) {
    if (noted[name] === found[name]) continue;
    const what = found[name] === undefined ? 'is missing' : 'is not the one that was built there';
    throw new CcpError({
      code: 'machine-program',
      message: `the program ${name} in ${folder} ${what}`,
      hint: 'remove that folder; ccp builds its programs again',
    });
  }
}

function readRecord(folder: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const record: unknown = JSON.parse(
      readBounded(join(folder, RECORD), MAX_RECORD_BYTES).toString(),
    );
    return isRecord(record) && record['format'] === 1 && isRecord(record['digests'])
      ? record['digests']
      : undefined;
  } catch {
    return undefined;
  }
}

function digestsOf(folder: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    programsIn(folder).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(join(folder, name)))
        .digest('hex'),
    ]),
  );
}

/** Regular files directly in the folder. */
function programsIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name !== RECORD && lstatSync(join(folder, name)).isFile())
    .sort();
}
