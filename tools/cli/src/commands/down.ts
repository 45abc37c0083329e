import { stopCluster } from '#cluster';
import type { CommandContext } from '../command.ts';
import { statePaths } from '../state/paths.ts';

/** `ccp down`: stops the workspace's cluster and deletes all its data. */
export async function down({ root, output }: CommandContext): Promise<number> {
  const ran = await stopCluster(statePaths(root).cluster, output.info);
  output.result(ran ? 'the cluster and all its data were deleted' : 'no cluster was running', {
    stopped: ran,
  });
  return 0;
}
