import { expect, it } from 'vitest';
import { imageName } from '#core';
import { REPOSITORY } from '../../../../../tests/helpers/ccp.ts';
import { openProject } from '../plan.ts';
import { componentsOf } from './components.ts';

it("lists Go's standard library of the toolchain that the builder locks", () => {
  const project = openProject(REPOSITORY, '2026.1');
  const standard = (image: string) =>
    componentsOf(project, imageName(image)).filter(({ name }) => name === 'stdlib');
  const { toolchain } = project.graph.images.get(imageName('go-builder'))!.go!;
  expect(standard('alertmanager')).toEqual([
    {
      kind: 'go',
      name: 'stdlib',
      version: toolchain,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      purl: `pkg:golang/stdlib@${toolchain}`,
    },
  ]);
  expect(standard('keystone')).toEqual([]);
  expect(standard('go-builder')).toEqual([]);
});
