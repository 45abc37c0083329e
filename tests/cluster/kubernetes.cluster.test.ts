import { afterAll, beforeAll } from 'vitest';
import { connectCluster } from '#engines';
import { clusterSuite } from '#ports/testing';
import { startTestCluster, type TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
beforeAll(async () => {
  test = await startTestCluster();
});
afterAll(async () => {
  await test?.stop();
});

clusterSuite('a real API server', async () => {
  const { cluster, close } = await connectCluster({ kubeconfig: test.kubeconfig, pageSize: 5 });
  return { cluster, close: async () => close() };
});
