import { afterAll, beforeAll, expect, it } from 'vitest';
import { ccp } from '../helpers/ccp.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';
import { killedAt } from '../helpers/cluster/killed-at.ts';
import { startExampleCluster } from '../helpers/cluster/example-site.ts';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import type { TestCluster } from '../helpers/cluster/start-test-cluster.ts';

let test: TestCluster;
let workspace: TestWorkspace;
let imageSet: string;
beforeAll(async () => {
  test = await startExampleCluster();
  ({ workspace, imageSet } = exampleWorkspace());
});
afterAll(async () => {
  workspace?.remove();
  await test?.stop();
});

const apply = (): string[] => [
  'deploy',
  'apply',
  'example',
  '--set',
  imageSet,
  '--kubeconfig',
  test.kubeconfig,
  '--context',
  'test',
];

it('resumes a repeatedly killed apply without repairs', async () => {
  for (const text of [
    'created ConfigMap',
    'created StatefulSet/mariadb',
    '[keystone/setup/database] Job/',
  ])
    expect(await killedAt(text, workspace.root, apply()), text).toBe('SIGKILL');
  const last = await ccp(workspace.root, apply());
  expect(last.stdout).toBe('example: revision 1 is good, 12 of 12 steps done\n');
  expect(last.stderr).toContain('took over the lock of a run that ended');
  const again = await ccp(workspace.root, apply());
  expect(again.stdout).toBe(
    'example: revision 1 is already applied and healthy; nothing was written, 12 of 12 steps done\n',
  );
});
