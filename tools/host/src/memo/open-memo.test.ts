import { execFileSync } from 'node:child_process';
import {
  mkdtempSync,
  readFileSync,
  renameSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { sha256 } from '#core';
import { openMemo } from './open-memo.ts';

let folder: string;
let file: string;
let memoPath: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-memo-'));
  file = join(folder, 'é file');
  memoPath = join(folder, '.ccp', 'memo');
  writeFileSync(file, 'one');
});

/** Runs `body` an hour in the future, so that a file written just now is no longer racy. */
function later<T>(body: () => T): T {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000);
  try {
    return body();
  } finally {
    clock.mockRestore();
  }
}

function rememberFile(): void {
  later(() => {
    const memo = openMemo(memoPath);
    memo.fileSha256(file);
    memo.save();
  });
}

describe('files', () => {
  it('returns the saved hash without reading the file', () => {
    rememberFile();
    const text = readFileSync(memoPath, 'utf8').replace(sha256('one'), sha256('planted'));
    const body = text.slice(text.indexOf('\n') + 1);
    writeFileSync(memoPath, `ccp-memo 1 ${sha256(body)}\n${body}`);
    expect(openMemo(memoPath).fileSha256(file)).toBe(sha256('planted'));
  });

  it('reads a file again if its size, time or inode changed', () => {
    rememberFile();
    writeFileSync(file, 'three');
    expect(openMemo(memoPath).fileSha256(file)).toBe(sha256('three'));

    rememberFile();
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'THREE');
    utimesSync(file, atime, mtime);
    expect(openMemo(memoPath).fileSha256(file)).toBe(sha256('THREE'));

    rememberFile();
    writeFileSync(`${file}2`, 'thrEE');
    utimesSync(`${file}2`, atime, mtime);
    renameSync(`${file}2`, file);
    expect(openMemo(memoPath).fileSha256(file)).toBe(sha256('thrEE'));
  });

  it('does not keep the hash of a file that was written just before', () => {
    const memo = openMemo(memoPath);
    memo.fileSha256(file);
    memo.recall('a', () => 1);
    memo.save();
    expect(readFileSync(memoPath, 'utf8')).not.toContain(sha256('one'));
  });

  it('throws the system error of a missing file', () => {
    expect(() => openMemo(memoPath).fileSha256(join(folder, 'none'))).toThrow(/^ENOENT/);
  });

  it('refuses a file that changed since the caller saw it', () => {
    const before = statSync(file);
    writeFileSync(`${file}2`, 'two');
    renameSync(`${file}2`, file);
    expect(() => openMemo(memoPath).fileSha256(file, before)).toThrow(
      expect.objectContaining({
        code: 'file-changed',
        message: `${file} changed while it was read`,
      }),
    );
  });
});

describe('values', () => {
  it('computes once per key in several runs, with any key', () => {
    const keys = ['plain', '#odd', 'tab\tand\nnewline', 'ü', 'x'.repeat(1000)];
    const first = openMemo(memoPath);
    for (const key of keys) first.recall(key, () => ({ key, text: 'a\nb\tc' }));
    first.save();
    const second = openMemo(memoPath);
    for (const key of keys) {
      expect(
        second.recall<{ key: string; text: string }>(key, () => expect.fail('computed again')),
      ).toEqual({ key, text: 'a\nb\tc' });
    }
  });

  it.each([
    ['cut', (text: string) => text.slice(0, -9)],
    ['one byte flipped', (text: string) => text.replace('"kept"', '"kepT"')],
    ['another format', (text: string) => text.replace('ccp-memo 1', 'ccp-memo 2')],
    ['empty', () => ''],
  ])('starts with an empty memo if the file is damaged: %s', (_, damage) => {
    const memo = openMemo(memoPath);
    memo.recall('key', () => 'kept');
    memo.save();
    writeFileSync(memoPath, damage(readFileSync(memoPath, 'utf8')));
    expect(openMemo(memoPath).recall('key', () => 'computed')).toBe('computed');
  });
});

describe('save', () => {
  it('does not write the file if nothing changed', () => {
    const memo = openMemo(memoPath);
    memo.recall('key', () => 1);
    memo.save();
    const inode = statSync(memoPath).ino;
    const again = openMemo(memoPath);
    again.recall('key', () => 2);
    again.save();
    expect(statSync(memoPath).ino).toBe(inode);
  });

  it('drops entries that many saves have not used, and keeps the others', () => {
    const first = openMemo(memoPath);
    first.recall('used', () => 1);
    first.recall('unused', () => 1);
    first.save();
    for (let run = 0; run < 20; run++) {
      const memo = openMemo(memoPath);
      memo.recall('used', () => 2);
      memo.recall(`run ${run}`, () => run);
      memo.save();
    }
    const last = openMemo(memoPath);
    expect([last.recall('used', () => 2), last.recall('unused', () => 2)]).toEqual([1, 2]);
  });
});

it('reads a pipe instead of the memo as empty, and refuses to hash a pipe', () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  expect(openMemo(pipe).fileSha256(file)).toBe(sha256('one'));
  expect(() => openMemo(memoPath).fileSha256(pipe)).toThrow(
    expect.objectContaining({
      code: 'file-unreadable',
      message: `cannot read ${pipe}: it is not a regular file`,
    }),
  );
});

it('refuses to hash a file over the size limit', () => {
  truncateSync(file, (256 << 20) + 1);
  expect(() => openMemo(memoPath).fileSha256(file)).toThrow(
    expect.objectContaining({
      code: 'file-unreadable',
      message: `cannot read ${file}: it is larger than 256 MiB`,
    }),
  );
});
