import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRelease, publishSet, signerOf, type ImageSet } from '#release';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';
import { connectRegistry } from '#store';
import { memoryImages } from '../../tools/release/src/testing/memory-images.ts';
import { exampleInputs } from '../../tools/release/src/testing/statement-inputs.ts';
import { writeRecord } from '../../tools/rollout/src/record/record-store.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const cluster = fakeCluster();
let server: FakeApiServer;
let test: PublishingTest;
let workspace: TestWorkspace;
let set: ImageSet;

const record = (revision: number, state: 'good' | 'failed', images: Record<string, string>) =>
  writeRecord(
    cluster,
    { name: 'example', namespace: 'openstack' },
    {
      format: 1,
      site: 'example',
      revision,
      state,
      content: 'a',
      startedAt: '2026-11-01T00:00:00Z',
      by: 'jo@host',
      images,
      secrets: [],
      parts: 0,
    },
  );

beforeAll(async () => {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'openstack' } };
  await cluster.apply(namespace, { fieldManager: 'test', force: true });
  server = await startFakeApiServer(cluster, { bookmarkMs: 20 });
  test = await publishingTest();
  workspace = await test.workspace();
  workspace.take('deploy-specs/example');
  workspace.write('kubeconfig', server.kubeconfig);
  const key = join(test.folder, 'release.key');
  await test.run(workspace, 'keygen', key);
  workspace.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
  workspace.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  const trixie = { status: 'open', repositories: {}, urgency: 'low' };
  const tracker = { openldap: { 'CVE-2026-1001': { releases: { trixie } } } };
  workspace.write('tracker.json', JSON.stringify(tracker));
  const place = {
    registry: await connectRegistry({ host: test.registry.address, plainHttp: true }),
    prefix: 'ccp',
  };
  const made = memoryImages(['base', 'nova']);
  ({ set } = made);
  const signer = signerOf(readFileSync(key, 'utf8'), 'release.key', undefined);
  const statements = async () => exampleInputs();
  const options = { place, ...made, signer, keys: [signer.key], statements };
  const { digest } = await publishSet(options);
  await createRelease({ place, digest, series: set.series, version: '2026.1.0', signer });
});
afterAll(async () => {
  await server?.close();
  await test?.close();
});

const cves = (...args: readonly string[]) =>
  test.run(
    workspace,
    'cves',
    ...args,
    ...['--from', `${test.registry.address}/ccp`],
    ...['--debian', join(workspace.root, 'tracker.json')],
    ...['--kubeconfig', join(workspace.root, 'kubeconfig'), '--context', 'fake'],
  );

it('refuses a site that was never deployed', async () => {
  expect(await cves('example')).toMatchObject({
    exitCode: 7,
    stderr: expect.stringContaining('example has no successful revision'),
  });
});

it('compares the images of the last successful revision, by digest', async () => {
  const { digest } = set.images.find(({ name }) => name === 'nova')!;
  const lost = `sha256:${'0'.repeat(64)}`;
  await record(1, 'good', { nova: digest, gone: lost });
  await record(2, 'failed', {});
  const { exitCode, stdout } = await cves('example');
  expect(stdout.split('\n')).toEqual([
    'CVE-2026-1001  without a fix  debian openldap 2.6.10+dfsg-1',
    '  packages: libldap2',
    '  images: nova',
    '  sites: example',
    `not checked: all packages of gone: no set lists ${lost}`,
    'not checked: 2 Python packages: no --osv data',
    'example, revision 1, 1 image: 1 without a fix',
  ]);
  expect(exitCode).toBe(0);
});

it('marks the sites that run images of a release', async () => {
  const { stdout } = await cves('2026.1.0', '--site', 'example');
  expect(stdout.split('\n').slice(1, 4)).toEqual([
    '  packages: libldap2',
    '  images: base, nova',
    '  sites: example',
  ]);
});
