import {
  createCipheriv,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  randomBytes,
} from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Site } from '#definitions';
import { fakeCluster } from '#ports/testing';
import { importKeys } from './import-backup.ts';
import type { RunningSite } from './open-site.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-export-'));
const key = join(folder, 'backup.key');
const P256 = { namedCurve: 'P-256' };

beforeAll(() => {
  const pair = generateKeyPairSync('ec', P256);
  const own = generateKeyPairSync('ec', P256);
  const nonce = randomBytes(12);
  const purpose = 'ccp keys of a backup';
  const secret = diffieHellman({ privateKey: own.privateKey, publicKey: pair.publicKey });
  const derived = Buffer.from(hkdfSync('sha256', secret, nonce, purpose, 32));
  const cipher = createCipheriv('aes-256-gcm', derived, nonce).setAAD(Buffer.from(purpose));
  const text = JSON.stringify({ 'fernet-keys': { 0: 'a', 1: 'b' }, 'credential-keys': { 0: 'c' } });
  const body = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
  const sealed = {
    format: 1,
    app: 'keystone',
    point: own.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    nonce: nonce.toString('base64'),
    sealed: body.toString('base64'),
  };
  writeFileSync(key, pair.privateKey.export({ type: 'pkcs8', format: 'pem' }));
  writeFileSync(join(folder, 'keystone.keys.json'), JSON.stringify(sealed));
  writeFileSync(join(folder, 'manifest.json'), '{"format":1,"tables":{}}');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const siteWith = (apps: object) =>
  ({ name: 'example', namespace: 'openstack', apps }) as unknown as Site;
const running = (site: Site) => {
  const cluster = fakeCluster();
  return { cluster, running: { cluster, site } as unknown as RunningSite };
};
const from = { file: key, passphrase: undefined };

it('makes Secrets in the generations of the site, and changes none that exists', async () => {
  const { cluster, running: site } = running(
    siteWith({ keystone: { generations: { 'fernet-keys': 3 } } }),
  );
  expect(await importKeys(site, folder, from)).toEqual([
    { name: 'keystone-fernet-keys-g3', outcome: 'created' },
    { name: 'keystone-credential-keys', outcome: 'created' },
  ]);
  expect((await importKeys(site, folder, from)).map(({ outcome }) => outcome)).toEqual([
    'exists',
    'exists',
  ]);
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'openstack' };
  expect(await cluster.get({ ...ref, name: 'keystone-fernet-keys-g3' })).toMatchObject({
    metadata: {
      labels: {
        'app.kubernetes.io/part-of': 'example',
        'app.kubernetes.io/instance': 'keystone',
      },
    },
    stringData: { 0: 'a', 1: 'b' },
  });
});

it('refuses keys of an app that the site does not have, before it writes', async () => {
  const { cluster, running: site } = running(siteWith({}));
  await expect(importKeys(site, folder, from)).rejects.toThrow(
    'the backup has keys of keystone, which the site example does not have',
  );
  expect(cluster.writes).toEqual([]);
});

it('refuses another folder and another key', async () => {
  const { running: site } = running(siteWith({ keystone: {} }));
  await expect(importKeys(site, join(folder, 'none'), from)).rejects.toThrow(
    `${join(folder, 'none')} is not an exported backup: it has no manifest.json`,
  );
  await expect(
    importKeys(site, folder, { ...from, file: join(folder, 'manifest.json') }),
  ).rejects.toThrow('manifest.json cannot be read as a private key in PKCS#8 form');
});
