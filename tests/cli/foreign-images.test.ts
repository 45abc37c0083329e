import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubernetesObject } from '#ports';
import { podsOf } from '#site';
import { exampleWorkspace } from '../helpers/example-workspace.ts';
import { missingImageSet } from '../helpers/missing-image-set.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const FOREIGN = ['keystone', 'mariadb', 'memcached', 'rabbitmq'];
let workspace: TestWorkspace;
beforeAll(() => {
  ({ workspace } = exampleWorkspace());
  // The set has no image of an app: nothing of them was built.
  workspace.write('set.json', missingImageSet(['openstack-base', 'gate']));
  const path = 'deploy-specs/example/site.yaml';
  const external = FOREIGN.map(
    (name, index) =>
      `  ${name}: { reference: "registry.test/${name}@sha256:${String(index).repeat(64)}", runtime: plain }\n`,
  );
  const site = readFileSync(join(workspace.root, path), 'utf8');
  workspace.write(path, `${site}external:\n${external.join('')}`);
});
afterAll(() => workspace.remove());

it('renders a site whose apps all run images of others', async () => {
  const set = ['--set', join(workspace.root, 'set.json')];
  const { exitCode, stdout, stderr } = await runInProcess(workspace.root, [
    ...['render', 'example', '--json'],
    ...set,
  ]);
  expect(exitCode, stderr).toBe(0);
  const pods = podsOf(JSON.parse(stdout) as readonly KubernetesObject[]);
  const images = pods.flatMap(({ pod }) =>
    (pod.containers as readonly { readonly image: string }[]).map(({ image }) => image),
  );
  const names = [...new Set(images.map((image) => image.replace(/@sha256:[0-9a-f]{64}$/, '')))];
  expect(names.sort()).toEqual([
    'registry.example.org/ccp/openstack-base',
    ...FOREIGN.map((name) => `registry.test/${name}`),
  ]);
  for (const format of ['yaml', 'chart']) {
    const out = ['-o', join(workspace.root, format)];
    const exported = await runInProcess(workspace.root, [
      ...['export', format, 'example', ...set],
      ...out,
    ]);
    expect(exported.exitCode, exported.stderr).toBe(0);
  }
});

it('names an image that is neither in the set nor external', async () => {
  const path = 'deploy-specs/example/site.yaml';
  const site = readFileSync(join(workspace.root, path), 'utf8');
  workspace.write(path, site.replace(/^ {2}memcached: \{ reference.*\n/m, ''));
  const { exitCode, stderr } = await runInProcess(workspace.root, [
    ...['render', 'example', '--set', join(workspace.root, 'set.json')],
  ]);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining('memcached')]);
});
