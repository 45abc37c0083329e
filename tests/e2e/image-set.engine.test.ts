import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { answerFaults } from '../helpers/answer-faults.ts';
import { ccp } from '../helpers/ccp.ts';
import { linkStore } from '../helpers/link-store.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

function define(name: string, text: string, { parent = 'debian-base', run = '' } = {}): void {
  workspace.write(
    `images/${name}/image.yaml`,
    `title: ${name}\ndescription: One file.\nroot: a test\nparents: { base: ${parent} }\n`,
  );
  workspace.write(
    `images/${name}/Dockerfile.njk`,
    `ARG CCP_PARENT_BASE\nFROM \${CCP_PARENT_BASE}\nCOPY files /opt/\n${run}`,
  );
  workspace.write(`images/${name}/files/text`, text);
}

/** Runs a command that must succeed; resolves with its stdout. */
async function done(...args: readonly string[]): Promise<string> {
  const result = await ccp(workspace.root, args);
  expect(result, result.stderr).toMatchObject({ exitCode: 0 });
  return result.stdout;
}

const namesInSet = (): string[] => {
  const { images } = JSON.parse(
    readFileSync(join(workspace.root, '.ccp/sets/2026.1.json'), 'utf8'),
  ) as { images: { name: string }[] };
  return images.map(({ name }) => name);
};

beforeAll(() => {
  workspace = testWorkspace();
  workspace.take('images/debian-base', 'images/series.yaml', 'images/_shared');
  linkStore(workspace.root);
  define('one', 'one\n');
  define('two', 'two\n');
});

afterAll(() => workspace.remove());

it('keeps other images in the set after a partial build, and keeps images of the set on clean', async () => {
  await done('lock', 'one', 'two');
  await done('build', '--yes');
  expect(namesInSet()).toEqual(['debian-base', 'one', 'two']);

  define('one', 'another one\n');
  expect(await done('explain', 'one')).toBe('one changed:\n  - file text changed\n');
  expect(await done('build', 'one', '--yes')).toMatch(/^one +\S+ +built/m);
  expect(namesInSet()).toEqual(['debian-base', 'one', 'two']);
  expect(await done('build')).toMatch(/^nothing to do: 3 images/);

  expect(await done('clean')).toMatch(/3 images kept$/m);
  expect(await done('build')).toMatch(/^nothing to do: 3 images/);
  expect(await done('inspect', 'two', '--verify')).toContain('every blob verified');
});

it('describes the answers of builds and runs', async () => {
  define('one', 'a third one\n');
  define('two', 'two\n', { run: 'RUN echo broken && exit 3\n' });
  define('three', 'three\n', { parent: 'two' });
  await done('lock', 'three');
  const build = await ccp(workspace.root, ['--json', 'build', '--yes']);
  const answer = JSON.parse(build.stdout) as {
    readonly result: { readonly outcomes: readonly { image: string; type: string }[] };
  };
  expect(answerFaults('ccp build', answer)).toEqual([]);
  expect(answer.result.outcomes.map(({ image, type }) => `${image} ${type}`).sort()).toEqual([
    'debian-base reused',
    'one built',
    'three blocked',
    'two failed',
  ]);
  const run = JSON.parse(await done('--json', 'run', 'one', '--', 'cat', '/opt/text')) as object;
  expect(run).toMatchObject({ exitCode: 0, stdout: 'a third one\n' });
  expect(answerFaults('ccp run', run)).toEqual([]);
});
