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

/** Releases of the Python project kolla, with the SHA-256 of the source distribution. */
const RELEASES: Readonly<Record<string, readonly [version: string, sha256: string]>> = {
  '2025.2': ['21.3.0', '5c1d9532f4c6da73277b6ff0bcb6a9b0500b7af3a6435eba0d455b885ce8e9bc'],
  '2026.1': ['22.2.0', 'b1086703ea005f9c7b4e3c9a22d9490d244664393c16632e8188b5a067c5995b'],
};

/**
 * Folder `docker` of Kolla's sources for a series, which pip fetches by hash into the user's cache
 * on first use. Throws an error with the output of pip if that fails.
 */
export function kollaSource(series: string): string {
  const [version, sha256] = RELEASES[series]!;
  const tools = join(process.env['CCP_CACHE'] ?? join(homedir(), '.cache/ccp'), 'tools');
  const folder = join(tools, `kolla-${version}-${sha256.slice(0, 12)}`);
  if (existsSync(folder)) return join(folder, 'docker');
  mkdirSync(tools, { recursive: true });
  const partial = mkdtempSync(join(tools, '.fetch-'));
  try {
    const requirements = join(partial, 'requirements.txt');
    writeFileSync(requirements, `kolla==${version} --hash=sha256:${sha256}\n`);
    const archive = join(partial, 'archive');
    run(
      'python3',
      '-m',
      'pip',
      '-q',
      'download',
      '--no-deps',
      '--no-binary',
      ':all:',
      '--require-hashes',
      '-r',
      requirements,
      '-d',
      archive,
    );
    const [file = ''] = readdirSync(archive);
    run('tar', '-xzf', join(archive, file), '-C', partial);
    if (!existsSync(folder)) renameSync(join(partial, `kolla-${version}`), folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return join(folder, 'docker');
}

function run(program: string, ...args: readonly string[]): void {
  execFileSync(program, args, { stdio: ['ignore', 'inherit', 'inherit'] });
}
