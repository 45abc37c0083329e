import { omitUndefined } from '#core';
import type { Site } from '#definitions';
import {
  applySite,
  checkLines,
  checkRequests,
  resultLines,
  runChecks,
  stepFailures,
  type ApplyOptions,
  type DeployResult,
} from '#rollout';
import type { RenderedSite } from '#site';
import type { CommandContext } from '../../command.ts';
import { EXIT } from '../../report/exit-codes.ts';
import { conflictRules, type ConflictFlags } from './conflict-rules.ts';
import type { TrustFlags } from '../registry-place.ts';
import type { ClusterFlags, RunningSite, SetFlags } from './open-site.ts';

export interface ApplyFlags extends ClusterFlags, SetFlags, TrustFlags, ConflictFlags {
  readonly contract?: boolean;
  readonly jobs?: number;
  readonly checks?: boolean;
}

/** Apply options from the flags and the site. */
export function applyChoices(
  flags: ApplyFlags,
  site: Pick<Site, 'conflicts'>,
): Pick<ApplyOptions, 'rules' | 'contract' | 'jobs'> {
  return {
    rules: conflictRules(flags, site),
    contract: flags.contract === true,
    ...omitUndefined({ jobs: flags.jobs }),
  };
}

/**
 * Applies the site, with `checks` also runs its checks if it is healthy, and prints the result;
 * resolves with the exit code.
 */
export async function runApply(
  { output }: CommandContext,
  { site, cluster, engine }: RunningSite,
  rendered: RenderedSite,
  choices: Partial<ApplyOptions>,
  checks = false,
): Promise<number> {
  const result = await applySite(cluster, site, rendered, { ...engine, ...choices });
  const wanted = checkRequests(rendered, result.plan.revision);
  const well = result.state === 'good' || result.state === 'unchanged';
  const checked = checks && well ? await runChecks(cluster, site, wanted, engine) : [];
  output.result([...resultLines(result), ...checkLines(checked)].join('\n'), {
    ...resultJson(result),
    ...(checks ? { checks: checked.map(({ run }) => run) } : {}),
  });
  if (!checks && result.state === 'good' && wanted.length > 0)
    output.info(`checks did not run; run them with \`ccp deploy wait ${site.name} --checks\``);
  if (result.state === 'cancelled' || (well && engine.signal.aborted)) return EXIT.cancelled;
  return well && checked.every(({ run }) => run.state === 'good') ? EXIT.done : EXIT.cluster;
}

/** The result of an apply as JSON; `failures` has those of the foundation, steps and pruning. */
export function resultJson({
  plan,
  state,
  steps,
  failures,
  notPruned,
  away,
}: DeployResult): object {
  return {
    site: plan.site,
    revision: plan.revision,
    state,
    steps: Object.fromEntries(steps),
    failures: [...failures, ...stepFailures(steps)],
    ...(away.length === 0 ? {} : { away }),
    ...omitUndefined({ notPruned }),
  };
}
