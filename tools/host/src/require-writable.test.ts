import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

/** Runs as nobody in another process, because root can write to every folder. */
const ASK = `
  const { requireWritable } = await import(${JSON.stringify(fileURLToPath(new URL('./require-writable.ts', import.meta.url)))});
  if (process.getuid() === 0) process.setuid(65534);
  for (const folder of ['/', '/tmp', '/none']) {
    try { requireWritable(folder, 'ask'); console.log('writable'); } catch ({ code, message, hint }) { console.log([code, message, hint].join('; ')); }
  }`;

it('refuses a folder that is not writable, and a missing folder', () => {
  expect(
    execFileSync(process.execPath, ['--input-type=module', '-e', ASK], { encoding: 'utf8' })
      .trim()
      .split('\n'),
  ).toEqual([
    'machine-rights; cannot write /: permission denied; ask',
    'writable',
    'file-unwritable; cannot write /none: no such file or folder; check the path',
  ]);
});
