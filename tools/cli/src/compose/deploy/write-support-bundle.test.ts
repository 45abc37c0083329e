import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeSupportBundle } from './write-support-bundle.ts';

let root: string;
beforeEach(() => void (root = mkdtempSync(join(tmpdir(), 'ccp-bundle-'))));
afterEach(() => rmSync(root, { recursive: true }));

describe('a support bundle', () => {
  const write = (named?: string) =>
    writeSupportBundle([{ path: 'status.txt', text: 'the site is healthy\n' }], {
      site: 'tiny',
      named,
      root,
    });

  it('is written to the workspace, readable only by its owner', async () => {
    const file = await write();
    expect(file).toMatch(/\/\.ccp\/support\/tiny-\d{8}T\d{6}Z\.tar\.gz$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(gunzipSync(readFileSync(file)).toString()).toMatch(
      /^tiny-support\/status\.txt[^]*the site is healthy\n/,
    );
  });

  it('is written to the named file without creating its folder', async () => {
    const missing = join(root, 'nowhere/x.tgz');
    await expect(write(missing)).rejects.toMatchObject({
      code: 'file-unwritable',
      message: expect.stringContaining(`cannot write ${missing}: `) as string,
      hint: `create its folder first: ${join(root, 'nowhere')}`,
    });
    expect(existsSync(join(root, 'nowhere'))).toBe(false);
    expect(await write(join(root, 'x.tgz'))).toBe(join(root, 'x.tgz'));
  });
});
