import { execFileSync } from 'node:child_process';
import {
  chmodSync,
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

/** A program in a wheel for Linux on x86-64. */
export interface PythonTool {
  /** Project in Python's index. */
  readonly project: string;
  readonly version: string;
  /** SHA-256 of the wheel. */
  readonly sha256: string;
  readonly program: string;
}

/**
 * Path of a development tool, which pip fetches by its hash into the user's cache on first use.
 * Throws an error with the output of pip if that fails.
 */
export function pythonTool({ project, version, sha256, program }: PythonTool): string {
  const tools = join(process.env['CCP_CACHE'] ?? join(homedir(), '.cache/ccp'), 'tools');
  const folder = join(tools, `${project}-${version}-${sha256.slice(0, 12)}`);
  const path = join(folder, `${project.replaceAll('-', '_')}-${version}.data/scripts/${program}`);
  if (existsSync(path)) return path;
  mkdirSync(tools, { recursive: true });
  const partial = mkdtempSync(join(tools, '.fetch-'));
  try {
    const requirements = join(partial, 'requirements.txt');
    writeFileSync(requirements, `${project}==${version} --hash=sha256:${sha256}\n`);
    const pip = ['-m', 'pip', '-q', 'download', '--no-deps', '--only-binary', ':all:'];
    python(...pip, '--require-hashes', '-r', requirements, '-d', join(partial, 'wheel'));
    const [wheel = ''] = readdirSync(join(partial, 'wheel'));
    python('-m', 'zipfile', '-e', join(partial, 'wheel', wheel), join(partial, 'tool'));
    chmodSync(join(partial, 'tool', path.slice(folder.length + 1)), 0o755);
    if (!existsSync(folder)) renameSync(join(partial, 'tool'), folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return path;
}

function python(...words: readonly string[]): void {
  execFileSync('python3', words, { stdio: ['ignore', 'inherit', 'inherit'] });
}
