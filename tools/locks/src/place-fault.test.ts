import { expect, it } from 'vitest';
import { CcpError, formatPosition } from '#core';
import { placeFault } from './place-fault.ts';

const ASKED = [
  { text: 'pyasn1==0.6.99', name: 'pyasn1', at: { file: 'overlay.yaml', line: 5 } },
  { text: 'python-json-loger', name: 'python-json-loger', at: { file: 'images/keystone/overlay.yaml', line: 1 } },
  { text: 'Keystone_Plugin>=2', name: 'keystone-plugin', at: { file: 'images/keystone/overlay.yaml', line: 2 } },
  { text: 'netcat', name: 'netcat', at: { file: 'images/keystone/overlay.yaml', line: 3 } },
];

it.each([
  ['uv: a project that there is not', 'no versions:\nBecause python-json-loger was not found in the package registry', 'images/keystone/overlay.yaml:1'],
  [
    'uv: a version that there is not',
    'no versions:\nBecause keystone-plugin needs pyasn1, and there is no version of pyasn1==0.6.99',
    'overlay.yaml:5 [mend it; it also names Keystone_Plugin>=2 (images/keystone/overlay.yaml:2)]',
  ],
  [
    'apt: a package that there is not',
    'apt finds no set of packages for pyasn1 runtime:\nE: Unable to locate package netcat',
    'images/keystone/overlay.yaml:3',
  ],
  ['a longer name than one that is asked for', 'apt finds no set:\n netcat-openbsd : Conflicts: keystone-plugin-base', 'nowhere'],
])('places what a resolver says: %s', (_, message, place) => {
  const placed = placeFault(new CcpError({ code: 'x', message, hint: 'mend it' }), ASKED) as CcpError;
  expect(placed.message).toBe(message);
  expect(`${placed.at === undefined ? 'nowhere' : formatPosition(placed.at)}${placed.hint === 'mend it' ? '' : ` [${placed.hint}]`}`).toBe(place);
});
