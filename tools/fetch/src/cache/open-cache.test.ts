import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { sha256 } from '#core';
import { readStream } from '../../../formats/src/testing/tar-list.ts';
import type { Cache } from './cache.ts';
import { derivedName } from './derived-name.ts';
import { openCache } from './open-cache.ts';

let folder: string;
let cache: Cache;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-cache-'));
  cache = openCache({ folder });
});

async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function read(data: AsyncIterable<Uint8Array>): Promise<string> {
  return (await readStream(data)).toString();
}

const entryPath = (hash: string): string => join(folder, 'sha256', hash.slice(0, 2), hash);

describe('entries', () => {
  it('returns the stored bytes', async () => {
    const entry = await cache.put(chunks('ab', '', 'c'));
    expect(entry).toEqual({ sha256: sha256('abc'), size: 3 });
    expect(await read(cache.open(entry.sha256))).toBe('abc');
    expect(cache.sizeOf(entry.sha256)).toBe(3);
    const empty = await cache.put(chunks());
    expect(await read(cache.open(empty.sha256))).toBe('');
  });

  it('returns only a part of a corrupt entry, and removes the entry', async () => {
    const large = 'x'.repeat(3_000_000);
    const { sha256: hash } = await cache.put(chunks(large));
    writeFileSync(entryPath(hash), `${large.slice(0, -1)}y`);
    let seen = 0;
    const reading = (async () => {
      for await (const chunk of cache.open(hash)) seen += chunk.byteLength;
    })();
    await expect(reading).rejects.toMatchObject({
      code: 'cache-corrupt',
      message: `the cache's copy of ${hash} is damaged; it was removed`,
    });
    expect(seen).toBeLessThan(large.length);
    await expect(read(cache.open(hash))).rejects.toMatchObject({ code: 'cache-missing' });
  });

  it.each([
    ['a folder', (path: string) => mkdirSync(join(path, 'below'), { recursive: true })],
    [
      'a pipe that nobody writes to',
      (path: string) => void execFileSync('sh', ['-c', 'mkdir -p "${0%/*}" && mkfifo "$0"', path]),
    ],
  ])('removes an entry that is %s, as it does damaged bytes', async (_, make) => {
    const hash = sha256('x');
    make(entryPath(hash));
    expect(await cache.verify(hash)).toBe(false);
    expect(cache.sizeOf(hash)).toBeUndefined();
    await cache.put(chunks('x'), hash);
    expect(await read(cache.open(hash))).toBe('x');
  });

  it('ignores a derived key that is a pipe', async () => {
    const { sha256: hash } = await cache.putDerived('key', chunks('x'));
    expect(cache.derived('key')?.sha256).toBe(hash);
    const path = join(folder, 'derived', derivedName('key'));
    execFileSync('sh', ['-c', 'rm "$0" && mkfifo "$0"', path]);
    expect(cache.derived('key')).toBeUndefined();
    await cache.putDerived('key', chunks('x'));
    expect(cache.derived('key')?.sha256).toBe(hash);
  });

  it('verifies missing and truncated entries without raising', async () => {
    const { sha256: hash } = await cache.put(chunks('whole'));
    expect(await cache.verify(hash)).toBe(true);
    writeFileSync(entryPath(hash), 'who');
    expect([await cache.verify(hash), await cache.verify(hash)]).toEqual([false, false]);
  });

  it('refuses unexpected bytes and leaves no file', async () => {
    await expect(cache.put(chunks('b'), sha256('a'))).rejects.toMatchObject({
      code: 'checksum-mismatch',
      message: `expected ${sha256('a')}, got ${sha256('b')} (1 bytes)`,
    });
    expect(await cache.usage()).toEqual({ folder, entries: 0, size: 0, unfinished: 0, git: 0 });
  });

  it('leaves no file if the source of the bytes fails', async () => {
    const failing = (async function* () {
      yield Buffer.from('half');
      throw new Error('cut off');
    })();
    await expect(cache.put(failing)).rejects.toThrow('cut off');
    expect(await cache.usage()).toMatchObject({ entries: 0, unfinished: 0 });
  });
});

