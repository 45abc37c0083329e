import { expect, it } from 'vitest';
import { nameInFolder } from './backup-folder.ts';

it.each(['latest', 'nightly.20260102t021500z', 'a-b_c'])('accepts the name %s', (name) =>
  expect(nameInFolder(name)).toBe(name),
);

it.each(['', '.', '..', '../x', 'a/..', '/srv', 'a\nb', '.new-a'])(
  'refuses %j, which could lead to another folder',
  (name) =>
    expect(() => nameInFolder(name)).toThrow(
      `${JSON.stringify(name)} is not the name of a backup or of an app`,
    ),
);
