import { omitUndefined } from '#core';
import type { Cluster } from '#ports';
import { type RenderedSite } from '#site';
import { guardedCluster } from '../session/guarded-cluster.ts';
import { takeLock } from '../session/lock.ts';
import { lockOptions, type RunOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';
import { runAsJob, type ActionRequest, type ActionResult } from './run-as-job.ts';

/**
 * Runs an action under the site's lock and waits for it. An unfinished run of the same action with
 * equal values is continued, so a killed ccp can be run again. Throws the errors of `takeLock`.
 */
export async function runAction(
  cluster: Cluster,
  site: SiteName,
  request: ActionRequest,
  options: RunOptions,
): Promise<ActionResult> {
  const { signal } = options;
  const lock = await takeLock(cluster, site, {
    ...lockOptions(options),
    ...omitUndefined({ signal }),
  });
  try {
    return await runAsJob(
      guardedCluster(cluster, () => lock.assertHeld()),
      site,
      request,
      {
        ...options,
        signal: AbortSignal.any([lock.signal, ...(signal === undefined ? [] : [signal])]),
      },
    );
  } finally {
    await lock.release();
  }
}

/** The requests for all checks of a revision. */
export function checkRequests(
  { actions }: Pick<RenderedSite, 'actions'>,
  revision: number,
): ActionRequest[] {
  return actions
    .filter(({ kind }) => kind === 'check')
    .map((action) => ({ action, parameters: {}, revision }));
}

/**
 * Runs checks in parallel. They do not change the site, so they take no lock and do not wait for
 * one.
 */
export async function runChecks(
  cluster: Cluster,
  site: SiteName,
  requests: readonly ActionRequest[],
  options: RunOptions,
): Promise<readonly ActionResult[]> {
  return await Promise.all(requests.map((request) => runAsJob(cluster, site, request, options)));
}
