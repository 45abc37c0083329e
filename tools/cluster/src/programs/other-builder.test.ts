import { mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findOtherBuilder, partialFolder } from './other-builder.ts';

let cache: string;
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'ccp-programs-'));
});
afterEach(() => rmSync(cache, { recursive: true }));

it('finds a running process that builds the folder now', async () => {
  const folder = join(cache, 'etcd-0123');
  for (const name of [
    partialFolder(folder),
    `${folder}.4194305`,
    `${folder}.old`,
    join(cache, `kwok-4567.${process.ppid}`),
    folder,
  ])
    mkdirSync(name);
  expect(await findOtherBuilder(folder)).toBe(undefined);
  const other = `${folder}.${process.ppid}`;
  mkdirSync(other);
  expect(await findOtherBuilder(folder)).toBe(process.ppid);
  utimesSync(other, 1_000_000_000, 1_000_000_000);
  expect(await findOtherBuilder(folder)).toBe(undefined);
  expect(await findOtherBuilder(join(cache, 'absent/etcd-0123'))).toBe(undefined);
});