describe('a full disk', () => {
  it.skipIf(process.getuid?.() !== 0)(
    'raises cache-full and leaves nothing half done (needs root, to mount a small disk)',
    async () => {
      const small = join(folder, 'small');
      mkdirSync(small);
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', small]);
      try {
        const tight = openCache({ folder: small });
        await expect(
          tight.put(chunks('x'.repeat(200_000), 'x'.repeat(200_000))),
        ).rejects.toMatchObject({
          code: 'cache-full',
          message: `no space left for the cache ${small}`,
          hint: 'free space with "ccp cache prune", or set CCP_CACHE to a folder on a larger disk',
        });
        expect(await tight.usage()).toMatchObject({ entries: 0, unfinished: 0 });
        expect((await tight.put(chunks('small'))).size).toBe(5);
      } finally {
        execFileSync('umount', [small]);
      }
    },
  );

  it('distinguishes a folder without permission from a full disk', async () => {
    writeFileSync(join(folder, 'file'), '');
    await expect(
      openCache({ folder: join(folder, 'file') }).put(chunks('x')),
    ).rejects.toMatchObject({
      code: 'cache-failed',
      hint: 'check the disk, or set CCP_CACHE to another folder',
    });
  });
});

describe('derived entries', () => {
  it('finds derived entries by key while their bytes exist', async () => {
    expect(cache.derived('seed of a and b')).toBeUndefined();
    const entry = await cache.putDerived('seed of a and b', chunks('ab'));
    expect(openCache({ folder }).derived('seed of a and b')).toEqual(entry);
    await cache.prune({ olderThanMs: -1 });
    expect(cache.derived('seed of a and b')).toBeUndefined();
    expect(readdirSync(join(folder, 'derived'))).toEqual([]);
  });
});

describe('prune', () => {
  it('removes a pipe among the derived keys without blocking', async () => {
    mkdirSync(join(folder, 'derived'));
    execFileSync('mkfifo', [join(folder, 'derived', derivedName('key'))]);
    await cache.prune({ keepDerived: new Set(['key']), olderThanMs: 3_600_000 });
    expect(readdirSync(join(folder, 'derived'))).toEqual([]);
  });

  it('removes old entries that are not kept, and files left by killed runs', async () => {
    const old = await cache.put(chunks('old'));
    const kept = await cache.put(chunks('kept'));
    const recent = await cache.put(chunks('recent'));
    const yesterday = Date.now() / 1000 - 100_000;
    mkdirSync(cache.partialFolder);
    writeFileSync(join(cache.partialFolder, 'left'), '1234567');
    for (const path of [
      entryPath(old.sha256),
      entryPath(kept.sha256),
      join(cache.partialFolder, 'left'),
    ])
      utimesSync(path, yesterday, yesterday);
    expect(await cache.prune({ keep: new Set([kept.sha256]), olderThanMs: 3_600_000 })).toBe(3 + 7);
    expect([old, kept, recent].map(({ sha256: hash }) => cache.sizeOf(hash))).toEqual([
      undefined,
      4,
      6,
    ]);
    expect(await cache.usage()).toEqual({ folder, entries: 2, size: 10, unfinished: 0, git: 0 });
  });

  it('keeps derived entries of kept keys', async () => {
    const [kept, dropped] = [
      await cache.putDerived('kept', chunks('kept')),
      await cache.putDerived('dropped', chunks('dropped')),
    ];
    const yesterday = Date.now() / 1000 - 100_000;
    for (const { sha256: hash } of [kept, dropped])
      utimesSync(entryPath(hash), yesterday, yesterday);
    expect(await cache.prune({ keepDerived: new Set(['kept']), olderThanMs: 3_600_000 })).toBe(7);
    expect([cache.derived('kept'), cache.derived('dropped')]).toEqual([kept, undefined]);
  });

  it('treats a read as a use', async () => {
    const { sha256: hash } = await cache.put(chunks('read'));
    const yesterday = Date.now() / 1000 - 100_000;
    utimesSync(entryPath(hash), yesterday, yesterday);
    await read(cache.open(hash));
    await cache.prune({ olderThanMs: 3_600_000 });
    expect(readFileSync(entryPath(hash), 'utf8')).toBe('read');
  });
});
