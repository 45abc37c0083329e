import type { LockRequest, LockResult } from './lock-request.ts';

/**
 * Resolves and writes locks, parents before children. Each lock is written when its image is
 * completely resolved, so after an error earlier images are locked and the others are unchanged.
 * Sources are resolved before any lock is written. Images with an up-to-date lock are skipped
 * unless `update` selects them. Raises the resolvers' errors: `debian-*`, `python-*`, `go-*`,
 * `npm-*`, `source-*`, `tool-missing`, `cancelled`.
 */
export async function resolveLocks(request: LockRequest): Promise<LockResult> {
  // Loaded on demand, since plan and build need only this package's checks.
  const { runResolution } = await import('./run-resolution.ts');
  return runResolution(request);
}
