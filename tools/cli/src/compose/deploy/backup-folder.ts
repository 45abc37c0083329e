import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, codeOf, isRecord } from '#core';

/** The figures of a backup that its export reads; the app's program writes more. */
export interface Manifest {
  readonly name: string;
  /** RFC 3339. */
  readonly started: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly tables: Readonly<Record<string, { readonly rows: number }>>;
}

const KEYS = '.keys.json';

/** Names of the files of an exported backup. */
export const backupFiles = {
  data: ['manifest.json', 'tables', 'dump.sql.gz'],
  keys: (app: string): string => `${app}${KEYS}`,
} as const;

/**
 * A name that becomes part of a path. Throws `backup-invalid` for a name that could lead to another
 * folder, and for an empty one.
 */
export function nameInFolder(name: string): string {
  if (/^[a-z0-9][a-z0-9._-]{0,62}$/.test(name)) return name;
  throw new CcpError({
    code: 'backup-invalid',
    message: `${JSON.stringify(name)} is not the name of a backup or of an app`,
    hint: 'names have at most 63 lower-case letters, digits and . _ -, and start with a letter or digit',
  });
}

/** Throws `backup-invalid` for another format. */
export function parseManifest(
  text: string,
  where: string,
): { readonly text: string; readonly manifest: Manifest } {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    found = undefined;
  }
  if (isRecord(found) && found['format'] === 1 && isRecord(found['tables']))
    return { text, manifest: found as unknown as Manifest };
  throw new CcpError({
    code: 'backup-invalid',
    message: `the manifest of ${where} is not a manifest in format 1`,
    hint: 'take another backup',
  });
}

/** Figures of a manifest for answers. */
export function manifestFigures({ started, bytes, sha256, tables }: Manifest) {
  const all = Object.values(tables);
  const rows = all.reduce((sum, each) => sum + each.rows, 0);
  return { started, bytes, sha256, tables: all.length, rows };
}

/** `1204 rows of 312 tables`. */
export function manifestText(manifest: Manifest): string {
  const { rows, tables } = manifestFigures(manifest);
  return `${rows} rows of ${tables} tables`;
}

/** The manifest of an exported backup, and the files with keys. Throws `backup-invalid`. */
export function readBackupFolder(folder: string): {
  readonly manifest: Manifest;
  readonly keys: readonly { readonly file: string; readonly text: string }[];
} {
  try {
    const names = readdirSync(folder);
    const text = readFileSync(join(folder, 'manifest.json'), 'utf8');
    return {
      manifest: parseManifest(text, folder).manifest,
      keys: names
        .filter((name) => name.endsWith(KEYS))
        .map((name) => ({
          file: join(folder, name),
          text: readFileSync(join(folder, name), 'utf8'),
        })),
    };
  } catch (thrown) {
    if (codeOf(thrown) === 'backup-invalid') throw thrown;
    throw new CcpError({
      code: 'backup-invalid',
      message: `${folder} is not an exported backup: it has no manifest.json`,
      hint: 'name the folder NAME.TIME that `ccp deploy backup export` has written',
      cause: thrown,
    });
  }
}
