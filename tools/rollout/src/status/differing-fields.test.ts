import { expect, it } from 'vitest';
import { differingFields } from './differing-fields.ts';

const wanted = {
  replicas: 2,
  paused: false,
  labels: { app: 'web' },
  ports: [{ name: 'http', port: 80 }],
  command: ['web', '--verbose'],
  affinity: {},
};

it.each([
  ['the same object', wanted, 0],
  ['defaults of the server', { ...wanted, ports: [{ ...wanted.ports[0], protocol: 'TCP' }] }, 0],
  ['empty values that the server drops', { ...wanted, paused: undefined, affinity: undefined }, 0],
  ['another value', { ...wanted, replicas: 3 }, 1],
  ['another value and a lost label', { ...wanted, replicas: 3, labels: {} }, 2],
  ['another value in an item of a list', { ...wanted, ports: [{ name: 'http', port: 81 }] }, 1],
  ['an item more', { ...wanted, command: ['web', '--verbose', '--slow'] }, 1],
  ['another order', { ...wanted, command: ['--verbose', 'web'] }, 2],
  ['a lost field', { ...wanted, command: undefined }, 1],
  ['a text instead of a map', { ...wanted, labels: 'app=web' }, 1],
])('counts the fields that differ: %s', (_, live, expected) => {
  expect(differingFields(live, wanted)).toBe(expected);
});

it.each([
  ['a lost false', { ...wanted, paused: undefined }, 1],
  ['a lost empty map', { ...wanted, affinity: undefined }, 0],
  ['the same object', wanted, 0],
])('counts false and 0 as values: %s', (_, live, expected) => {
  expect(differingFields(live, wanted, 'count')).toBe(expected);
});
