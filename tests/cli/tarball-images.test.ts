import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';
import type { ImageStore } from '#ports';
import type { ImageSet } from '#release';
import { connectRegistry, openStore } from '#store';
import { startControllers } from '../../tools/rollout/src/testing/fake-controllers.ts';
import { faultyProxy, type FaultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';
import { createVolumes } from '../helpers/cluster/create-volumes.ts';
import { EXAMPLE_IMAGES, exampleWorkspace } from '../helpers/example-workspace.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { storedImageSet } from '../helpers/stored-image-set.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const cluster = fakeCluster();
let server: FakeApiServer;
let workspace: TestWorkspace;
let remote: ImageStore;
let registry: FaultyProxy;
const path = (name: string): string => join(workspace.root, name);
const run = (...args: readonly string[]) => runInProcess(workspace.root, args);
const exported = (file: string) =>
  run('export', 'tarball', 'example', '--set', path('set.json'), '-o', file, '--images');

beforeAll(async () => {
  startControllers(cluster, () => 'well');
  await createVolumes(cluster, ['standard'], 0);
  server = await startFakeApiServer(cluster, { bookmarkMs: 20 });
  ({ workspace } = exampleWorkspace());
  remote = await openStore({ folder: path('registry') });
  registry = await faultyProxy(remote);
  const site = 'deploy-specs/example/site.yaml';
  workspace.write(
    site,
    readFileSync(path(site), 'utf8')
      .replace('database: fast', 'database: standard')
      .replace('registry.example.org/ccp', `${registry.address}/ccp`),
  );
  workspace.write('kubeconfig', server.kubeconfig);
  workspace.write('set.json', await storedImageSet(workspace.root, [...EXAMPLE_IMAGES, 'gate']));
}, 180_000);
afterAll(async () => {
  await registry?.close();
  await remote?.close();
  await server?.close();
  workspace?.remove();
});

it('leaves neither images nor folders behind if the tarball cannot be written', async () => {
  symlinkSync(path('missing/example.tgz'), path('link.tgz'));
  const failed = await exported(path('link.tgz'));
  expect([failed.exitCode, existsSync(path('link-images'))]).toEqual([2, false]);
  const mistyped = await exported(path('missing/example.tgz'));
  expect([mistyped.exitCode, existsSync(path('missing'))]).toEqual([2, false]);
  rmSync(path('link.tgz'));
  expect(readdirSync(workspace.root).filter((name) => name.includes('partial'))).toEqual([]);
});

it('loads the images of the folder into the registry of the site before an apply', async () => {
  const written = await exported(path('example.tgz'));
  expect([written.exitCode, existsSync(path('example-images/load-images.sh'))]).toEqual([0, true]);
  const at = ['--kubeconfig', path('kubeconfig')];
  const uploaded = await run('application', 'upload', path('example.tgz'), ...at);
  expect(uploaded.exitCode, uploaded.stderr).toBe(0);
  const missing = await run('application', 'apply', 'example', '--images', path('images'), ...at);
  expect([missing.exitCode, missing.stderr]).toEqual([
    2,
    expect.stringContaining(`${path('images')} is not an OCI layout`),
  ]);
  const images = ['--images', path('example-images')];
  const applied = await run('application', 'apply', 'example', ...images, ...at);
  expect(applied.exitCode, applied.stderr).toBe(0);
  expect(applied.stderr).toMatch(/6 images of \S+ loaded into 127\.0\.0\.1:\d+\/ccp\n/);
  const set = JSON.parse(readFileSync(path('set.json'), 'utf8')) as ImageSet;
  const client = await connectRegistry({ host: registry.address });
  for (const { name, version, digest } of set.images)
    expect(await client.manifestDigest(`ccp/${name}`, version), name).toBe(digest);
  const shown = await run('application', 'show', 'example', ...at);
  expect(shown.stdout).toMatch(/^example 2026\.1-0 is applied, /);
}, 180_000);
