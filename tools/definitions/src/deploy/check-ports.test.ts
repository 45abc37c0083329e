import { expect, it } from 'vitest';
import { errorText } from '#core';
import { parseAppSpec } from './read-app-spec.ts';

const spec = (containers: string): string => `schema: 1.0.0
title: web
user: { uid: 1, gid: 1 }
workloads:
  web:
    kind: Deployment
    role: any
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 1
    containers:
${containers}`;
const one = (name: string, ports: string): string =>
  `      ${name}: { command: [serve], resources: {}, ports: { ${ports} } }\n`;
const found = (containers: string): string => {
  try {
    parseAppSpec(spec(containers), 'app.yaml', 'web');
    return '';
  } catch (thrown) {
    return errorText(thrown);
  }
};

it.each([
  [
    'different ports',
    one('main', 'a: { port: 80, from: anyone }, b: { port: 81, from: anyone }'),
    '',
  ],
  [
    'one container',
    one('main', 'a: { port: 80, from: anyone }, b: { port: 80, from: anyone }'),
    'ccp: app.yaml:12:99: port 80 is used twice in the pod: by "a" of the container "main" and by "b" of the container "main"\n  -> set a different number for each port',
  ],
  [
    'two containers',
    one('main', 'a: { port: 80, from: anyone }') + one('side', 'b: { port: 80, from: anyone }'),
    'ccp: app.yaml:13:68: port 80 is used twice in the pod: by "a" of the container "main" and by "b" of the container "side"\n  -> set a different number for each port',
  ],
  [
    'two of one name',
    one('main', 'a: { port: 80, from: anyone }') + one('side', 'a: { port: 81, from: anyone }'),
    'ccp: app.yaml:11:5: two containers of "web" have a port of the same name',
  ],
])('checks ports of %s', (_, containers, expected) => {
  expect(found(containers)).toBe(expected);
});
