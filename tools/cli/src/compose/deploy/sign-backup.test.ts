import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { newKeyPair, publicKeyOf, signerOf } from '#release';
import { checkImported } from './import-backup.ts';
import { signBackup } from './sign-backup.ts';

const NAME = 'nightly.20260102t021500z';
const own = newKeyPair('ed25519', undefined);
const other = newKeyPair('p256', undefined);
const signer = signerOf(own.privateKey, 'sign.key', undefined);
let root: string;
let folder: string;
let warnings: string[];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'ccp-signed-'));
  folder = join(root, NAME);
  warnings = [];
  mkdirSync(folder);
  mkdirSync(join(root, 'deploy-specs/example'), { recursive: true });
  for (const file of ['manifest.json', 'tables', 'dump.sql.gz', 'keystone.keys.json'])
    writeFileSync(join(folder, file), file);
  await signBackup(folder, { site: 'example', name: NAME }, signer);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const trust = (key: string): void =>
  writeFileSync(join(root, 'deploy-specs/example/backup-signer.pub'), key);
const check = async (site = 'example', at = folder): Promise<void> => {
  const output = { warn: (text: string) => void warnings.push(text) };
  await checkImported({ root, output } as never, site, at);
};
const refused = (why: string, at = folder) => ({
  code: 'untrusted',
  message: `${at} is not trusted: ${why}`,
  hint: 'site example names a key in deploy-specs/example/backup-signer.pub: use a backup that was exported with --sign-key and its private key',
});
const OTHER = `signature.json is not a signature of this key about the backup ${NAME} of example`;

describe('an exported backup', () => {
  it('is accepted if the key of the site signed it', async () => {
    expect(publicKeyOf(own.publicKey, 'key').id).toBe(signer.key.id);
    trust(own.publicKey);
    await check();
    await check('example', `${folder}/`);
    expect(warnings).toEqual([]);
  });

  it('is accepted with a warning if the site names no key', async () => {
    await check();
    expect(warnings).toEqual([
      `nothing proves who wrote ${folder}: the site has no deploy-specs/example/backup-signer.pub`,
    ]);
  });

  it.each<[string, () => void, string]>([
    [
      'keys that another person encrypted to the public key',
      () => writeFileSync(join(folder, 'keystone.keys.json'), 'forged'),
      'keystone.keys.json changed since it was signed',
    ],
    [
      'a further file of keys',
      () => writeFileSync(join(folder, 'web.keys.json'), ''),
      'web.keys.json changed since it was signed',
    ],
    ['a missing file', () => rmSync(join(folder, 'tables')), 'tables changed since it was signed'],
    ['no signature', () => rmSync(join(folder, 'signature.json')), 'it has no signature.json'],
    [
      'a damaged signature',
      () => writeFileSync(join(folder, 'signature.json'), '{}'),
      'signature.json is not in format 1',
    ],
  ])('is refused with %s', async (_, change, why) => {
    trust(own.publicKey);
    change();
    await expect(check()).rejects.toMatchObject(refused(why));
  });

  it('is refused if another key signed it', async () => {
    trust(other.publicKey);
    await expect(check()).rejects.toMatchObject(refused(OTHER));
  });

  it('is refused under another name, or for another site', async () => {
    trust(own.publicKey);
    const renamed = join(root, 'nightly.20260103t021500z');
    renameSync(folder, renamed);
    await expect(check('example', renamed)).rejects.toMatchObject(
      refused(OTHER.replace(NAME, 'nightly.20260103t021500z'), renamed),
    );
  });
});
