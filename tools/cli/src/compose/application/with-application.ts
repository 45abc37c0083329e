import type { ApplicationEngine } from '#application';
import { omitUndefined } from '#core';
import type { Cluster } from '#ports';
import type { CommandContext } from '../../command.ts';
import { withConnection, type ClusterFlags } from '../deploy/open-site.ts';

/** Runs `work` with the cluster of the flags, for the verbs of `#application`. */
export async function withApplications<T>(
  { output }: Pick<CommandContext, 'output'>,
  { kubeconfig, context }: ClusterFlags,
  work: (
    engine: ApplicationEngine & { readonly signal: AbortSignal },
    cluster: Cluster,
  ) => Promise<T>,
): Promise<T> {
  return await withConnection(
    { output },
    omitUndefined({ kubeconfig, context }),
    async ({ cluster, engine }) => await work({ ...engine, cluster, note: output.info }, cluster),
  );
}
