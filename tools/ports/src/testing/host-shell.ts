import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { TarFile } from './tar-of.ts';

const COMMANDS = ['/bin/sh', '/bin/sleep', '/bin/cat'];

/**
 * A minimal root file system for shell scripts, below `root/` of a context: this machine's `sh`,
 * `sleep`, `cat` and the programs in `more` (absolute paths), with the shared libraries that `ldd`
 * lists. Test images with `FROM scratch` and `COPY root/ /` then need no registry.
 */
export function hostShell(more: readonly string[] = []): Readonly<Record<string, TarFile>> {
  const paths = new Set([...COMMANDS, ...more]);
  for (const command of [...paths]) {
    const listed = execFileSync('ldd', [command], { encoding: 'utf8' });
    for (const [, library] of listed.matchAll(/(\/\S+) \(0x[0-9a-f]+\)/g)) paths.add(library!);
  }
  return Object.fromEntries(
    [...paths].map((path) => [`root${path}`, { bytes: readFileSync(path), mode: 0o755 }]),
  );
}
