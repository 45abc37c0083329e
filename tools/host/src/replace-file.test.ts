import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

it('replaces the bytes, and leaves no draft after a failure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  replaceFile(join(folder, 'a'), 'old');
  replaceFile(join(folder, 'a'), Buffer.from('new'), { flush: false });
  mkdirSync(join(folder, 'b'));
  expect(() => replaceFile(join(folder, 'b'), 'x')).toThrow(
    expect.objectContaining({ code: 'EISDIR' }),
  );
  expect([readdirSync(folder).sort(), readFileSync(join(folder, 'a'), 'utf8')]).toEqual([
    ['a', 'b'],
    'new',
  ]);
});
