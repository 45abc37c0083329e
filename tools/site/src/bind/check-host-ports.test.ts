import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { findingLines } from '../testing/findings.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });
const SPEC = appText('meter')
  .replace('kind: Deployment', 'kind: DaemonSet\n    host: { network: it counts the traffic }')
  .replace('    replicas: { default: 1, rule: any }\n    spread: preferred\n', '');
const OTHER = SPEC.replace('role: control-plane', 'role: compute').replace('  meter:', '  other:');
const found = (
  apps: string,
  roles: Readonly<Record<string, readonly string[]>> = { 'control-plane': ['a'] },
): string[] => {
  const { site, ...rest } = input(apps, { meter: SPEC, other: OTHER });
  return findingLines(() => renderChecked({ ...rest, site: { ...site, roles } }));
};
const CLASH = (role: string, first = 'meter', second = 'two') =>
  `site.yaml:9 the DaemonSets "${first}" and "${second}" would both use port 80 on nodes with ${role} (run only one of them on these nodes)`;

it.each([
  ['{ meter: {}, two: { app: meter } }', undefined, [CLASH('role "control-plane"')]],
  ['{ meter: { nodes: { fast: { labels: [nic=fast] } } } }', undefined, []],
  [
    '{ meter: { nodes: { fast: { labels: [nic=fast] } } }, two: { app: meter, nodes: { fast: { labels: [nic] } } } }',
    undefined,
    [
      CLASH('role "control-plane"'),
      CLASH('role "control-plane"', 'meter', 'two-meter-fast'),
      CLASH('role "control-plane"', 'meter-meter-fast', 'two-meter-fast'),
    ],
  ],
  [
    '{ meter: {}, other: {} }',
    { 'control-plane': ['a', 'b=c'], compute: ['b'] },
    [CLASH('the roles "control-plane" and "compute"', 'meter', 'other')],
  ],
  ['{ meter: {}, other: {} }', { 'control-plane': ['a=1'], compute: ['a=2'] }, []],
])('%s with roles %j', (apps, roles, expected) => {
  expect(found(apps, roles)).toEqual(expected);
});
