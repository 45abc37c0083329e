import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { errorText, sha256 } from '#core';
import { ownerText, tryLock, withLock } from './hold-lock.ts';

const lockIn = (): string => join(mkdtempSync(join(tmpdir(), 'ccp-lock-')), 'lock');
const MODULE = JSON.stringify(fileURLToPath(new URL('./hold-lock.ts', import.meta.url)));

/** Another process that keeps the lock until it is killed. */
async function otherHolder(path: string) {
  const script = `const { tryLock } = await import(${MODULE}); console.log(tryLock(process.argv.at(-1)).held); setInterval(() => {}, 1e6);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  expect(String((await once(child.stdout, 'data'))[0])).toBe('true\n');
  return child;
}

it('runs one work at a time, also after a failure', async () => {
  const order: string[] = [];
  const path = lockIn();
  const work = (word: string, fails: boolean) => async () => {
    order.push(`${word} in`);
    await delay(20);
    order.push(`${word} out`);
    if (fails) throw new Error(word);
  };
  await Promise.allSettled([
    withLock(path, { what: 'a' }, work('a', true)),
    withLock(path, { what: 'b' }, work('b', false)),
  ]);
  expect([order.slice(0, 2), order.slice(2)].map(([, out]) => out).sort()).toEqual([
    'a out',
    'b out',
  ]);
  expect(readdirSync(join(path, '..'))).toEqual([]);
});

it('reports the owner, waits, and takes the lock over when that process is killed', async () => {
  const path = lockIn();
  const other = await otherHolder(path);
  const attempt = tryLock(path);
  const owner = attempt.held ? undefined : attempt.owner;
  expect(owner).toMatchObject({ pid: other.pid });
  expect(owner?.command).toMatch(/ --input-type=module -e const \{ tryLock .{1,40}…$/);
  expect(Math.abs(Date.now() - owner!.since.getTime())).toBeLessThan(60_000);
  const said: string[] = [];
  const done = withLock(path, { what: 'the thing', say: (line) => void said.push(line) }, () =>
    Promise.resolve('done'),
  );
  await expect.poll(() => said).toEqual([`the thing is locked by ${ownerText(owner!)}; waiting`]);
  other.kill('SIGKILL');
  expect(await done).toBe('done');
});

it('describes an owner by process, command and time', () => {
  const since = new Date('2026-01-31T10:00:00.500Z');
  expect(ownerText({ pid: 7, command: 'ccp build', since })).toBe(
    'process 7 (ccp build) since 2026-01-31 10:00:00 UTC',
  );
  expect(ownerText({ pid: 7, command: '', since })).toBe('process 7 since 2026-01-31 10:00:00 UTC');
});

it('takes over the lock of an ended process, of an earlier boot, and an invalid lock', () => {
  for (const text of ['4194305 \n', `${process.ppid} 0/1\n`, 'nonsense', '']) {
    const path = lockIn();
    writeFileSync(path, text);
    const attempt = tryLock(path);
    expect([text, attempt.held]).toEqual([text, true]);
    if (attempt.held) attempt.release();
    expect(readdirSync(join(path, '..'))).toEqual([]);
  }
});

it('waits while another process removes an abandoned lock, unless that process has ended too', async () => {
  const path = lockIn();
  const stale = '4194305 \n';
  writeFileSync(path, stale);
  const second = `${path}.${sha256(stale).slice(0, 16)}`;
  const other = await otherHolder(second);
  expect(tryLock(path)).toMatchObject({ held: false, owner: { pid: other.pid } });
  expect(readFileSync(path, 'utf8')).toBe(stale);
  other.kill('SIGKILL');
  await once(other, 'close');
  expect(tryLock(path).held).toBe(true);
  expect(readdirSync(join(path, '..'))).toEqual(['lock']);
});

it('gives an abandoned lock to one of many processes at a time', async () => {
  const path = lockIn();
  const script = `
    const { tryLock } = await import(${MODULE});
    const { renameSync, rmSync, writeFileSync } = await import('node:fs');
    const path = process.argv.at(-1);
    let [held, both] = [0, 0];
    for (let round = 0; round < 300; round += 1) {
      const attempt = tryLock(path);
      if (!attempt.held) continue;
      held += 1;
      try { writeFileSync(path + '.in', '', { flag: 'wx' }); } catch { both += 1; continue; }
      rmSync(path + '.in');
      const draft = path + '.draft' + process.pid;
      writeFileSync(draft, '4194305 ended/' + process.pid + round);
      renameSync(draft, path);
    }
    console.log(JSON.stringify([held > 0, both]));`;
  const results = await Promise.all(
    Array.from({ length: 4 }, async () => {
      const args = ['--input-type=module', '-e', script, path];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      return String((await once(child.stdout, 'data'))[0]);
    }),
  );
  expect(results).toEqual(Array.from({ length: 4 }, () => '[true,0]\n'));
});

it('refuses a named pipe instead of a lock without waiting', () => {
  const path = lockIn();
  execFileSync('mkfifo', [path]);
  let text = '';
  try {
    tryLock(path);
  } catch (thrown) {
    text = errorText(thrown);
  }
  expect(text).toBe(
    `ccp: cannot read ${path}: it is not a regular file\n  -> remove it, or name a regular file`,
  );
});
