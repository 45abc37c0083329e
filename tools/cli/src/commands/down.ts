import type { CommandDefinition } from '../command.ts';
import { statePaths } from '../state/paths.ts';

/** `ccp down`: stops the workspace's cluster and deletes all its data. */
export const down: CommandDefinition = {
  usage: 'down',
  description: 'stop the cluster of ccp up and delete all its data',
  examples: ['ccp down'],
  run: async ({ root, output }) => {
    const { stopCluster } = await import('#cluster');
    const ran = await stopCluster(statePaths(root).cluster, output.info);
    output.result(ran ? 'the cluster and all its data were deleted' : 'no cluster was running', {
      stopped: ran,
    });
    return 0;
  },
};
