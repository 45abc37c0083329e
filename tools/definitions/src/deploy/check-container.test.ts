import { expect, it } from 'vitest';
import { errorText } from '#core';
import { parseAppSpec } from './read-app-spec.ts';

const found = (container: string, more = ''): string => {
  const text = `schema: 1.0.0
title: web
user: { uid: 1, gid: 1 }
workloads:
  web:
    kind: DaemonSet
    role: any
    grace: 1
    volumes: { a: { ephemeral: { size: 1Gi } }, b: { ephemeral: { size: 1Gi } } }
    containers:
      main:
        command: [serve]
${container}
config: { web.conf: { format: text, layers: [{ content: x }] } }
${more}`;
  try {
    parseAppSpec(text, 'app.yaml', 'web');
    return '';
  } catch (thrown) {
    return errorText(thrown);
  }
};
const ACTION = 'actions: { dump: { description: dumps, role: any, command: [dump], resources: {} } }\n';

it.each([
  [
    'all that is right',
    '        mounts: { a: /a, b: /b }\n        files: { web.conf: /a/web.conf }\n        resources: { requests: { cpu: 1, memory: 512Mi }, limits: { memory: 0.5Gi } }'.replace(
      'cpu: 1',
      'cpu: "1"',
    ),
    '',
    '',
  ],
  [
    'two volumes at one path',
    '        resources: {}\n        mounts: { a: /data, b: /data }',
    '',
    'ccp: app.yaml:14:32: the volume "a" and the volume "b" are both at /data',
  ],
  [
    'a file where a volume is',
    '        resources: {}\n        mounts: { a: /data }\n        files: { web.conf: /data }',
    '',
    'ccp: app.yaml:14:22: the file "web.conf" and the volume "a" are both at /data',
  ],
  [
    'requests above limits',
    '        resources: { requests: { cpu: "2", memory: 8Gi }, limits: { cpu: 1500m, memory: 1536Mi } }',
    '',
    'ccp: app.yaml:13:39: the container requests 2 of cpu, and its limit is 1500m\nccp: app.yaml:13:52: the container requests 8Gi of memory, and its limit is 1536Mi',
  ],
  [
    'a time that never comes',
    '        resources: {}',
    `${ACTION}schedule: { nightly: { action: dump, cron: 0 25 * * *, enabled: true } }\n`,
    'ccp: app.yaml:16:44: "0 25 * * *" is no time of a schedule: its hour must be of 0-23, a range such as 0-23, or with a step such as */2, not "25"',
  ],
  [
    'a default below its minimum, and one of what is no number',
    '        resources: {}',
    'settings: { a: { description: a, default: 1, minimum: 2 }, b: { description: b, default: x, minimum: 2 } }\n',
    'ccp: app.yaml:15:43: the default of "a" must be a whole number of at least 2, not 1\nccp: app.yaml:15:102: only a whole number has a minimum, and the default of "b" is none',
  ],
  [
    'memory beyond the limit of its container, and of a container that is not there',
    '        resources: { limits: { memory: 1Gi } }',
    'settings: { a: { description: a, default: 2048, within: web.main }, b: { description: b, default: 1M, within: web.mian } }\n',
    'ccp: app.yaml:15:43: the default of "a" is 2048 MiB, and the container that it is for may take 1Gi of memory\nccp: app.yaml:15:111: there is no container "web.mian"\n  -> did you mean "web.main"?',
  ],
  [
    'a default that is none of the choices, one that its pattern does not take, a pattern that is none, and one of what is no text',
    '        resources: {}',
    'settings:\n  a: { description: a, default: x, choices: [y, z] }\n  b: { description: b, default: 5Q, pattern: "[0-9]+[KM]?" }\n  c: { description: c, default: x, pattern: "(" }\n  d: { description: d, default: 5, pattern: "5" }\n',
    `ccp: app.yaml:16:33: the default of "a" must be one of y, z, not "x"
ccp: app.yaml:17:33: the default of "b" must match [0-9]+[KM]?, not "5Q"
ccp: app.yaml:18:45: "(" is no regular expression
ccp: app.yaml:19:3: only a text has a pattern or choices, and the default of "d" is none`,
  ],
])('%s', (_, container, more, expected) => {
  expect(found(container, more)).toBe(expected);
});
