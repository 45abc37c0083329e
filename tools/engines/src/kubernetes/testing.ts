import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '#ports';
import {
  fakeCluster,
  startFakeApiServer,
  type FakeApiServer,
  type FakeCluster,
} from '#ports/testing';
import { connectCluster, type ConnectClusterOptions } from './connect-cluster.ts';

/** The client, connected to a fake API server in this process. */
export interface ClientUnderTest {
  readonly cluster: Cluster;
  readonly fake: FakeCluster;
  readonly server: FakeApiServer;
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** Connects the client to a fake API server, with short retry intervals. */
export async function clientUnderTest(
  options: ConnectClusterOptions & { readonly bookmarkMs?: number } = {},
): Promise<ClientUnderTest> {
  const { bookmarkMs, ...more } = options;
  const fake = fakeCluster();
  const server = await startFakeApiServer(fake, bookmarkMs === undefined ? {} : { bookmarkMs });
  const folder = await mkdtemp(join(tmpdir(), 'ccp-client-'));
  const kubeconfig = join(folder, 'config');
  await writeFile(kubeconfig, server.kubeconfig);
  const { cluster, close } = await connectCluster({
    kubeconfig,
    retry: { firstWaitMs: 5, longestWaitMs: 20, unknownMs: 200, knownMs: 2_000 },
    watchLimits: { firstWaitMs: 5, longestWaitMs: 20 },
    ...more,
  });
  return {
    cluster,
    fake,
    server,
    kubeconfig,
    close: async () => {
      close();
      await server.close();
      await rm(folder, { recursive: true });
    },
  };
}
