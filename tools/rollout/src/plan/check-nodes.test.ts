import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import type { LiveObject } from '#ports';
import { appText, findingLines, renderChecked, siteInputs } from '#site/testing';
import { checkNodes } from './check-nodes.ts';

const SPEC = appText('agent')
  .replace('kind: Deployment', 'kind: DaemonSet')
  .replace('    replicas: { default: 1, rule: any }\n    spread: preferred\n', '');
const rendered = renderChecked(
  siteInputs({ parseAppSpec, parseSite })(
    '{ agent: { nodes: { fast: { labels: [nic=fast] }, big: { labels: [size] } } } }',
    { agent: SPEC },
  ),
);
const found = (...nodes: readonly string[][]): string[] => {
  const objects = nodes.map(
    (labels) =>
      ({
        apiVersion: 'v1',
        kind: 'Node',
        metadata: {
          name: 'x',
          labels: Object.fromEntries(labels.map((label) => label.split('='))),
        },
      }) as unknown as LiveObject,
  );
  return findingLines(() => checkNodes(rendered, objects, { namespace: 'cloud' })).filter(
    (line) => !line.startsWith('Job/'),
  );
};
const ROLE = 'openstack-control-plane=enabled';
const HINT = '(label more nodes, or reduce the replicas in the site)';

it('reports a DaemonSet without nodes at its step, not in the plan', () => {
  expect(rendered.steps.filter(({ leftOver }) => leftOver === true).map(({ id }) => id)).toEqual([
    'agent/workload/agent',
  ]);
  const all = { ...rendered, steps: rendered.steps.map(({ leftOver: _, ...step }) => step) };
  const node = {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: 'x',
      labels: { 'openstack-control-plane': 'enabled', nic: 'fast', size: '1' },
    },
  };
  expect(
    findingLines(() => checkNodes(all, [node as unknown as LiveObject], { namespace: 'cloud' })),
  ).toEqual([
    `DaemonSet/agent needs 1 node with ${ROLE},!nic=fast,!size, but 0 of 1 nodes can run it ${HINT}`,
    `DaemonSet/agent-agent-big needs 1 node with ${ROLE},size,!nic=fast, but 0 of 1 nodes can run it ${HINT}`,
  ]);
});

it.each([
  ['nodes of each group', [[ROLE, 'nic=fast'], [ROLE, 'size=1'], [ROLE]], []],
  [
    'none that the groups leave over',
    [
      [ROLE, 'nic=fast'],
      [ROLE, 'size=1', 'nic=slow'],
    ],
    [],
  ],
  [
    'none of a group',
    [[ROLE, 'size=1', 'nic=slow']],
    [
      `DaemonSet/agent-agent-fast needs 1 node with ${ROLE},nic=fast, but 0 of 1 nodes can run it ${HINT}`,
    ],
  ],
  [
    'none of a later group',
    [[ROLE, 'size=1', 'nic=fast']],
    [
      `DaemonSet/agent-agent-big needs 1 node with ${ROLE},size,!nic=fast, but 0 of 1 nodes can run it ${HINT}`,
    ],
  ],
])('%s', (_, nodes, expected) => {
  expect(found(...nodes)).toEqual(expected);
});
