import { expect, it } from 'vitest';
import { CcpError, formatPosition } from '#core';
import { locateError } from './locate-error.ts';

const ASKED = [
  { text: 'pyasn1==0.6.99', name: 'pyasn1', at: { file: 'overlay.yaml', line: 5 } },
  {
    text: 'python-json-loger',
    name: 'python-json-loger',
    at: { file: 'images/keystone/overlay.yaml', line: 1 },
  },
  {
    text: 'Keystone_Plugin>=2',
    name: 'keystone-plugin',
    at: { file: 'images/keystone/overlay.yaml', line: 2 },
  },
  { text: 'netcat', name: 'netcat', at: { file: 'images/keystone/overlay.yaml', line: 3 } },
];

it.each([
  [
    'uv: an unknown project',
    'no versions:\nBecause python-json-loger was not found in the package registry',
    'images/keystone/overlay.yaml:1',
  ],
  [
    'uv: an unknown version',
    'no versions:\nBecause keystone-plugin needs pyasn1, and there is no version of pyasn1==0.6.99',
    'overlay.yaml:5 [fix it; it also names Keystone_Plugin>=2 (images/keystone/overlay.yaml:2)]',
  ],
  [
    'apt: an unknown package',
    'apt cannot resolve the packages of pyasn1 runtime:\nE: Unable to locate package netcat',
    'images/keystone/overlay.yaml:3',
  ],
  [
    'a name that contains a requested name',
    'apt finds no set:\n netcat-openbsd : Conflicts: keystone-plugin-base',
    'nowhere',
  ],
])('locates the error of a resolver: %s', (_, message, place) => {
  const placed = locateError(
    new CcpError({ code: 'x', message, hint: 'fix it' }),
    ASKED,
  ) as CcpError;
  expect(placed.message).toBe(message);
  expect(
    `${placed.at === undefined ? 'nowhere' : formatPosition(placed.at)}${placed.hint === 'fix it' ? '' : ` [${placed.hint}]`}`,
  ).toBe(place);
});
