import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Cache of programs, shared with `ccp up`: `~/.cache/ccp/kubernetes`; CCP_CACHE and XDG_CACHE_HOME
 * change it.
 */
export const CLUSTER_CACHE = join(
  process.env['CCP_CACHE'] ??
    join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'ccp'),
  'kubernetes',
);
