import { expect, it } from 'vitest';
import { nodeNames, MAX_CLUSTERS } from './node-names.ts';

it('gives every cluster of a machine its own networks and names', () => {
  const all = Array.from({ length: MAX_CLUSTERS }, (_, slot) => nodeNames(slot));
  const networks = all.flatMap(({ host, bridge, services }) =>
    [host, bridge, services].map((address) => address.split('.').slice(0, 3).join('.')),
  );
  expect(new Set(networks).size).toBe(3 * MAX_CLUSTERS);
  expect(new Set(all.flatMap(({ link, cgroup }) => [link, cgroup])).size).toBe(2 * MAX_CLUSTERS);
  expect(nodeNames(MAX_CLUSTERS - 1)).toEqual({
    slot: 63,
    link: 'ccp-63',
    innerLink: 'ccp-up',
    cgroup: 'ccp-node-63',
    host: '10.251.252.1',
    node: '10.251.252.2',
    bridge: '10.251.253.1',
    pods: '10.251.253.0/24',
    services: '10.251.254.0/24',
  });
});
