import { expect, it } from 'vitest';
import { TINY, tinySite } from '../../testing/tiny-site.ts';
import { chartObjects } from './chart-objects.ts';

it('has the namespace of node agents and claims, which Helm keeps, but not its own namespace', () => {
  const site = tinySite({ agent: 'one', onNode: true, nightly: true });
  const objects = chartObjects(site, TINY, new Set(['base', 'web', 'agent']));
  const kept = objects
    .filter(({ object }) => object.metadata.annotations?.['helm.sh/resource-policy'] === 'keep')
    .map(({ object: { kind, metadata } }) => `${kind}/${metadata.name}`);
  expect(kept).toEqual(['Namespace/cloud-node', 'PersistentVolumeClaim/base-dumps']);
  const namespaces = objects.filter(({ object }) => object.kind === 'Namespace');
  expect(namespaces).toHaveLength(1);
});
