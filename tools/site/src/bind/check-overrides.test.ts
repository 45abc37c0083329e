import { describe, expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { findingLines } from '../testing/findings.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });

const WEB = appText(
  'web',
  'settings: { memory: { description: MiB, default: 64, minimum: 8, within: agent.agent }, processes: { description: each, default: 2 }, pool: { description: "Bytes, such as 5M.", default: 1M, pattern: "[0-9]+[KM]?" } }\nconfig: { web.conf: { format: ini, layers: [{ content: {} }] } }\njobs: { db-sync: { phase: expand, role: control-plane, command: [sync], resources: {} } }\nactions: { dump: { description: dumps, role: control-plane, command: [dump], resources: {} } }\nschedule: { nightly: { action: dump, cron: 0 2 * * *, enabled: true } }\n',
).replace(
  'workloads:\n',
  `workloads:
  agent: { kind: DaemonSet, role: control-plane, grace: 1, containers: { agent: { command: [agent], resources: { limits: { memory: 1536Mi } } } } }
`,
);
const found = (settings: string, more = ''): string[] =>
  findingLines(() => renderChecked(input(`{ web: ${settings} }`, { web: WEB }, more)));

describe('overrides of a site', () => {
  it.each([
    [
      '{ resources: { web: { mian: {} }, wbe: {} } }',
      [
        'site.yaml:9 "web" of "web" has no container "mian" (did you mean "main"?)',
        'site.yaml:9 "web" has no workload "wbe" (did you mean "web"?)',
      ],
    ],
    [
      '{ nodes: { fast: { labels: [a], resources: { agnet: { agent: {} }, web: {} } } } }',
      [
        'site.yaml:9 "web" has no DaemonSet "agnet" (did you mean "agent"?)',
        'site.yaml:9 "web" has no DaemonSet "web" (known: agent)',
      ],
    ],
    [
      '{ nodes: { fast: { labels: [a], resources: { agent: { agnt: {} } }, config: { wbe.conf: {} } } } }',
      [
        'site.yaml:9 "agent" of "web" has no container "agnt" (did you mean "agent"?)',
        'site.yaml:9 "web" has no configuration file "wbe.conf" (did you mean "web.conf"?)',
      ],
    ],
    [
      '{ nodes: { fast: { labels: [a, b] }, big: { labels: [b=c, a] }, other: { labels: [a, c] } } }',
      [
        'site.yaml:9 no node can match the group "big": nodes with b=c or a match "fast" first (put the narrower group first, or remove one group)',
      ],
    ],
    [
      '{ resources: { agent: { agent: { requests: { memory: 8Gi } } } }, nodes: { fast: { labels: [a], resources: { agent: { agent: { requests: { cpu: "2" }, limits: { cpu: 1500m } } } } } } }',
      [
        'site.yaml:9 the container "agent" of "agent" requests 8Gi of memory, but its limit is 1536Mi (set both: requests.memory and limits.memory)',
        'site.yaml:9 the container "agent" of "agent" requests 2 of cpu, but its limit is 1500m (set both: requests.cpu and limits.cpu)',
      ],
    ],
    [
      '{ schedule: { nightly: { cron: 99 99 * * * } } }',
      [
        'site.yaml:9 "99 99 * * *" is not a valid schedule: its minute must be of 0-59, a range such as 0-59, or with a step such as */2, not "99"',
      ],
    ],
    [
      '{ settings: { memory: -5, processes: many } }',
      [
        'site.yaml:9 the setting "memory" must be a whole number of at least 8, not -5 (MiB)',
        'site.yaml:9 the setting "processes" must be a number (each)',
      ],
    ],
    [
      '{ settings: { memory: 8.5 } }',
      ['site.yaml:9 the setting "memory" must be a whole number of at least 8, not 8.5 (MiB)'],
    ],
    [
      '{ settings: { pool: "1; DROP" } }',
      ['site.yaml:9 the setting "pool" must match [0-9]+[KM]?, not "1; DROP" (Bytes, such as 5M.)'],
    ],
    ['{ settings: { memory: 8 } }', []],
    [
      '{ settings: { memory: 3000 } }',
      [
        'site.yaml:9 the setting "memory" is 3000 MiB, but the memory limit of its container is 1536Mi (set both: settings.memory and resources.agent.agent.limits.memory)',
      ],
    ],
    [
      '{ settings: { memory: 3000 }, resources: { agent: { agent: { limits: { memory: 4Gi } } } } }',
      [],
    ],
    [
      '{ resources: { agent: { agent: { limits: { memory: 32Mi } } } } }',
      [
        'site.yaml:9 the setting "memory" is 64 MiB, but the memory limit of its container is 32Mi (set both: settings.memory and resources.agent.agent.limits.memory)',
      ],
    ],
    [
      '{ replicas: { agent: 2 }, hosts: { api: "http://a" }, settings: { x: 1 } }',
      [
        'site.yaml:9 "web" has no setting "x" (known: memory, processes, pool)',
        'site.yaml:9 "web" has no endpoint "api" (known: none)',
        'site.yaml:9 "agent" is a DaemonSet with one pod on each node of its role; it has no number of replicas (label more nodes or fewer nodes with the role)',
      ],
    ],
  ])('%s', (settings, expected) => {
    expect(found(settings).sort()).toEqual(expected.sort());
  });
});

describe('external images', () => {
  const image =
    'quay.example.org/web@sha256:0000000000000000000000000000000000000000000000000000000000000000';
  const external = (more: string) =>
    found('{}', `external:\n  web:\n    reference: ${image}\n${more}`);

  it('accepts commands for existing containers only', () => {
    expect(
      external(
        '    runtime: kolla\n    commands:\n      web.main: [x]\n      web.mian: [x]\n      web: [x]\n    bootstrap:\n      db-sync: {}\n      db-syncx: {}\n',
      ),
    ).toEqual([
      'site.yaml:16 the image "web" runs in no container or job "web.mian" (did you mean "web.main"?)',
      'site.yaml:17 the image "web" runs in no container or job "web" (known: agent.agent, web.main, db-sync, dump)',
      'site.yaml:20 the image "web" runs in no job "db-syncx" (did you mean "db-sync"?)',
    ]);
  });

  it.each([
    ['2025.2-debian-bookworm', '2025.2'],
    ['2025.2', '2025.2'],
    ['master-debian-trixie', 'master'],
  ])('refuses a Kolla image with the tag %s in a site of another series', (tag, series) => {
    const tagged = image.replace('@', `:${tag}@`);
    const of = (reference: string) =>
      found('{}', `external:\n  web:\n    reference: ${reference}\n    runtime: kolla\n`);
    expect(of(tagged)).toEqual([
      `site.yaml:12 the Kolla image "web" is of the series ${series}, but the site is of 2026.1 (use the image with a tag that starts with 2026.1)`,
    ]);
    expect(of(image.replace('@', ':2026.1-debian-trixie@'))).toEqual([]);
    expect(of(image.replace('@', ':nightly@'))).toEqual([]);
  });

  it('requires the command that starts an external image', () => {
    expect(external('')).toEqual([
      'site.yaml:11 the key "runtime" is missing in external.web (use one of: "plain", "kolla")',
    ]);
  });

  it('accepts "bootstrap" only with runtime: kolla', () => {
    expect(
      external('    runtime: plain\n    bootstrap: { db-sync: { KOLLA_BOOTSTRAP: "" } }\n'),
    ).toEqual([
      'site.yaml:14 "bootstrap" needs runtime: kolla, but the runtime of "web" is plain (set runtime: kolla, or set the command: external.IMAGE.commands)',
    ]);
  });
});
