import type { ActionRun, LockHolder, RevisionRecord } from '#rollout';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER } from '../../options.ts';

/**
 * `ccp deploy history SITE`: the revisions that the cluster keeps, newest first, and the runs of
 * actions and checks.
 */
export const history: CommandDefinition<ClusterFlags> = {
  usage: 'history <site>',
  description: 'list the revisions stored in the cluster, and past runs of actions and checks',
  options: CLUSTER,
  examples: ['ccp deploy history example'],
  run: async (context, [name = ''], flags) => {
    const { lockHolder, readRecords, readRuns } = await import('#rollout');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    return await withCluster(context, name, flags, async ({ site, cluster }) => {
      const revisions = [...(await readRecords(cluster, site))].reverse();
      const runs = [...(await readRuns(cluster, site))].reverse();
      const holder =
        revisions[0]?.state === 'running' ? await lockHolder(cluster, site) : undefined;
      const lines = [
        ...revisions.flatMap((record) => recordLines(record, holder)),
        ...runs.flatMap(runLines),
      ];
      context.output.result(
        lines.length === 0 ? `${site.name} has no revision on ${cluster.name}` : lines.join('\n'),
        { revisions, runs },
      );
      return 0;
    });
  },
};

/** The lines of a revision; for a `running` one with the holder of the site's lock. */
export function recordLines(record: RevisionRecord, holder: LockHolder | undefined): string[] {
  const { revision, state, startedAt, endedAt, by, rollbackTo, failures = [], images } = record;
  const back = rollbackTo === undefined ? '' : `, back to ${rollbackTo}`;
  const digests = Object.entries(images).map(
    ([image, digest]) => `${image}@${digest.slice('sha256:'.length, 'sha256:'.length + 12)}`,
  );
  return [
    `${String(revision).padStart(4)}  ${state.padEnd(7)}  ${endedAt ?? startedAt}  ${by}${back}`,
    `      ${digests.join(' ')}`,
    ...(state === 'running' ? [`      ${runnerText(holder)}`] : []),
    ...failures.map((line) => `      x ${line}`),
  ];
}

function runnerText(holder: LockHolder | undefined): string {
  if (holder === undefined) return 'its run was interrupted; the next apply continues it';
  return `${holder.name} holds the lock of the site, renewed at ${holder.renewedAt}`;
}

function runLines({
  run,
  action,
  kind,
  parameters,
  state,
  startedAt,
  endedAt,
  by,
  reason,
}: ActionRun): string[] {
  const values = Object.entries(parameters)
    .map(([name, value]) => ` ${name}=${value}`)
    .join('');
  return [
    `run ${run}  ${state.padEnd(7)}  ${endedAt ?? startedAt}  ${by}: ${kind} ${action}${values}`,
    ...(reason === undefined ? [] : [`      x ${reason}`]),
  ];
}
