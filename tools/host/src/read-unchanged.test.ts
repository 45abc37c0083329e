import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '#core';
import { readUnchanged } from './read-unchanged.ts';

it('returns the hashed bytes, and refuses changed ones', () => {
  const path = join(mkdtempSync(join(tmpdir(), 'ccp-host-')), 'file');
  writeFileSync(path, 'one');
  expect(readUnchanged(path, sha256('one')).toString()).toBe('one');
  expect(() => readUnchanged(path, sha256('two'), 'a.yaml')).toThrow(
    expect.objectContaining({ code: 'file-changed', message: 'a.yaml changed while it was read' }),
  );
  expect(() => readUnchanged(`${path}.gone`, sha256('one'), 'a.yaml')).toThrow(
    expect.objectContaining({ code: 'file-changed', message: 'a.yaml vanished while it was read' }),
  );
});
