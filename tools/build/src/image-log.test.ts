import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { virtualClock } from '#ports/testing';
import { openImageLog } from './image-log.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-log-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function logged(pieces: readonly string[]): readonly string[] {
  const path = join(folder, 'image.log');
  const log = openImageLog(path, virtualClock(0));
  for (const piece of pieces) log.write('step', piece);
  log.close();
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .map((line) => line.replace('    0.000 [step] ', ''));
}

it.each([
  [
    ['one\n', 'two\n'],
    ['one', 'two'],
  ],
  [['1%\r', '50%\r', '100%\n'], ['100%']],
  [
    ['1%\r50%\r100%\r\n', 'end'],
    ['100%', 'end'],
  ],
  [['a\r', '\n'], ['a']],
  [['99%\r', '100%\r\r'], ['100%']],
])('writes %j as a terminal would show it', (pieces, lines) => {
  expect(logged(pieces)).toEqual(lines);
});

it('splits an endless line, with and without carriage returns', () => {
  const times = Array.from({ length: 50_000 });
  const began = process.cpuUsage();
  expect(logged(times.map((_, index) => `${'.'.repeat(60)} ${index}\r`))).toEqual([
    `${'.'.repeat(60)} 49999`,
  ]);
  const dots = logged(times.map(() => '.'.repeat(20)));
  expect(process.cpuUsage(began).user).toBeLessThan(3_000_000);
  expect(dots.join('')).toBe('.'.repeat(1_000_000));
  expect(Math.max(...dots.map((line) => line.length))).toBeLessThan(20_000);
});

it('reports a log that cannot be created', () => {
  const path = join(folder, 'image.log/nova.log');
  writeFileSync(join(folder, 'image.log'), '');
  expect(() => openImageLog(path, virtualClock(0))).toThrow(`cannot write ${path}: `);
});

it('reports lost lines once', () => {
  const reported: string[] = [];
  const log = openImageLog('/dev/full', virtualClock(0), (message) => reported.push(message));
  for (const text of ['one\n', 'two\n']) log.write('step', text);
  log.close();
  expect(reported).toEqual(['cannot write /dev/full: the disk is full']);
  expect(log.tail()).toEqual(['one', 'two']);
});
