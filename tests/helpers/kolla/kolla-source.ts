import { join } from 'node:path';
import { fetchOnce, runShown } from '../fetch-once.ts';

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
  const release = { project: 'kolla', version, sha256 };
  const folder = fetchOnce(release, 'source', (archive, temporary) => {
    runShown('tar', '-xzf', archive, '-C', temporary);
    return join(temporary, `kolla-${version}`);
  });
  return join(folder, 'docker');
}
