import { expect, it } from 'vitest';
import { errorText } from '#core';
import { parseAppSpec } from './read-app-spec.ts';

const found = (container: string, more = '', live = ''): string => {
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
config: { web.conf: { format: text,${live} layers: [{ content: x }] } }
${more}`;
  try {
    parseAppSpec(text, 'app.yaml', 'web');
    return '';
  } catch (thrown) {
    return errorText(thrown);
  }
};
const ACTION =
  'actions: { dump: { description: dumps, role: any, command: [dump], resources: {} } }\n';

it.each([
  [
    'accepts a valid container',
    '        mounts: { a: /a, b: /b }\n        files: { web.conf: /a/web.conf }\n        resources: { requests: { cpu: 1, memory: 512Mi }, limits: { memory: 0.5Gi } }'.replace(
      'cpu: 1',
      'cpu: "1"',
    ),
    '',
    '',
  ],
  [
    'refuses two volumes at one path',
    '        resources: {}\n        mounts: { a: /data, b: /data }',
    '',
    'ccp: app.yaml:14:32: the volume "a" and the volume "b" are both mounted at /data',
  ],
  [
    'refuses a file at the path of a volume',
    '        resources: {}\n        mounts: { a: /data }\n        files: { web.conf: /data }',
    '',
    'ccp: app.yaml:14:22: the file "web.conf" and the volume "a" are both mounted at /data',
  ],
  [
    'refuses requests above limits',
    '        resources: { requests: { cpu: "2", memory: 8Gi }, limits: { cpu: 1500m, memory: 1536Mi } }',
    '',
    'ccp: app.yaml:13:39: the container requests 2 of cpu, but its limit is 1500m\nccp: app.yaml:13:52: the container requests 8Gi of memory, but its limit is 1536Mi',
  ],
  [
    'refuses an invalid schedule',
    '        resources: {}',
    `${ACTION}schedule: { nightly: { action: dump, cron: 0 25 * * *, enabled: true } }\n`,
    'ccp: app.yaml:16:44: "0 25 * * *" is not a valid schedule: its hour must be of 0-23, a range such as 0-23, or with a step such as */2, not "25"',
  ],
  [
    'refuses a default below its minimum, and a minimum for a text',
    '        resources: {}',
    'settings: { a: { description: a, default: 1, minimum: 2 }, b: { description: b, default: x, minimum: 2 } }\n',
    'ccp: app.yaml:15:43: the default of "a" must be a whole number of at least 2, not 1\nccp: app.yaml:15:102: only a whole number can have a minimum; the default of "b" is not a whole number',
  ],
  [
    'refuses memory above the limit of its container, and an unknown container',
    '        resources: { limits: { memory: 1Gi } }',
    'settings: { a: { description: a, default: 2048, within: web.main }, b: { description: b, default: 1M, within: web.mian } }\n',
    'ccp: app.yaml:15:43: the default of "a" is 2048 MiB, but the memory limit of its container is 1Gi\nccp: app.yaml:15:111: unknown container "web.mian"\n  -> did you mean "web.main"?',
  ],
  [
    'refuses defaults that violate choices or pattern, an invalid pattern, and a pattern for a number',
    '        resources: {}',
    'settings:\n  a: { description: a, default: x, choices: [y, z] }\n  b: { description: b, default: 5Q, pattern: "[0-9]+[KM]?" }\n  c: { description: c, default: x, pattern: "(" }\n  d: { description: d, default: 5, pattern: "5" }\n',
    `ccp: app.yaml:16:33: the default of "a" must be one of y, z, not "x"
ccp: app.yaml:17:33: the default of "b" must match [0-9]+[KM]?, not "5Q"
ccp: app.yaml:18:45: "(" is not a regular expression
ccp: app.yaml:19:3: only a text can have a pattern or choices; the default of "d" is not a text`,
  ],
])('%s', (_, container, more, expected) => {
  expect(found(container, more)).toBe(expected);
});

it.each([
  ['/live/web.conf', ''],
  [
    '/live/other',
    'ccp: app.yaml:14:28: the live file "web.conf" must have this name in its folder',
  ],
  [
    '/data/web.conf',
    'ccp: app.yaml:14:28: the live file "web.conf" needs a folder of its own, but /data is also in /data',
  ],
])('accepts a live file only under its name and in a folder of its own: %s', (path, expected) => {
  const container = `        resources: {}\n        files: { web.conf: ${path} }\n        mounts: { a: /data }`;
  expect(found(container, '', ' live: true,')).toBe(expected);
});
