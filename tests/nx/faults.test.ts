import type { CreateDependenciesContext, ExecutorContext, TaskGraph } from '@nx/devkit';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { buildBatch } from '../../tools/nx-plugin/src/executor.ts';
import { createDependencies, createNodesV2 } from '../../tools/nx-plugin/src/plugin.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = testWorkspace();
  image('base', '', 'FROM scratch\n');
  image('one', 'parents: { base: base }\n', 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\n');
  expect(await runInProcess(workspace.root, ['lock'])).toMatchObject({ exitCode: 0 });
});

afterEach(() => {
  vi.unstubAllEnvs();
  workspace.remove();
});

function image(name: string, yaml: string, template: string): void {
  workspace.write(
    `images/${name}/image.yaml`,
    `title: ${name}\ndescription: An image.\nroot: it must\n${yaml}`,
  );
  workspace.write(`images/${name}/Dockerfile.njk`, template);
}

/** Task results of both images for Nx. */
async function results(): Promise<Record<string, readonly [string, string]>> {
  const tasks = Object.fromEntries(
    ['base', 'one'].map((project) => [
      `${project}:build`,
      { id: `${project}:build`, target: { project, target: 'build' } },
    ]),
  );
  const graph = {
    tasks,
    dependencies: { 'base:build': [], 'one:build': ['base:build'] },
  } as unknown as TaskGraph;
  const found: Record<string, readonly [string, string]> = {};
  for await (const { task, result } of buildBatch(graph, {}, {}, {
    root: workspace.root,
  } as ExecutorContext))
    found[task] = [result.status, result.terminalOutput];
  return found;
}

it('reports the fault of an image only for its task, with the text of `ccp build`', async () => {
  image(
    'one',
    'parents: { base: base }\n',
    'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nRUN {{ nope }}\n',
  );
  expect(await results()).toEqual({
    'base:build': ['skipped', 'base: not built\n'],
    'one:build': [
      'failure',
      'ccp: images/one/Dockerfile.njk:3:8: unknown name nope\n  -> known names: image, series, parents, debian, python, go, sources, args\n',
    ],
  });
  image(
    'one',
    'parents: { base: base }\ndebian: { runtime: { on: base, packages: [hello] } }\n',
    '',
  );
  expect(await results()).toEqual({
    'base:build': ['skipped', 'base: not built\n'],
    'one:build': [
      'failure',
      expect.stringMatching(
        /^ccp: images\/one\/lock\/2026\.1\.yaml is out of date: .*\n  -> run: ccp lock one --series 2026\.1\n$/,
      ),
    ],
  });
});

it('reports a fault of the whole run for the task without dependencies', async () => {
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock');
  expect(await results()).toEqual({
    'base:build': [
      'failure',
      expect.stringMatching(
        /^ccp: the engine unix:\/\/\/nowhere\/docker\.sock does not respond: .*\n  -> start the engine/,
      ),
    ],
    'one:build': ['skipped', ''],
  });
});

it('reports a missing parent before a task starts', async () => {
  image('one', 'parents: { base: bse }\n', '');
  const context = { workspaceRoot: workspace.root, nxJsonConfiguration: {} };
  await expect(async () =>
    createNodesV2[1](['images/series.yaml'], undefined, context),
  ).rejects.toThrow('image one has the unknown base "bse"\n  -> did you mean "base"?');
});

it('reports a wrong definition once, with its position and a hint', async () => {
  image('one', 'parent: { base: base }\n', '');
  const context = { workspaceRoot: workspace.root, nxJsonConfiguration: {} };
  await expect(async () =>
    createNodesV2[1](['images/one/image.yaml'], undefined, context),
  ).rejects.toThrow(
    'ccp: images/one/image.yaml:4:1: unknown key "parent"\n  -> did you mean "parents"?',
  );
  expect(
    await createDependencies(undefined, {
      ...context,
      projects: {},
    } as unknown as CreateDependenciesContext),
  ).toEqual([]);
});
