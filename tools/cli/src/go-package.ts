import { onPath } from '#host';
import type { LockedFile } from '#inputs';
import type { Cache } from '#inputs/fetch';
import type { Settings } from './settings.ts';

export interface GoAsked {
  readonly files: readonly LockedFile[];
  readonly cache: Pick<Cache, 'sizeOf'>;
  readonly settings: Pick<Settings, 'mirrors'>;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * The Debian package whose `go` knows the default proxy of Go modules: where files of modules have to be fetched, and neither the
 * settings nor GOPROXY name a proxy, nor is there a `go` to ask.
 */
export function missingGoPackage({ files, cache, settings, env }: GoAsked): readonly string[] {
  if (settings.mirrors?.go !== undefined || (env['GOPROXY'] ?? '') !== '' || onPath('go', env['PATH'] ?? '')) return [];
  return files.some((file) => file.kind === 'go' && cache.sizeOf(file.sha256) === undefined) ? ['golang-go'] : [];
}
