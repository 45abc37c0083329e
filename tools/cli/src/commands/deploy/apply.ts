import { CcpError, omitUndefined } from '#core';
import type { Site } from '#definitions';
import { readAppSpecsOf } from '#definitions/deploy';
import {
  applySite,
  checkLines,
  checkRequests,
  parseDeployPlan,
  resultLines,
  runChecks,
  sourceChanges,
  sourcesOf,
  stalePlan,
  stepFailures,
  type ApplyOptions,
  type DeployResult,
} from '#rollout';
import type { RenderedSite } from '#site';
import type { CommandContext } from '../../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { readNamed } from '../../named-file.ts';
import { conflictRules, type ConflictFlags } from './conflict-rules.ts';
import {
  renderedSite,
  withCluster,
  type ClusterFlags,
  type RunningSite,
  type SetFlags,
} from './open-site.ts';

export interface ApplyFlags extends ClusterFlags, SetFlags, ConflictFlags {
  readonly contract?: boolean;
  readonly jobs?: number;
  readonly checks?: boolean;
}

/** `ccp deploy apply SITE [PLAN]`: deploys the site, or exactly the changes in a plan file. */
export async function apply(
  context: CommandContext,
  [name = '', file]: readonly string[],
  flags: ApplyFlags,
): Promise<number> {
  return await withCluster(context, name, flags, async (running) => {
    if (file === undefined)
      return await runApply(
        context,
        running,
        renderedSite(context, running.site, flags),
        applyChoices(flags, running.site),
        flags.checks,
      );
    const approved = parseDeployPlan(
      readNamed(file, `make one with \`ccp deploy plan ${name} -o FILE\``),
      file,
    );
    if (approved.site !== name || approved.namespace !== running.site.namespace) {
      throw new CcpError({
        code: 'usage',
        message: `${file} is a plan for ${approved.site} in ${approved.namespace}, not for ${name} in ${running.site.namespace}`,
      });
    }
    const changes =
      approved.sources === undefined
        ? []
        : sourceChanges(
            approved.sources,
            sourcesOf(running.site, readAppSpecsOf(context.root, running.site)),
          );
    if (changes.length > 0) throw stalePlan(name, changes);
    const contract =
      flags.contract ?? !approved.steps.some(({ deferred }) => deferred !== undefined);
    return await runApply(
      context,
      running,
      approved.rendered,
      { ...applyChoices(flags, running.site), contract, approved },
      flags.checks,
    );
  });
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
export function resultJson({ plan, state, steps, failures, notPruned }: DeployResult): object {
  return {
    site: plan.site,
    revision: plan.revision,
    state,
    steps: Object.fromEntries(steps),
    failures: [...failures, ...stepFailures(steps)],
    ...omitUndefined({ notPruned }),
  };
}
