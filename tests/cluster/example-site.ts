import { join } from 'node:path';
import { readSite } from '#definitions/deploy';
import { REPOSITORY } from '../support/ccp.ts';
import { nowhereImages } from '../support/nowhere-images.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';
import { makeVolumes } from './make-volumes.ts';
import { startTestCluster, type TestCluster } from './start-test-cluster.ts';

/** The site `example` of this repository. */
export const example = readSite(REPOSITORY, 'example');
/** The images that it runs. */
export const EXAMPLE_IMAGES = ['keystone', 'mariadb', 'memcached', 'openstack-base', 'rabbitmq'] as const;

/** A test cluster of three nodes with so many volumes of each class that the site `example` names. */
export async function startExampleCluster(volumes = 3): Promise<TestCluster> {
  const test = await startTestCluster({ nodes: 3 });
  await makeVolumes(test.cluster, Object.values(example.storage), volumes);
  return test;
}

/** A workspace that can deploy the site `example`, and the path of an image set in it whose images are nowhere, which no node here minds. */
export function exampleWorkspace(): { readonly workspace: TestWorkspace; readonly imageSet: string } {
  const workspace = testWorkspace();
  workspace.take('images', 'deploy-specs');
  workspace.write('set.json', nowhereImages(EXAMPLE_IMAGES));
  return { workspace, imageSet: join(workspace.root, 'set.json') };
}
