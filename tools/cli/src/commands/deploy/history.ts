import { readRecords, type RevisionRecord } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { withCluster, type ClusterFlags } from './open-site.ts';

/** `ccp deploy history SITE`: the revisions that the cluster keeps, newest first. */
export async function history(context: CommandContext, [name = '']: readonly string[], flags: ClusterFlags): Promise<number> {
  return await withCluster(context, name, flags, async ({ site, cluster }) => {
    const records = [...(await readRecords(cluster, site))].reverse();
    context.output.result(records.length === 0 ? `${site.name} has no revision on ${cluster.name}` : records.flatMap(recordLines).join('\n'), records);
    return 0;
  });
}

function recordLines({ revision, state, startedAt, endedAt, by, rollbackTo, failures = [], images }: RevisionRecord): string[] {
  const back = rollbackTo === undefined ? '' : `, back to ${rollbackTo}`;
  const pictures = Object.entries(images).map(([image, digest]) => `${image}@${digest.slice('sha256:'.length, 'sha256:'.length + 12)}`);
  return [`${String(revision).padStart(4)}  ${state.padEnd(7)}  ${endedAt ?? startedAt}  ${by}${back}`, `      ${pictures.join(' ')}`, ...failures.map((line) => `      x ${line}`)];
}
