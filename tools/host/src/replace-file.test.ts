import { mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { replaceFile } from './replace-file.ts';

it('puts the new bytes in place of the old ones, and leaves nothing beside them where it cannot', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-host-'));
  replaceFile(join(folder, 'a'), 'old');
  replaceFile(join(folder, 'a'), Buffer.from('new'), { flush: false });
  mkdirSync(join(folder, 'b'));
  expect(() => replaceFile(join(folder, 'b'), 'x')).toThrow(expect.objectContaining({ code: 'EISDIR' }));
  expect([readdirSync(folder).sort(), readFileSync(join(folder, 'a'), 'utf8')]).toEqual([['a', 'b'], 'new']);
});
