import { join } from 'node:path';
import { buildPrograms } from '#cluster';
import { REPOSITORY } from './ccp.ts';
import { CLUSTER_CACHE } from './cluster/cluster-cache.ts';

/** Path of the gate, built from the sources of its image, once on a machine. */
export async function buildGate(): Promise<string> {
  const { gate } = await buildPrograms(
    [
      {
        name: 'gate',
        folder: join(REPOSITORY, 'images/gate/files/go'),
        programs: { gate: 'ccp/gate' },
        linkerFlags: [],
      },
    ],
    { cache: CLUSTER_CACHE, say: () => undefined },
  );
  return gate as string;
}
