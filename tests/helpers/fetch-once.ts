import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** A release of a project in Python's index, with the SHA-256 of the file that pip fetches. */
export interface PythonRelease {
  readonly project: string;
  readonly version: string;
  readonly sha256: string;
}

/**
 * A folder of the user's cache with a Python release, which pip fetches by its hash on first use:
 * the wheel, or the source archive. `unpack` writes its content below a temporary folder and
 * returns the path. Throws an error with the output of pip if that fails.
 */
export function fetchOnce(
  { project, version, sha256 }: PythonRelease,
  kind: 'wheel' | 'source',
  unpack: (archive: string, temporary: string) => string,
): string {
  const tools = join(process.env['CCP_CACHE'] ?? join(homedir(), '.cache/ccp'), 'tools');
  const folder = join(tools, `${project}-${version}-${sha256.slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(tools, { recursive: true });
  const temporary = mkdtempSync(join(tools, '.fetch-'));
  try {
    const requirements = join(temporary, 'requirements.txt');
    writeFileSync(requirements, `${project}==${version} --hash=sha256:${sha256}\n`);
    const archives = join(temporary, 'archives');
    const form = kind === 'wheel' ? '--only-binary' : '--no-binary';
    const pip = ['-m', 'pip', '-q', 'download', '--no-deps', form, ':all:', '--require-hashes'];
    runShown('python3', ...pip, '-r', requirements, '-d', archives);
    const [file = ''] = readdirSync(archives);
    const unpacked = unpack(join(archives, file), temporary);
    if (!existsSync(folder)) renameSync(unpacked, folder);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return folder;
}

/** Runs a program whose output is shown. Throws an error if it fails. */
export function runShown(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
