import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clusterSuite, fakeCluster, startFakeApiServer } from '#ports/testing';
import { connectCluster } from './connect-cluster.ts';

clusterSuite('the client on a server of ours', async () => {
  const server = await startFakeApiServer(fakeCluster());
  const folder = await mkdtemp(join(tmpdir(), 'ccp-client-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, server.kubeconfig);
  const { cluster, close } = await connectCluster({ kubeconfig, pageSize: 5 });
  return {
    cluster,
    close: async () => {
      close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
});
