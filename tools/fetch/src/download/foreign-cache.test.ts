import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_BODY, fetchFixture, lockedDeb } from '../testing/fetch-fixture.ts';

const { cache, serve, run } = fetchFixture();
const file = lockedDeb('a.deb');

/** Makes a path something else than the file that is expected there. */
const KINDS: Readonly<Record<string, (path: string, outside: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a folder': (path) => mkdirSync(path),
  'a link to a file': (path, outside) => symlinkSync(join(outside, 'victim'), path),
  'a link to a folder': (path, outside) => symlinkSync(outside, path),
  'a link to endless zeros': (path) => symlinkSync('/dev/zero', path),
  'a link to nothing': (path) => symlinkSync('/nonexistent', path),
  'a terabyte of holes': (path) => {
    writeFileSync(path, '');
    truncateSync(path, 2 ** 40);
  },
  'other bytes': (path) => writeFileSync(path, 'y'.repeat(file.size)),
  'a file in the way': (path) => writeFileSync(path, ''),
};

describe.each(Object.entries(KINDS))('%s in the folder of another user', (_, make) => {
  it.each(['entry', 'partial download', 'temporary folder'])(
    'as the %s is replaced or passed over, and changes no other file',
    async (place) => {
      const outside = mkdtempSync(join(tmpdir(), 'ccp-outside-'));
      writeFileSync(join(outside, 'victim'), 'keep');
      const { folder } = cache();
      const path = {
        entry: join(folder, 'sha256', file.sha256.slice(0, 2), file.sha256),
        'partial download': join(folder, 'partial', `${file.sha256}.part`),
        'temporary folder': join(folder, 'temporary'),
      }[place]!;
      mkdirSync(dirname(path), { recursive: true });
      make(path, outside);
      const server = await serve({ '/pool/main/a.deb': DEFAULT_BODY });
      await run([file], [server.url]);
      const chunks = await Array.fromAsync(cache().open(file.sha256));
      expect(Buffer.concat(chunks).toString()).toBe(DEFAULT_BODY);
      expect(readFileSync(join(outside, 'victim'), 'utf8')).toBe('keep');
    },
    5000,
  );
});
