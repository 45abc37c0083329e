import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { imageName, type Digest } from '#core';
import { fingerprintOf, versionOf, type PlanDocument } from '#plan';
import { openStore } from '#store';
import { fixtureTar } from '../../tools/store/src/testing/fixture-tar.ts';
import { pushAndSeal } from '../../tools/store/src/testing/push-image.ts';
import { ccpJson } from '../helpers/ccp.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

const LAYER = fixtureTar([{ name: 'a', type: 'file' }]);

let workspace: TestWorkspace;

let env: Readonly<Record<string, string>>;

const define = (more = ''): void =>
  workspace.write(
    'images/base/image.yaml',
    `title: Base\ndescription: An image.\nroot: the base of the test\n${more}`,
  );

const run = async (...args: readonly string[]) => {
  const { exitCode, stdout, stderr } = await runInProcess(workspace.root, args, env);
  return { exitCode, stdout: stdout.trimEnd(), stderr: stderr.trimEnd() };
};

const state = (path: string): string => join(workspace.root, '.ccp', path);

/** Stores an image under the fingerprint of the plan, like a build. */
async function store(name = 'base'): Promise<Digest> {
  const { images } = await ccpJson<PlanDocument>(workspace.root, ['plan', name], env, runInProcess);
  const { image, fingerprint, record } = images.find(({ image }) => image === name)!;
  const opened = await openStore({ folder: state('store') });
  const identity = {
    image,
    fingerprint,
    series: record.series,
    platform: record.platform,
    contentKey: fingerprint,
    labels: record.labels,
  };
  const stored = await pushAndSeal(opened, identity, [LAYER]);
  await opened.publish(stored);
  await opened.close();
  mkdirSync(state('records/2026.1'), { recursive: true });
  writeFileSync(state(`records/2026.1/${name}.json`), JSON.stringify({ record }));
  return stored.digest;
}

beforeAll(async () => {
  workspace = testWorkspace();
  env = { CCP_CACHE: join(workspace.root, 'cache'), DOCKER_HOST: 'unix:///nothing.sock' };
  define();
  workspace.write('images/base/Dockerfile.njk', 'FROM scratch\nCOPY files /\n');
  workspace.write('images/base/files/a', 'a\n');
  expect(await run('lock')).toMatchObject({ exitCode: 0 });
});

beforeEach(() => {
  rmSync(state('.'), { recursive: true, force: true });
  define();
});

afterAll(() => workspace.remove());

describe('explain', () => {
  it('shows the input that differs from the last build', async () => {
    expect(await run('explain', 'base')).toMatchObject({
      exitCode: 0,
      stdout: 'base: not built yet',
    });
    await store();
    expect(await run('explain', 'base')).toMatchObject({
      exitCode: 0,
      stdout: 'base: nothing changed, but no passed run of its tests is recorded',
    });
    workspace.write('images/base/files/a', 'b\n');
    const { stdout } = await run('explain', 'base');
    workspace.write('images/base/files/a', 'a\n');
    expect(stdout).toBe('base changed:\n  - file a changed');
  });

  it('shows the last failure if the inputs have not changed since', async () => {
    const [planned] = (await ccpJson<PlanDocument>(workspace.root, ['plan'], env, runInProcess))
      .images;
    mkdirSync(state('failures/2026.1'), { recursive: true });
    const failed = (fingerprint: string): void =>
      writeFileSync(
        state('failures/2026.1/base.json'),
        JSON.stringify({
          fingerprint,
          message: 'the tests of base failed with 1 finding:\n- none',
          log: '.ccp/logs/1/base.log',
        }),
      );
    failed(planned!.fingerprint);
    expect((await run('explain', 'base')).stdout).toBe(
      'base: not built yet\nthe last build failed: the tests of base failed with 1 finding:\n  - none\n  log: .ccp/logs/1/base.log',
    );
    failed('another');
    expect((await run('explain', 'base')).stdout).toBe('base: not built yet');
  });

  it('compares with a plan file', async () => {
    const file = join(workspace.root, 'plan.json');
    expect(await run('plan', '-o', file)).toMatchObject({ exitCode: 0 });
    expect((await run('explain', 'base', '--against', file)).stdout).toBe('base: nothing changed');
    const other = 'title: Other\ndescription: An image.\nroot: another base of the test\n';
    workspace.write('images/other/image.yaml', other);
    workspace.write('images/other/Dockerfile.njk', 'FROM scratch\n');
    await run('lock', 'other');
    const missing = await run('explain', 'other', '--against', file);
    const plan: PlanDocument = JSON.parse(readFileSync(file, 'utf8'));
    const called = (name: string): unknown => {
      const record = { ...plan.images[0]!.record, image: imageName(name) };
      const fingerprint = fingerprintOf(record);
      return {
        ...plan.images[0]!,
        image: name,
        record,
        fingerprint,
        version: versionOf(plan.series, fingerprint),
      };
    };
    const hintOf = async (...names: readonly string[]): Promise<string | undefined> => {
      writeFileSync(file, JSON.stringify({ ...plan, images: names.map(called) }));
      return (await run('explain', 'other', '--against', file)).stderr.split('\n')[1];
    };
    const hints = [await hintOf('a', 'b', 'c', 'd', 'e', 'f', 'g'), await hintOf('base', 'othre')];
    rmSync(join(workspace.root, 'images/other'), { recursive: true });
    expect(missing).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: `ccp: the plan file ${file} does not contain other\n  -> it contains base; make one with \`ccp plan -o FILE\``,
    });
    expect(hints).toEqual([
      '  -> it contains a, b, c, d, e and 2 more; make one with `ccp plan -o FILE`',
      '  -> the most similar image in it is othre; make one with `ccp plan -o FILE`',
    ]);
    expect(await run('explain', 'base', '--against', `${file}.missing`)).toMatchObject({
      exitCode: 2,
    });
  });
});
