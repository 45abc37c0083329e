import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError, isRecord, parseJson } from '#core';
import { readBounded } from '#host';

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
/** Maximum size of a manifest and of a file with keys. */
const MAX_TEXT = 64 << 20;

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
    found = parseJson(text);
  } catch {
    found = undefined;
  }
  if (isRecord(found) && found['format'] === 1 && hasFigures(found))
    return { text, manifest: found as unknown as Manifest };
  throw new CcpError({
    code: 'backup-invalid',
    message: `the manifest of ${where} is not a manifest in format 1`,
    hint: 'take another backup',
  });
}

function hasFigures({ tables, started = '', sha256 = '', bytes = 0 }: object & Partial<Manifest>) {
  return (
    [started, sha256].every((each) => typeof each === 'string' && each.length <= 64) &&
    isCount(bytes) &&
    isRecord(tables) &&
    Object.values(tables).every((each) => isRecord(each) && isCount(each['rows']))
  );
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
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

/**
 * The path of a file in an exported backup. Throws `backup-invalid` for anything but a regular
 * file: a link could name any file of this machine, which an import would copy into the cluster.
 */
export function backupFile(folder: string, name: string): string {
  const path = join(folder, name);
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat?.isFile() === true) return path;
  throw new CcpError({
    code: 'backup-invalid',
    message: `${folder} is not an exported backup: ${name} ${stat === undefined ? 'is missing' : 'is not a regular file'}`,
    hint: 'name the folder NAME.TIME that `ccp deploy backup export` has written',
  });
}

const textOf = (folder: string, name: string): string =>
  readBounded(backupFile(folder, name), MAX_TEXT).toString();

/** The manifest of an exported backup, and the files with keys. Throws `backup-invalid`. */
export function readBackupFolder(folder: string): {
  readonly manifest: Manifest;
  readonly keys: readonly { readonly file: string; readonly text: string }[];
} {
  try {
    const names = readdirSync(folder);
    const text = textOf(folder, 'manifest.json');
    return {
      manifest: parseManifest(text, folder).manifest,
      keys: names
        .filter((name) => name.endsWith(KEYS))
        .map((name) => ({
          file: join(folder, name),
          text: textOf(folder, name),
        })),
    };
  } catch (thrown) {
    if (thrown instanceof CcpError) throw thrown;
    throw new CcpError({
      code: 'backup-invalid',
      message: `${folder} is not an exported backup: it has no manifest.json`,
      hint: 'name the folder NAME.TIME that `ccp deploy backup export` has written',
      cause: thrown,
    });
  }
}
