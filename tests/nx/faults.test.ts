import type { CreateDependenciesContext, ExecutorContext, TaskGraph } from '@nx/devkit';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { buildBatch } from '../../tools/nx-plugin/src/executor.ts';
import { createDependencies, createNodesV2 } from '../../tools/nx-plugin/src/plugin.ts';
import { ccpHere } from '../support/ccp-here.ts';
import { testWorkspace, type TestWorkspace } from '../support/workspace.ts';

let workspace: TestWorkspace;

beforeEach(async () => {
  workspace = testWorkspace();
  image('base', '', 'FROM scratch\n');
  image('one', 'parents: { base: base }\n', 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\n');
  expect(await ccpHere(workspace.root, ['lock'])).toMatchObject({ exitCode: 0 });
});

afterEach(() => {
  vi.unstubAllEnvs();
  workspace.remove();
});

function image(name: string, yaml: string, template: string): void {
  workspace.write(`images/${name}/image.yaml`, `title: ${name}\ndescription: An image.\nroot: it must\n${yaml}`);
  workspace.write(`images/${name}/Dockerfile.njk`, template);
}

/** What Nx gets of the tasks of both images. */
async function results(): Promise<Record<string, readonly [string, string]>> {
  const tasks = Object.fromEntries(['base', 'one'].map((project) => [`${project}:build`, { id: `${project}:build`, target: { project, target: 'build' } }]));
  const graph = { tasks, dependencies: { 'base:build': [], 'one:build': ['base:build'] } } as unknown as TaskGraph;
  const found: Record<string, readonly [string, string]> = {};
  for await (const { task, result } of buildBatch(graph, {}, {}, { root: workspace.root } as ExecutorContext))
    found[task] = [result.status, result.terminalOutput];
  return found;
}

test("a fault of an image is its task's alone, in the words of `ccp build`", async () => {
  image('one', 'parents: { base: base }\n', 'ARG CCP_PARENT_BASE\nFROM ${CCP_PARENT_BASE}\nRUN {{ nope }}\n');
  expect(await results()).toEqual({
    'base:build': ['skipped', 'base: not tried\n'],
    'one:build': [
      'failure',
      'ccp: images/one/Dockerfile.njk:3:8: unknown name nope\n  -> known are image, series, parents, debian, python, go, sources, args\n',
    ],
  });
  image('one', 'parents: { base: base }\ndebian: { runtime: { on: base, packages: [hello] } }\n', '');
  expect(await results()).toEqual({
    'base:build': ['skipped', 'base: not tried\n'],
    'one:build': ['failure', expect.stringMatching(/^ccp: images\/one\/lock\/2026\.1\.yaml is stale: .*\n  -> run: ccp lock one --series 2026\.1\n$/)],
  });
});

test('a fault of the whole run is that of the task that waits for no other', async () => {
  vi.stubEnv('DOCKER_HOST', 'unix:///nowhere/docker.sock');
  expect(await results()).toEqual({
    'base:build': ['failure', expect.stringMatching(/^ccp: the engine unix:\/\/\/nowhere\/docker\.sock does not answer: .*\n  -> start the engine/)],
    'one:build': ['skipped', ''],
  });
});

test('a parent that is gone is told before anything runs', async () => {
  image('one', 'parents: { base: bse }\n', '');
  const context = { workspaceRoot: workspace.root, nxJsonConfiguration: {} };
  await expect(async () => createNodesV2[1](['images/series.yaml'], undefined, context)).rejects.toThrow(
    'the base of one is "bse", but there is no such image\n  -> did you mean "base"?',
  );
});

test('a definition that is wrong is told once, with its place and what to do', async () => {
  image('one', 'parent: { base: base }\n', '');
  const context = { workspaceRoot: workspace.root, nxJsonConfiguration: {} };
  await expect(async () => createNodesV2[1](['images/one/image.yaml'], undefined, context)).rejects.toThrow(
    'ccp: images/one/image.yaml:4:1: unknown key "parent"\n  -> did you mean "parents"?',
  );
  expect(await createDependencies(undefined, { ...context, projects: {} } as unknown as CreateDependenciesContext)).toEqual([]);
});
