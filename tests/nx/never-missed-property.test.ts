import { chmodSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CreateDependenciesContext,
  CreateNodesContextV2,
  ProjectConfiguration,
  ProjectGraph,
} from '@nx/devkit';
import { filterAffected } from 'nx/src/project-graph/affected/affected-project-graph.js';
import { calculateFileChanges } from 'nx/src/project-graph/file-utils.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openProject, planProject } from '../../tools/cli/src/compose/plan.ts';
import { createDependencies, createNodesV2 } from '../../tools/nx-plugin/src/plugin.ts';
import { seededRandom, type Random } from '../helpers/random.ts';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

// An overlay with images of its own and images of its base, which is a folder of the same
// repository.
const IMAGES: Readonly<Record<string, string | undefined>> = {
  'upstream/images/base': undefined,
  'upstream/images/library': 'base',
  'images/service': 'library',
  'images/worker': 'service',
};
const FOLDERS = Object.keys(IMAGES);

let workspace: TestWorkspace;
let graph: ProjectGraph;

function define(folder: string, title: string): void {
  const parent = IMAGES[folder];
  workspace.write(
    `${folder}/image.yaml`,
    `title: ${title}\ndescription: An image.\nroot: a test\n${parent === undefined ? '' : `parents: { base: ${parent} }\n`}`,
  );
}

async function projectGraph(): Promise<ProjectGraph> {
  const { root } = workspace;
  const results = await createNodesV2[1](['overlay.yaml'], {}, {
    workspaceRoot: root,
  } as CreateNodesContextV2);
  const projects: Record<string, ProjectConfiguration> = Object.assign(
    {},
    ...results.map(([, result]) => result.projects),
  );
  const nodes = Object.fromEntries(
    Object.values(projects).map((data) => [
      data.name!,
      { name: data.name!, type: 'app' as const, data },
    ]),
  );
  const edges = await createDependencies({}, {
    workspaceRoot: root,
    projects: nodes,
  } as unknown as CreateDependenciesContext);
  const dependencies = Object.fromEntries(
    Object.keys(nodes).map((name) => [name, edges.filter(({ source }) => source === name)]),
  );
  return { nodes, dependencies, externalNodes: {} };
}

async function affected(files: readonly string[]): Promise<readonly string[]> {
  const changes = calculateFileChanges([...files], { files: [...files] });
  return Object.keys((await filterAffected(graph, changes)).nodes);
}

const fingerprints = (): ReadonlyMap<string, string> =>
  new Map(
    planProject(openProject(workspace.root, undefined), []).images.map(({ image, fingerprint }) => [
      image,
      fingerprint,
    ]),
  );

beforeAll(async () => {
  workspace = testWorkspace();
  const { root, write } = workspace;
  rmSync(join(root, 'images'), { recursive: true });
  write('overlay.yaml', 'base: upstream\n');
  write(
    'upstream/images/series.yaml',
    'series:\n  "2026.1": { codename: gazpacho, suite: trixie, python: "3.13" }\n',
  );
  write('upstream/images/_shared/macros.njk', '{% macro copy() %}COPY files /{% endmacro %}\n');
  for (const folder of FOLDERS) {
    define(folder, 'image');
    const from = IMAGES[folder] === undefined ? 'scratch' : '${CCP_PARENT_BASE}';
    write(
      `${folder}/Dockerfile.njk`,
      `{% from "_shared/macros.njk" import copy %}\nARG CCP_PARENT_BASE\nFROM ${from}\n{{ copy() }}\n`,
    );
    write(`${folder}/files/a`, 'a\n');
  }
  const env = { CCP_CACHE: join(root, 'cache') };
  for (const folder of [join(root, 'upstream'), root]) {
    const locked = await runInProcess(folder, ['lock'], env);
    expect(locked, locked.stderr).toMatchObject({ exitCode: 0 });
  }
  graph = await projectGraph();
});

afterAll(() => workspace.remove());

/** Each edit returns the changed file. */
const EDITS: readonly ((random: Random) => string)[] = [
  (random) => write(`${random.pick(FOLDERS)}/files/a`, random.text(3, 'abc')),
  (random) => write(`${random.pick(FOLDERS)}/files/${random.text(1, 'bcd')}`, 'new\n'),
  (random) => write('upstream/images/_shared/macros.njk', macro(random.pick(['/', '/opt/']))),
  (random) => write('upstream/images/_shared/unused.njk', `{# ${random.text(2, 'ab')} #}\n`),
  (random) => write(`${random.pick(FOLDERS)}/README.md`, random.text(3, 'ab')),
  (random) => {
    const folder = random.pick(FOLDERS);
    define(folder, random.text(2, 'xy'));
    return `${folder}/image.yaml`;
  },
  (random) => {
    const file = `${random.pick(FOLDERS)}/files/a`;
    chmodSync(join(workspace.root, file), random.chance(0.5) ? 0o755 : 0o644);
    return file;
  },
];

function write(path: string, text: string): string {
  workspace.write(path, text);
  return path;
}

function macro(target: string): string {
  return `{% macro copy() %}COPY files ${target}{% endmacro %}\n`;
}

it('affects every image whose fingerprint changed, for random edits of an overlay and its base', async () => {
  const random = seededRandom(7);
  expect(Object.keys(graph.nodes)).toEqual(['service', 'worker']);
  let changes = 0;
  for (let round = 0; round < 60; round += 1) {
    const before = fingerprints();
    const file = random.pick(EDITS)(random);
    const changed = [...fingerprints()].flatMap(([image, now]) =>
      before.get(image) === now || graph.nodes[image] === undefined ? [] : [image],
    );
    changes += changed.length;
    expect(await affected([file]), `round ${round}: ${file}`).toEqual(
      expect.arrayContaining(changed),
    );
  }
  expect(changes).toBeGreaterThan(20);
});

it('affects no image for a file that is not an input', async () => {
  expect(await affected(['README.md', 'upstream/README.md'])).toEqual([]);
  expect(await affected(['images/worker/files/a'])).toEqual(['worker']);
});
