import { expect, it } from 'vitest';
import { fileChanged, fileFault, isDiskFault, isRightsFault, reading } from './file-fault.ts';

const fault = (code: string): Error => Object.assign(new Error(`${code}: words of the system`), { code });

it.each([
  ['ENOENT', 'read', 'file-unreadable', 'cannot read /x: there is no such file or folder', 'make it'],
  ['ENOENT', 'write', 'file-unwritable', 'cannot write /x: there is no such file or folder', 'make it'],
  ['EISDIR', 'write', 'file-unwritable', 'cannot write /x: it is a folder', 'name a file'],
  ['ENOSPC', 'write', 'machine-disk', 'cannot write /x: the disk is full', 'free space on that disk and run the command again'],
  ['EACCES', 'read', 'machine-rights', 'cannot read /x: this user may not', 'give this user the right, or name another place'],
  ['EIO', 'read', 'file-unreadable', 'cannot read /x: EIO: words of the system', 'look at the path and the disk'],
] as const)('%s of a %s', (system, doing, code, message, hint) => {
  expect(fileFault(fault(system), doing, '/x', 'make it')).toMatchObject({ code, message, hint });
});

it.each([
  ['ENOSPC', true, false],
  ['EDQUOT', true, false],
  ['EFBIG', true, false],
  ['EACCES', false, true],
  ['EROFS', false, true],
  ['EIO', false, false],
])("%s is the disk's: %s, or of rights: %s", (system, full, rights) => {
  expect([isDiskFault(fault(system)), isRightsFault(fault(system))]).toEqual([full, rights]);
});

it('leaves alone what is no fault of the system', () => {
  const bug = new TypeError('x');
  expect(fileFault(bug, 'read', '/x')).toBe(bug);
});

it.each([
  ['ENOENT', 'file-changed', 'a.yaml vanished while it was read'],
  ['EINVAL', 'file-changed', 'a.yaml changed while it was read'],
  ['EISDIR', 'file-unreadable', 'cannot read a.yaml: it is a folder'],
  ['EACCES', 'machine-rights', 'cannot read a.yaml: this user may not'],
])('%s of a file that was there a moment ago is %s', (system, code, message) => {
  const read = (): never => {
    throw fault(system);
  };
  expect(() => reading('a.yaml', read)).toThrow(expect.objectContaining({ code, message }));
});

it('names a file that changed as messages name it, not by the path that it was read by', () => {
  const changed =
    (file: string): (() => never) =>
    () => {
      throw fileChanged(file, 'changed 3 times');
    };
  expect(() => reading('images/a.yaml', changed('/srv/images/a.yaml'))).toThrow('images/a.yaml changed while it was read');
  expect(() => reading('images/a.yaml', changed('images/a.yaml'))).toThrow('images/a.yaml changed 3 times while it was read');
});
