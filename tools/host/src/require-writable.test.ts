import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** As root every folder is writable: so it is asked as nobody, in a process of its own. */
const ASK = `
  const { requireWritable } = await import(${JSON.stringify(fileURLToPath(new URL('./require-writable.ts', import.meta.url)))});
  if (process.getuid() === 0) process.setuid(65534);
  for (const folder of ['/', '/tmp', '/none']) {
    try { requireWritable(folder, 'ask'); console.log('writable'); } catch ({ code, message, hint }) { console.log([code, message, hint].join('; ')); }
  }`;

it('tells a folder that this user may not write to, and one that is not there', () => {
  expect(execFileSync(process.execPath, ['--input-type=module', '-e', ASK], { encoding: 'utf8' }).trim().split('\n')).toEqual([
    'machine-rights; cannot write /: this user may not; ask',
    'writable',
    'file-unwritable; cannot write /none: there is no such file or folder; look at the path',
  ]);
});
