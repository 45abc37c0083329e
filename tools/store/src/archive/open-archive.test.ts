import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pack } from 'tar-stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { digestOf, hexOf } from '#core';
import { openArchive } from './open-archive.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'ccp-archive-'))));
afterAll(() => rmSync(folder, { recursive: true }));

/** An archive whose index names one manifest with this text. */
async function archiveOf(manifest: string, index?: string): Promise<string> {
  const digest = digestOf(manifest);
  const tar = pack();
  tar.entry({ name: `blobs/sha256/${hexOf(digest)}` }, manifest);
  tar.entry({ name: 'index.json' }, index ?? JSON.stringify({ manifests: [{ digest }] }));
  tar.finalize();
  const file = join(folder, 'bundle.tar');
  writeFileSync(file, Buffer.concat((await Array.fromAsync(tar)) as Buffer[]));
  return file;
}

it('finds the manifests that refer to another one', async () => {
  const subject = digestOf('subject');
  const manifest = JSON.stringify({ artifactType: 'a/b', subject: { digest: subject } });
  const { registry } = openArchive(await archiveOf(manifest), 'ccp');
  expect(await registry.referrers('ccp/a', subject)).toMatchObject([
    { digest: digestOf(manifest), size: manifest.length, artifactType: 'a/b' },
  ]);
});

it('names the part that is not JSON', async () => {
  const file = await archiveOf('no json');
  const { registry } = openArchive(file, 'ccp');
  await expect(registry.referrers('ccp/a', digestOf('subject'))).rejects.toMatchObject({
    code: 'bundle-invalid',
    message: expect.stringContaining(
      `${file} is not a bundle: manifest ${digestOf('no json')} cannot be read: it is not JSON (`,
    ),
  });
  const broken = await archiveOf('a', '{');
  expect(() => openArchive(broken, 'ccp')).toThrow(
    'is not a bundle: its index cannot be read: it is not JSON (',
  );
});
