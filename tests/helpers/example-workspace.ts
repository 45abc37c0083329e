import { join } from 'node:path';
import { missingImageSet } from './missing-image-set.ts';
import { testWorkspace, type TestWorkspace } from './workspace.ts';

/** The images of the site `example` of this repository. */
export const EXAMPLE_IMAGES = [
  'keystone',
  'mariadb',
  'memcached',
  'openstack-base',
  'rabbitmq',
] as const;

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
