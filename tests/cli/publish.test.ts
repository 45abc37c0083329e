import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { imageName } from '#core';
import type { PlanDocument } from '#plan';
import type { ImageStore } from '#ports';
import { parseImageSet } from '#release';
import { openStore } from '#store';
import { expectationsKey } from '../../tools/cli/src/compose/definition-expectations.ts';
import { openProject } from '../../tools/cli/src/compose/plan.ts';
import { openPassedTests } from '../../tools/cli/src/state/passed-tests.ts';
import { faultyProxy, type FaultyProxy } from '../../tools/store/src/testing/faulty-proxy.ts';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { ccpJson } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-registry-'));
const LAYER = fixtureTar([{ name: 'a', type: 'file' }]);
const key = join(folder, 'release.key');

let builder: TestWorkspace;
let other: TestWorkspace;
let remote: ImageStore;
let registry: FaultyProxy;
let env: Readonly<Record<string, string>>;

const run = async (workspace: TestWorkspace, ...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runInProcess(workspace.root, args, env);
  return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
};

function define(workspace: TestWorkspace): void {
  workspace.write(
    'images/base/image.yaml',
    'title: Base\ndescription: An image.\nroot: the base of the test\n',
  );
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
}

/** Stores the image of the plan, like a build whose tests passed. */
async function buildImage(workspace: TestWorkspace): Promise<void> {
  const { images } = await ccpJson<PlanDocument>(workspace.root, ['plan'], env, runInProcess);
  const { image, fingerprint, record } = images[0]!;
  const { series, platform, labels } = record;
  const store = await openStore({ folder: join(workspace.root, '.ccp/store') });
  const identity = { image, fingerprint, series, platform, contentKey: fingerprint, labels };
  const stored = await pushAndSeal(store, identity, [LAYER]);
  await store.publish(stored);
  await store.close();
  const { paths, series: own, graph } = openProject(workspace.root, undefined);
  openPassedTests(paths, own.name).add(
    imageName('base'),
    stored.digest,
    expectationsKey(graph.images.get(imageName('base'))!),
  );
}

const place = (path: string): string => `${registry.address}/${path}`;

beforeAll(async () => {
  remote = await openStore({ folder: join(folder, 'store') });
  registry = await faultyProxy(remote);
  [builder, other] = [testWorkspace(), testWorkspace()];
  env = {
    CCP_CACHE: join(folder, 'cache'),
    DOCKER_HOST: 'unix:///nothing.sock',
    DOCKER_CONFIG: folder,
    REGISTRY_AUTH_FILE: join(folder, 'none.json'),
  };
  for (const workspace of [builder, other]) {
    define(workspace);
    expect(await run(workspace, 'lock')).toMatchObject({ exitCode: 0 });
  }
  await buildImage(builder);
  expect(await run(builder, 'build')).toMatchObject({ exitCode: 0 });
  expect(await run(builder, 'keygen', key)).toEqual({
    exitCode: 0,
    stdout: `${key} and ${key}.pub written`,
    stderr: `${key} is not encrypted: keep it secret`,
  });
});

afterAll(async () => {
  await registry.close();
  await remote.close();
  for (const workspace of [builder, other]) workspace.remove();
  rmSync(folder, { recursive: true, force: true });
});

it('builds nothing where a trusted publisher has the images', async () => {
  const published = await run(builder, 'publish', '--to', place('a'), '--key', key);
  expect(published).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(
      /^1 image of 2026\.1 published, 1 new \(\d+ kB uploaded\)\nimage set: .*\/a\/ccp\.sets:2026\.1-[0-9a-f]{32} \(sha256:[0-9a-f]{64}\)$/,
    ),
  });
  expect((await run(builder, 'publish', '--to', place('a'), '--key', key)).stdout).toContain(
    '1 image of 2026.1 published, 0 new (0 kB uploaded)',
  );
  const tag = /ccp\.sets:(\S+)/.exec(published.stdout)![1]!;
  const from = ['--from', place('a')];
  expect(await run(other, 'verify', tag, ...from, '--trust', `${key}.pub`)).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining(`${tag} is signed by ${key}.pub and complete: 1 image of`),
  });
  expect(await run(other, 'build', ...from)).toMatchObject({
    exitCode: 6,
    stderr: `ccp: ${place('a')} is not trusted: no key is trusted\n  -> name the publisher's public key with --trust, or in \`trust\` of .ccp.yaml; a publisher signs with \`ccp publish --key FILE\` or \`ccp sign\``,
  });
  other.write('release.pub', readFileSync(`${key}.pub`, 'utf8'));
  other.write('.ccp.yaml', 'origin: archive\ntrust: [release.pub]\n');
  expect((await run(other, 'plan', ...from)).stdout).toContain(
    `\n${place('a')} has base; \`ccp build --from ${place('a')}\` fetches instead of building`,
  );
  expect(await run(other, 'build', ...from)).toMatchObject({ exitCode: 0 });
  const setOf = (workspace: TestWorkspace) =>
    parseImageSet(readFileSync(join(workspace.root, '.ccp/sets/2026.1.json'), 'utf8'), 'set');
  expect(setOf(other)).toEqual(setOf(builder));
});

it('refuses images that nobody signed, until they are signed', async () => {
  const published = await run(builder, 'publish', '--to', place('b'));
  expect(published.stdout).toContain(
    '\nnot signed: other workspaces cannot use the images without --key\n',
  );
  const tag = /ccp\.sets:(\S+)/.exec(published.stdout)![1]!;
  const verify = () => run(other, 'verify', tag, '--from', place('b'), '--trust', `${key}.pub`);
  expect(await verify()).toMatchObject({
    exitCode: 6,
    stderr: expect.stringMatching(
      /ccp\.sets@sha256:[0-9a-f]{64} is not trusted: it is not signed\n/,
    ),
  });
  expect(await run(builder, 'sign', tag, '--to', place('b'), '--key', key)).toMatchObject({
    exitCode: 0,
  });
  expect(await verify()).toMatchObject({ exitCode: 0 });
  expect(await run(other, 'verify', 'none', '--from', place('b'))).toMatchObject({
    exitCode: 6,
    stderr: `ccp: ${place('b')}/ccp.sets has no image set none\n  -> publish it with \`ccp publish\`, or list releases with \`ccp release list\``,
  });
});
