import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { imageName } from '#core';
import { openCommitted, openDurations, writeCommitted } from './durations.ts';

const file = (): string =>
  join(mkdtempSync(join(tmpdir(), 'ccp-durations-')), 'state', 'durations.json');
const [a, b, c] = ['a', 'b', 'c'].map((name) => imageName(name)) as [
  ReturnType<typeof imageName>,
  ReturnType<typeof imageName>,
  ReturnType<typeof imageName>,
];

it('stores the average of old and new durations by scope, without temporary files', async () => {
  const path = file();
  const first = await openDurations(path, '2026.1 linux/amd64');
  first.record(a, 10);
  await first.save();
  const other = await openDurations(path, 'master linux/amd64');
  other.record(a, 99);
  await other.save();
  const again = await openDurations(path, '2026.1 linux/amd64');
  again.record(a, 20);
  await again.save();
  expect((await openDurations(path, '2026.1 linux/amd64')).measured(a)).toBe(15);
  expect((await openDurations(path, 'master linux/amd64')).measured(a)).toBe(99);
  expect(readdirSync(join(path, '..'))).toEqual(['durations.json']);
});

it.each(['', '{"format":2,"scopes":{"s":{"a":1}}}', '[]', '{"format":1,"scopes":{"s":{"a":"x"}}}'])(
  'ignores the invalid file %j',
  async (text) => {
    const path = join(mkdtempSync(join(tmpdir(), 'ccp-durations-')), 'durations.json');
    writeFileSync(path, text);
    expect((await openDurations(path, 's')).measured(a)).toBeUndefined();
  },
);

it('does not reject if the file cannot be written', async () => {
  await expect(
    (await openDurations('/proc/self/durations.json', 's')).save(),
  ).resolves.toBeUndefined();
});

it('reads committed durations of the scope, then of other scopes, of the first file that has them', async () => {
  const files = [file(), file()] as const;
  await writeCommitted(files[0], 'new', { b: 2 });
  await writeCommitted(files[1], 'new', { a: 1, b: 20 });
  await writeCommitted(files[1], 'old', { a: 10, c: 3 });
  const committed = await openCommitted([...files, file()], 'new');
  expect([a, b, c].map(committed)).toEqual([1, 2, 3]);
  expect(committed('d')).toBeUndefined();
  expect(readFileSync(files[1], 'utf8')).toBe(
    '{\n  "format": 1,\n  "scopes": {\n    "new": {\n      "a": 1,\n      "b": 20\n    },\n    "old": {\n      "a": 10,\n      "c": 3\n    }\n  }\n}\n',
  );
});

it('ignores a pipe in place of the file, without waiting for data', async () => {
  const path = file();
  mkdirSync(dirname(path));
  execFileSync('mkfifo', [path]);
  expect((await openDurations(path, 'scope')).measured(a)).toBeUndefined();
});
