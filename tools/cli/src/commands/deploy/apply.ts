import { CcpError } from '#core';
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
  type RenderedSite,
} from '#deploy';
import { readNamed } from '../../named-file.ts';
import { EXIT } from '../../exit-codes.ts';
import type { CommandContext } from '../../program.ts';
import { conflictRules, type ConflictFlags } from './conflict-rules.ts';
import { renderedSite, withCluster, type ClusterFlags, type RunningSite, type SetFlags } from './open-site.ts';

export interface ApplyFlags extends ClusterFlags, SetFlags, ConflictFlags {
  readonly contract?: boolean;
  readonly jobs?: number;
  readonly checks?: boolean;
}

/** `ccp deploy apply SITE [PLAN]`: makes the cluster hold the site; with a plan file exactly what that says. */
export async function apply(context: CommandContext, [name = '', file]: readonly string[], flags: ApplyFlags): Promise<number> {
  return await withCluster(context, name, flags, async (running) => {
    if (file === undefined)
      return await runApply(context, running, renderedSite(context, running.site, flags), applyChoices(flags, running.site), flags.checks);
    const approved = parseDeployPlan(readNamed(file, `make it: ccp deploy plan ${name} -o FILE`), file);
    if (approved.site !== name || approved.namespace !== running.site.namespace) {
      throw new CcpError({
        code: 'usage',
        message: `${file} is a plan of ${approved.site} in ${approved.namespace}, not of ${name} in ${running.site.namespace}`,
      });
    }
    const changes = approved.sources === undefined ? [] : sourceChanges(approved.sources, sourcesOf(running.site, readAppSpecsOf(context.root, running.site)));
    if (changes.length > 0) throw stalePlan(name, changes);
    const contract = flags.contract ?? !approved.steps.some(({ deferred }) => deferred !== undefined);
    return await runApply(context, running, approved.rendered, { ...applyChoices(flags, running.site), contract, approved }, flags.checks);
  });
}

/** What the flags of an apply and its site choose. */
export function applyChoices(flags: ApplyFlags, site: Pick<Site, 'conflicts'>): Pick<ApplyOptions, 'rules' | 'contract' | 'jobs'> {
  return { rules: conflictRules(flags, site), contract: flags.contract === true, ...(flags.jobs === undefined ? {} : { jobs: flags.jobs }) };
}

/** Applies, with `checks` runs the checks of what is well then, and prints what came of it; resolves with the exit code. */
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
  if (!checks && result.state === 'good' && wanted.length > 0) output.info(`its checks have not run: ccp deploy wait ${site.name} --checks`);
  if (result.state === 'cancelled' || (well && engine.signal.aborted)) return EXIT.cancelled;
  return well && checked.every(({ run }) => run.state === 'good') ? EXIT.done : EXIT.cluster;
}

/** An apply as JSON: `failures` has those of the foundation, of steps and of pruning, as `steps` has its own. */
export function resultJson({ plan, state, steps, failures, notPruned }: DeployResult): object {
  return {
    site: plan.site,
    revision: plan.revision,
    state,
    steps: Object.fromEntries(steps),
    failures: [...failures, ...stepFailures(steps)],
    ...(notPruned === undefined ? {} : { notPruned }),
  };
}
