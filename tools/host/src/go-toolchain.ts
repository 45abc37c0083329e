import { createHash } from 'node:crypto';
import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CcpError } from '#core';
import { requirePrivate } from './require-private.ts';

/** Folders of a toolchain whose files are programs: files of a Go module have no executable bit. */
const PROGRAM_FOLDERS = /(?:^|\/)(?:bin|pkg\/tool\/[^/]+)$/;

/**
 * Name and version of the Go module that contains a toolchain (https://go.dev/ref/mod#toolchain).
 */
export function toolchainModule(
  version: string,
  arch: 'amd64' | 'arm64' = 'amd64',
): { readonly name: string; readonly version: string } {
  return { name: 'golang.org/toolchain', version: `v0.0.1-go${version}.linux-${arch}` };
}

/**
 * Path of `go` in an unpacked toolchain module, after a check of its hash. `sum` is the hash in
 * go.sum. Go checks a module when it is downloaded, but not when it is used. Throws
 * `machine-program` for changed files and `machine-rights` if other users can write to the folder.
 */
export function toolchainProgram(
  folder: string,
  { name, version }: ReturnType<typeof toolchainModule>,
  sum: string,
): string {
  requirePrivate(folder, `the Go toolchain in ${folder}`);
  const found = moduleSum(folder, `${name}@${version}`);
  if (found !== sum)
    throw new CcpError({
      code: 'machine-program',
      message: `the Go toolchain in ${folder} was changed after its download: its digest is ${found}, not ${sum}`,
      hint: 'remove that folder; ccp downloads the toolchain again',
    });
  makeRunnable(folder);
  return join(folder, 'bin', 'go');
}

/** The go.sum hash of a module's unpacked files (golang.org/x/mod/sumdb/dirhash, Hash1). */
export function moduleSum(folder: string, prefix: string): string {
  const files = filesBelow(folder).map(
    (path) => [`${prefix}/${relative(folder, path)}`, path] as const,
  );
  const total = createHash('sha256');
  for (const [name, path] of files.sort(([a], [b]) => (a < b ? -1 : 1)))
    total.update(`${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${name}\n`);
  return `h1:${total.digest('base64')}`;
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}

function makeRunnable(folder: string): void {
  for (const path of filesBelow(folder))
    if (PROGRAM_FOLDERS.test(relative(folder, join(path, '..')))) chmodSync(path, 0o755);
}
