import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildImages } from '../../tools/cli/src/compose/build-images.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

const run = (...args: readonly string[]) =>
  runInProcess(workspace.root, args, { CCP_CACHE: join(workspace.root, 'cache') });
const parsed = ({ stdout }: { readonly stdout: string }): unknown => JSON.parse(stdout);

beforeAll(async () => {
  workspace = testWorkspace();
  workspace.write(
    'images/series.yaml',
    [
      'series:',
      '  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }',
      '  "2025.2": { codename: flamingo, suite: bookworm, python: "3.11" }',
      '  master:',
      '    codename: hibiscus',
      '    suite: trixie',
      '    python: "3.13"',
      '    constraints: master.txt',
      '    constraintsFrom: { repository: "https://example.org/r", ref: master, path: c.txt }',
      '',
    ].join('\n'),
  );
  workspace.write('images/master.txt', '');
  for (const [name, more] of [
    ['one', ''],
    ['two', 'series: ["2026.1"]\n'],
    ['three', 'series: [master]\n'],
  ] as const) {
    workspace.write(
      `images/${name}/image.yaml`,
      `title: ${name}\ndescription: An image.\nroot: a test\n${more}`,
    );
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\n');
  }
});

afterAll(() => workspace.remove());

it('locks, checks and plans every stable series in one command', async () => {
  expect(await run('lock', '--series', 'all')).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^series 2026\.1:\n[^]*\nseries 2025\.2:\n[^]*$/),
  });
  expect(await run('lock', '--check', '--series', '2025.2,2026.1')).toMatchObject({
    exitCode: 0,
    stdout: 'series 2025.2:\n1 lock is up to date\nseries 2026.1:\n2 locks are up to date\n',
  });
  expect((await run('plan', '--series', 'all')).stdout.match(/^series [^,:]*/gm)).toEqual([
    'series 2026.1',
    'series 2025.2',
  ]);
  const plan = await run('plan', '--series', '2026.1', '--series', '2025.2', '--json');
  expect(parsed(plan)).toMatchObject({
    series: [
      { name: '2026.1', result: { images: [{ image: 'one' }, { image: 'two' }] } },
      { name: '2025.2', result: { images: [{ image: 'one' }] } },
    ],
  });
});

it('passes over images that a series does not have, unless no series has them', async () => {
  expect(await run('graph', 'two', 'one', '--series', 'all')).toEqual({
    exitCode: 0,
    stdout: 'series 2026.1:\none\ntwo\nseries 2025.2:\none\n',
    stderr: 'series 2025.2 does not have two: 1 image passed over\n',
  });
  expect(await run('graph', 'three', '--series', 'all')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr:
      'series 2026.1:\nccp: series 2026.1 has no image "three": its definition is limited to master\n  -> add "2026.1" to series in images/three/image.yaml\n',
  });
});

it('writes a diagram of one series only', async () => {
  expect(await run('graph', 'one', '--format', 'mermaid')).toEqual({
    exitCode: 0,
    stdout: 'flowchart LR\n  n0["one"]\n',
    stderr: '',
  });
  const json = await run('graph', 'one', '--format', 'json');
  expect(json).toEqual(await run('graph', 'one', '--json'));
  expect(json.stdout).toContain('"images"');
  expect(await run('graph', '--format', 'dot', '--series', 'all')).toEqual({
    exitCode: 2,
    stdout: '',
    stderr: 'ccp: --format dot works with one series only\n  -> name one series with --series\n',
  });
  expect(await run('graph', '--format', 'tree', '--series', 'all')).toMatchObject({ exitCode: 0 });
});

it('continues with the next series after an error, and fails', async () => {
  const made = await run('plan', '--series', 'master,2025.2', '--json');
  expect(made.exitCode).toBe(3);
  expect(parsed(made)).toMatchObject({
    series: [
      { name: 'master', result: { errors: [{ code: 'lock-missing' }] } },
      { name: '2025.2', result: { images: [{ image: 'one' }] } },
    ],
  });
});

it('refuses several series for a command that takes one, and unknown series', async () => {
  expect(await run('inspect', 'one', '--series', 'all')).toMatchObject({
    exitCode: 2,
    stderr: 'ccp: inspect takes one series, not "all"\n  -> name one series with --series\n',
  });
  expect(await run('plan', '-o', 'plan.json', '--series', 'all')).toMatchObject({
    exitCode: 2,
    stderr: 'ccp: --output works with one series only\n  -> name one series with --series\n',
  });
  expect(await run('plan', '--series', '2026.1,2026.2')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('ccp: unknown series "2026.2"\n'),
  });
});

it('passes over an image outside the series for Nx, without a failure', async () => {
  const { root } = workspace;
  expect(await buildImages({ root, images: ['two'], series: '2025.2' })).toEqual(
    new Map([
      [
        'two',
        {
          status: 'success',
          text: 'two: passed over, since it is not in series 2025.2: its definition is limited to 2026.1',
          milliseconds: expect.any(Number),
        },
      ],
    ]),
  );
  expect((await buildImages({ root, images: ['three'], series: 'all' })).get('three')).toEqual({
    status: 'success',
    text: [
      'three: passed over, since it is not in series 2026.1: its definition is limited to master',
      'three: passed over, since it is not in series 2025.2: its definition is limited to master',
    ].join('\n'),
    milliseconds: expect.any(Number),
  });
});
