import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIdentity, type IdentityUnderLoad } from '../helpers/cluster/identity-under-load.ts';
import { callIdentity } from '../helpers/cluster/token-client.ts';

const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
const APPS = `  mariadb: {}
  memcached: {}
  rabbitmq: {}
  keystone:
    replicas: { api: 2 }
    schedule: { fernet-keys: { enabled: true, cron: "0 0 29 2 *" } }
`;
const IMAGES = ['openstack-base', 'mariadb', 'memcached', 'rabbitmq', 'keystone'];
const IS_ROOT = process.getuid?.() === 0;

describe.runIf(IS_ROOT)(
  'rotation on a kubelet (skipped without root, which namespaces need)',
  () => {
    let open: IdentityUnderLoad;
    const action = (app: string, ...words: readonly string[]): readonly string[] => [
      ...['deploy', 'action', 'run', open.site, app],
      ...words,
    ];
    const rotate = async (name: string): Promise<string> =>
      await open.node.done(...action('keystone', name));
    const pods = async (): Promise<readonly string[]> =>
      (await open.node.podsOf('keystone')).map(({ metadata }) => metadata.name).sort();
    const asAdmin = (): Readonly<Record<string, string>> => ({
      'X-Auth-Token': open.client.tokens.at(-1)!,
    });
    const statusOf = async (path: string, headers = {}, body?: object): Promise<number> =>
      (await callIdentity(`${open.url}${path}`, { ...asAdmin(), ...headers }, body)).status;

    beforeAll(async () => {
      open = await openIdentity(SERIES, IMAGES, APPS);
    });
    afterAll(async () => {
      await open?.stop();
    });

    it('accepts all tokens while Fernet keys rotate again and again, and restarts no pod', async () => {
      const before = await pods();
      const first = await open.secret('keystone-fernet-keys');
      for (const primary of [2, 3]) {
        expect(await rotate('rotate-fernet-keys')).toContain('2 pods have the staged key');
        const keys = Object.keys(await open.secret('keystone-fernet-keys'));
        expect(keys).toEqual(Array.from({ length: primary + 1 }, (_, key) => String(key)));
      }
      const keys = await open.secret('keystone-fernet-keys');
      expect([keys['2'], keys['1']]).toEqual([first['0'], first['1']]);
      // This rotation waits until both pods have the keys of the one before.
      await rotate('rotate-fernet-keys');
      const report = open.client.report();
      console.log(JSON.stringify({ fernet: report }));
      expect(report.requests).toBeGreaterThan(50);
      expect(report.failures).toEqual({});
      expect(await pods()).toEqual(before);
      const oldest = { 'X-Subject-Token': open.client.tokens[0]! };
      expect(await statusOf('/auth/tokens', oldest)).toBe(200);
    });

    it('keeps credentials readable while their keys rotate, and refuses a second rotation at once', async () => {
      const blob = { type: 'totp', blob: 'GEZDGNBVGY3TQOJQ', user_id: 'someone' };
      expect(await statusOf('/credentials', {}, { credential: blob })).toBe(201);
      await rotate('rotate-credential-keys');
      expect(Object.keys(await open.secret('keystone-credential-keys'))).toEqual(['0', '1', '2']);
      expect(await statusOf('/credentials')).toBe(200);
      const again = await open.node.command(...action('keystone', 'rotate-credential-keys'));
      expect(again.exitCode).not.toBe(0);
      expect(again.stdout + again.stderr).toContain(
        'the last rotation was less than 600 seconds ago',
      );
    });

    it('answers all requests while passwords and keys rotate by generations', async () => {
      open.client.reset();
      for (const secret of ['database', 'bus', 'fernet-keys', 'credential-keys'])
        await open.node.done(...action('keystone', 'rotate', '--param', `secret=${secret}`));
      const report = open.client.report();
      console.log(JSON.stringify({ generations: report }));
      expect(report.failures).toEqual({});
      expect(await statusOf('/credentials')).toBe(200);
      const oldest = { 'X-Subject-Token': open.client.tokens[0]! };
      expect(await statusOf('/auth/tokens', oldest)).toBe(200);
    });
  },
);
