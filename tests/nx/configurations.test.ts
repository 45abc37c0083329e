import { afterAll, expect, it } from 'vitest';
import { createNodesV2 } from '../../tools/nx-plugin/src/plugin.ts';
import { testWorkspace } from '../helpers/workspace.ts';

const workspace = testWorkspace();
afterAll(() => workspace.remove());

it('gives an image the configurations of its series only', async () => {
  const facts = (suite: string, python: string): string =>
    `{ codename: x, suite: ${suite}, python: "${python}" }`;
  workspace.write(
    'images/series.yaml',
    `series:\n  "2026.1": ${facts('trixie', '3.13')}\n  "2025.2": ${facts('bookworm', '3.11')}\n`,
  );
  const define = (name: string, more: string): string => {
    workspace.write(
      `images/${name}/image.yaml`,
      `title: Web\ndescription: A web server.\nroot: it must\ndebian: { bootstrap: { packages: [hello] } }\n${more}`,
    );
    workspace.write(`images/${name}/Dockerfile.njk`, 'FROM scratch\nADD .inputs/seed.tar /\n');
    return `images/${name}/image.yaml`;
  };
  const files = [
    define('new', 'series: ["2026.1"]\n'),
    define(
      'old',
      'sources: { old: { repository: "https://git.example/old", refs: { "2025.2": 1.0.0 } } }\n',
    ),
    define('web', ''),
  ];
  const nodes = await createNodesV2[1](files, undefined, {
    workspaceRoot: workspace.root,
    nxJsonConfiguration: {},
  });
  const offered = nodes.flatMap(([, { projects }]) =>
    Object.values(projects ?? {}).map(({ name, targets }) => [
      name,
      Object.keys(targets?.['build']?.configurations ?? {}),
    ]),
  );
  expect(offered).toEqual([
    ['new', ['2026.1']],
    ['old', ['2025.2']],
    ['web', ['2026.1', '2025.2']],
  ]);
});
