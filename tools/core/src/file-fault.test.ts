import { expect, it } from 'vitest';
import { fileChanged, fileFault, isDiskFault, isRightsFault, reading } from './file-fault.ts';

const fault = (code: string): Error =>
  Object.assign(new Error(`${code}: text of the system`), { code });

it.each([
  ['ENOENT', 'read', 'file-unreadable', 'cannot read /x: no such file or folder', 'make it'],
  ['ENOENT', 'write', 'file-unwritable', 'cannot write /x: no such file or folder', 'make it'],
  ['EISDIR', 'write', 'file-unwritable', 'cannot write /x: it is a folder', 'name a file'],
  [
    'ENOSPC',
    'write',
    'machine-disk',
    'cannot write /x: the disk is full',
    'free space on that disk and run the command again',
  ],
  [
    'EACCES',
    'read',
    'machine-rights',
    'cannot read /x: permission denied',
    'grant this user access, or choose another path',
  ],
  [
    'EIO',
    'read',
    'file-unreadable',
    'cannot read /x: EIO: text of the system',
    'check the path and the disk',
  ],
] as const)('converts %s of a %s', (system, doing, code, message, hint) => {
  expect(fileFault(fault(system), doing, '/x', 'make it')).toMatchObject({ code, message, hint });
});

it.each([
  ['ENOSPC', true, false],
  ['EDQUOT', true, false],
  ['EFBIG', true, false],
  ['EACCES', false, true],
  ['EROFS', false, true],
  ['EIO', false, false],
])('classifies %s as a disk fault: %s, as a rights fault: %s', (system, full, rights) => {
  expect([isDiskFault(fault(system)), isRightsFault(fault(system))]).toEqual([full, rights]);
});

it('returns other errors unchanged', () => {
  const bug = new TypeError('x');
  expect(fileFault(bug, 'read', '/x')).toBe(bug);
});

it.each([
  ['ENOENT', 'file-changed', 'a.yaml vanished while it was read'],
  ['EINVAL', 'file-changed', 'a.yaml changed while it was read'],
  ['EISDIR', 'file-unreadable', 'cannot read a.yaml: it is a folder'],
  ['EACCES', 'machine-rights', 'cannot read a.yaml: permission denied'],
])('converts %s of a file that existed a moment ago to %s', (system, code, message) => {
  const read = (): never => {
    throw fault(system);
  };
  expect(() => reading('a.yaml', read)).toThrow(expect.objectContaining({ code, message }));
});

it('replaces the path of a changed file with its name in messages', () => {
  const changed =
    (file: string): (() => never) =>
    () => {
      throw fileChanged(file, 'changed 3 times');
    };
  expect(() => reading('images/a.yaml', changed('/srv/images/a.yaml'))).toThrow(
    'images/a.yaml changed while it was read',
  );
  expect(() => reading('images/a.yaml', changed('images/a.yaml'))).toThrow(
    'images/a.yaml changed 3 times while it was read',
  );
});
