import { join } from 'node:path';
import type { CreateDependenciesContext, CreateNodesContextV2 } from '@nx/devkit';
import { expect, it } from 'vitest';
import { createDependencies, createNodesV2 } from './plugin.ts';

const workspaceRoot = join(import.meta.dirname, '../../../tests/fixtures/overlay');

it('creates projects only for images that an overlay adds or changes, with edges between them', async () => {
  const [, createNodes] = createNodesV2;
  const nodes = await createNodes(['images/series.yaml', 'overlay.yaml'], {}, {
    workspaceRoot,
  } as CreateNodesContextV2);
  const projects = Object.assign({}, ...nodes.map(([, { projects: found }]) => found)) as Record<
    string,
    {
      readonly name: string;
      readonly targets: { readonly build: { readonly configurations: object } };
    }
  >;
  expect(Object.entries(projects).map(([folder, { name }]) => [folder, name])).toEqual([
    ['images/greeter', 'greeter'],
    ['images/keystone', 'keystone'],
    ['images/node-exporter', 'node-exporter'],
  ]);
  expect(projects['images/greeter']!.targets.build.configurations).toEqual({
    '2026.1': { series: '2026.1' },
    lts: { series: 'lts' },
  });
  expect(
    await createDependencies({}, {
      workspaceRoot,
      projects: { greeter: {}, keystone: {} },
    } as unknown as CreateDependenciesContext),
  ).toEqual([]);
  const withBase = await createDependencies({}, {
    workspaceRoot,
    projects: { greeter: {}, 'debian-base': {} },
  } as unknown as CreateDependenciesContext);
  expect(withBase).toMatchObject([
    { source: 'greeter', target: 'debian-base', sourceFile: 'images/greeter/image.yaml' },
  ]);
});
