import { readSite } from '#definitions/deploy';
import { REPOSITORY } from '../ccp.ts';
import { createVolumes } from './create-volumes.ts';
import { startTestCluster, type TestCluster } from './start-test-cluster.ts';

/** The site `example` of this repository. */
export const example = readSite(REPOSITORY, 'example');

/**
 * A test cluster with three nodes, and `volumes` volumes of each storage class of the site
 * `example`.
 */
export async function startExampleCluster(volumes = 3): Promise<TestCluster> {
  const test = await startTestCluster({ nodes: 3 });
  await createVolumes(test.cluster, Object.values(example.storage), volumes);
  return test;
}
