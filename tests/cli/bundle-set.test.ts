import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseImageSet } from '#release';
import { openContent, readStoreIndex } from '#store';
import { withBundleSet } from '../../tools/cli/src/compose/deploy/bundle-set.ts';
import { processOutput } from '../../tools/cli/src/report/output.ts';
import { publishingTest, type PublishingTest } from '../helpers/published-workspace.ts';
import type { TestWorkspace } from '../helpers/workspace.ts';

const SITE = `schema: 1.0.0
cluster: { context: ccp }
namespace: cloud
series: "2026.1"
registry: ccp.local
region: RegionOne
roles: { control-plane: [control-plane] }
storage: { default: folder }
apps: { base: {} }
`;
const APP = `schema: 1.0.0
title: Base
user: { uid: 1000, gid: 1000 }
workloads:
  base:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 5
    containers:
      base: { command: [base], resources: { requests: { cpu: 50m, memory: 32Mi }, limits: { memory: 64Mi } } }
`;

let test: PublishingTest;
let builder: TestWorkspace;
let place: string;
let trust: string;
/** A folder with a site and nothing else. */
let folder: string;
let archive: string;

const inFolder = (...args: readonly string[]) =>
  test.run({ root: folder } as TestWorkspace, ...args);
const render = (...args: readonly string[]) =>
  inFolder('render', 'here', '--set', archive, ...args);

beforeAll(async () => {
  test = await publishingTest();
  builder = await test.workspace();
  place = `${test.registry.address}/ccp`;
  const key = join(test.folder, 'release.key');
  trust = `${key}.pub`;
  await test.run(builder, 'keygen', key);
  builder.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nuser: { name: base, uid: 1000, gid: 1000, home: /nonexistent }\n',
  );
  // Jobs that make Secrets run in this image.
  builder.write(
    'images/openstack-base/image.yaml',
    'title: Base\ndescription: An image.\nroot: a test\n',
  );
  builder.write('images/openstack-base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  builder.write('images/openstack-base/files/b', 'b\n');
  builder.write('images/base/app.yaml', APP);
  builder.write('deploy-specs/here/site.yaml', SITE);
  expect((await test.run(builder, 'lock')).stderr).not.toContain('ccp: ');
  await test.build(builder);
  archive = join(test.folder, '2026.1.0.tar');
  const create = ['release', 'create', '2026.1.0', '--to', place, '--key', key];
  expect(await test.run(builder, ...create)).toMatchObject({ exitCode: 0 });
  const bundle = [
    'release',
    'bundle',
    '2026.1.0',
    '--from',
    place,
    '--trust',
    trust,
    '-o',
    archive,
  ];
  expect(await test.run(builder, ...bundle)).toMatchObject({ exitCode: 0 });
  folder = join(test.folder, 'empty');
  mkdirSync(join(folder, 'deploy-specs/here'), { recursive: true });
  writeFileSync(join(folder, 'deploy-specs/here/site.yaml'), SITE);
});
afterAll(() => test.close());

it('renders the set of a bundle from a folder with a site alone', async () => {
  const built = await test.run(builder, 'render', 'here');
  expect(built.stderr).toBe('');
  expect(built.stdout).toContain('kind: Deployment');
  expect(await render('--trust', trust)).toEqual({
    exitCode: 0,
    stdout: built.stdout,
    stderr: `${archive} (2026.1.0, signed by ${trust})`,
  });
});

it('refuses a bundle without a trusted key', async () => {
  const { exitCode, stderr } = await render();
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringMatching(/ccp\.sets@sha256:[0-9a-f]{64} is not trusted: no key is trusted\n/),
  ]);
});

it("accepts a key of the site, and checks the set's signature with it", async () => {
  const site = join(folder, 'deploy-specs/here');
  writeFileSync(join(site, 'site.yaml'), `${SITE}keys: [release.pub]\n`);
  writeFileSync(join(site, 'release.pub'), readFileSync(trust));
  expect(await render()).toMatchObject({ exitCode: 0 });
  writeFileSync(join(site, 'site.yaml'), SITE);
});

it('copies the images to the store, and only once', async () => {
  const lines: string[] = [];
  const output = { ...processOutput({}), info: (line: string) => void lines.push(line) };
  const load = () =>
    withBundleSet(
      { root: folder, output },
      () => undefined,
      { set: archive, trust: [trust] },
      { load: true },
    );
  const { set } = await load();
  await load();
  expect(lines).toEqual([
    `${archive} (2026.1.0, signed by ${trust}): 2 images copied to the store`,
    `${archive} (2026.1.0, signed by ${trust}): 0 images copied to the store`,
  ]);
  const [image] = parseImageSet(readFileSync(set!, 'utf8'), set!).images;
  const store = join(folder, '.ccp/store');
  expect(readStoreIndex(store).byFingerprint.get(image!.fingerprint)?.digest).toBe(image!.digest);
  expect((await openContent(store)).document(image!.digest).length).toBeGreaterThan(0);
});

it('reads releases from a bundle: list, show, verify and mirror', async () => {
  const from = ['--from', `oci-archive:${archive}`, '--trust', trust];
  expect((await inFolder('release', 'list', ...from)).stdout).toBe(`2026.1.0 verified (${trust})`);
  expect((await inFolder('release', 'verify', '2026.1.0', '--deep', ...from)).stdout).toMatch(
    /^2026\.1\.0 is signed by .* and complete: 2 images of 2026\.1, /,
  );
  const to = ['--to', `${test.registry.address}/offline`];
  expect((await inFolder('release', 'mirror', '2026.1.0', ...from, ...to)).stdout).toMatch(
    /^2026\.1\.0 is .*\/offline\/ccp\.sets@sha256:/,
  );
  const [, registry] = [rmSync(join(folder, '.ccp'), { recursive: true }), to[1]!];
  const verify = ['release', 'verify', '2026.1.0', '--from', registry, '--trust', trust];
  expect(await inFolder(...verify)).toMatchObject({ exitCode: 0 });
});

it('refuses a damaged bundle, and names the blob', async () => {
  const bytes = readFileSync(archive);
  const at = bytes.indexOf('kind: Deployment');
  bytes[at] = bytes[at]! ^ 1;
  writeFileSync(archive, bytes);
  const { exitCode, stderr } = await render('--trust', trust);
  expect([exitCode, stderr]).toEqual([
    6,
    expect.stringMatching(/2026\.1\.0\.tar .*sha256:[0-9a-f]{64}/),
  ]);
  writeFileSync(archive, bytes.subarray(0, bytes.length / 2));
  expect(await render('--trust', trust)).toEqual({
    exitCode: 6,
    stdout: '',
    stderr: expect.stringMatching(
      /^ccp: \S+2026\.1\.0\.tar is not a bundle: it is truncated \(at byte \d+\)\n {2}-> write it again: ccp release bundle$/,
    ),
  });
});
