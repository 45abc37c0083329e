import { CcpError } from '#core';
import type { RevisionRecord } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { withCluster, type ClusterFlags } from '../deploy/open-site.ts';

/** The images of a site by its last successful revision. */
export interface RunningImages {
  readonly site: string;
  readonly revision: number;
  /** Image name -> digest. */
  readonly images: Readonly<Record<string, string>>;
}

/**
 * Reads from a site's cluster which images its last successful revision runs. Throws
 * `deploy-no-revision` without one.
 */
export async function runningImages(
  context: CommandContext,
  name: string,
  flags: ClusterFlags,
): Promise<RunningImages> {
  const { readRecords } = await import('#rollout');
  const records = await withCluster(context, name, flags, ({ site, cluster }) =>
    readRecords(cluster, site),
  );
  const last = lastGood(records);
  if (last === undefined)
    throw new CcpError({
      code: 'deploy-no-revision',
      message: `${name} has no successful revision`,
      hint: 'deploy it first: ccp deploy apply',
    });
  return { site: name, revision: last.revision, images: last.images };
}

function lastGood(records: readonly RevisionRecord[]): RevisionRecord | undefined {
  return records.findLast(({ state }) => state === 'good');
}
