import type { Cluster } from '#ports';
import { findAction } from '../actions/find-action.ts';
import {
  runAsJob,
  unfinishedRun,
  type ActionRequest,
  type ActionResult,
} from '../actions/run-as-job.ts';
import type { RunOptions } from '../session/run-options.ts';
import type { SiteName } from '../session/site-name.ts';

/**
 * Runs the action that an action needs before anything stops, with the same image and values.
 * Resolves with its result if it was not good, otherwise with `undefined`. An unfinished run of the
 * action itself was checked before it started.
 */
export async function runPrecheck(
  cluster: Cluster,
  site: SiteName,
  request: ActionRequest,
  options: Omit<RunOptions, 'run'>,
): Promise<ActionResult | undefined> {
  const { action, parameters, revision } = request;
  if (action.precheck === undefined) return undefined;
  if ((await unfinishedRun(cluster, site, request)) !== undefined) return undefined;
  const { action: check } = await findAction(cluster, site, action.precheck, revision);
  const values = Object.fromEntries(
    Object.entries(parameters).filter(([name]) => Object.hasOwn(check.parameters, name)),
  );
  const result = await runAsJob(
    cluster,
    site,
    { action: check, parameters: values, revision },
    options,
  );
  return result.run.state === 'good' ? undefined : result;
}
