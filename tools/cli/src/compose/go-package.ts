import type { Cache } from '#fetch';
import type { LockedFile } from '#fetch/keys';
import { isInPath } from '#host';
import type { Settings } from './settings.ts';

export interface GoAsked {
  readonly files: readonly LockedFile[];
  readonly cache: Pick<Cache, 'sizeOf'>;
  readonly settings: Pick<Settings, 'mirrors'>;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The Debian package with `go`, whose default module proxy is needed: if Go modules must be
 * fetched, no proxy is set in the settings or GOPROXY, and `go` is not installed.
 */
export function missingGoPackage({ files, cache, settings, env }: GoAsked): readonly string[] {
  if (
    settings.mirrors?.go !== undefined ||
    (env['GOPROXY'] ?? '') !== '' ||
    isInPath('go', env['PATH'] ?? '')
  )
    return [];
  return files.some((file) => file.kind === 'go' && cache.sizeOf(file.sha256) === undefined)
    ? ['golang-go']
    : [];
}
