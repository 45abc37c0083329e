import { stopCluster } from '#cluster';
import type { CommandContext } from '../program.ts';
import { statePaths } from '../state/paths.ts';

/** `ccp down`: ends the workspace's cluster and removes all that was made for it. */
export async function down({ root, output }: CommandContext): Promise<number> {
  const ran = await stopCluster(statePaths(root).cluster);
  output.result(ran ? 'the cluster is gone, with all its data' : 'no cluster was running', { stopped: ran });
  return 0;
}
