import { join } from 'node:path';
import { readSite } from '#definitions/deploy';
import { REPOSITORY } from '../ccp.ts';
import { missingImageSet } from '../missing-image-set.ts';
import { testWorkspace, type TestWorkspace } from '../workspace.ts';
import { createVolumes } from './create-volumes.ts';
import { startTestCluster, type TestCluster } from './start-test-cluster.ts';

/** The site `example` of this repository. */
export const example = readSite(REPOSITORY, 'example');
/** The images of the site. */
export const EXAMPLE_IMAGES = [
  'keystone',
  'mariadb',
  'memcached',
  'openstack-base',
  'rabbitmq',
] as const;

/**
 * A test cluster with three nodes, and `volumes` volumes of each storage class of the site
 * `example`.
 */
export async function startExampleCluster(volumes = 3): Promise<TestCluster> {
  const test = await startTestCluster({ nodes: 3 });
  await createVolumes(test.cluster, Object.values(example.storage), volumes);
  return test;
}

/**
 * A workspace that can deploy the site `example`, and the path of an image set. Its images do not
 * exist: the nodes are simulated.
 */
export function exampleWorkspace(): {
  readonly workspace: TestWorkspace;
  readonly imageSet: string;
} {
  const workspace = testWorkspace();
  workspace.take('images', 'deploy-specs');
  workspace.write('set.json', missingImageSet(EXAMPLE_IMAGES));
  return { workspace, imageSet: join(workspace.root, 'set.json') };
}
