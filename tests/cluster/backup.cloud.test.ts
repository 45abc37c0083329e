import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startDatabaseClient } from '../helpers/cluster/database-client.ts';
import { startNodeCluster, type NodeCluster } from '../helpers/cluster/node-cluster.ts';

const SITE = 'recovery';
const IMAGES = ['openstack-base', 'mariadb', 'memcached', 'keystone'];
const ROWS = 5000;
const SITE_TEXT = `schema: 1.0.0
cluster: { context: ccp }
namespace: openstack
series: "2026.1"
registry: ccp.local
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: folder }
apps:
  mariadb: { replicas: { mariadb: 1 } }
  memcached: {}
  keystone: { settings: { processes: 1 } }
`;
const CLIENT = readFileSync(
  new URL('../helpers/cluster/identity-client.py', import.meta.url),
  'utf8',
);
const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)(
  'a site that was lost with its cluster (skipped without root, which namespaces need)',
  () => {
    const outside = mkdtempSync(join(tmpdir(), 'ccp-outside-'));
    const key = join(outside, 'backup.key');
    let node: NodeCluster;
    const figures: Record<string, number> = {};
    const timed = async <T>(what: string, work: () => Promise<T>): Promise<T> => {
      const from = Date.now();
      const result = await work();
      figures[what] = Math.round((Date.now() - from) / 100) / 10;
      return result;
    };
    const start = async (): Promise<NodeCluster> =>
      await startNodeCluster(IMAGES, SITE, (workspace) =>
        workspace.write(`deploy-specs/${SITE}/site.yaml`, SITE_TEXT),
      );
    const deploy = async (...args: readonly string[]): Promise<string> =>
      await node.done('deploy', ...args);
    const action = async (name: string, ...args: readonly string[]): Promise<string> =>
      await deploy('action', 'run', SITE, 'mariadb', name, ...args);
    const database = async () =>
      await startDatabaseClient(
        node.cluster,
        `ccp.local/openstack-base@${node.digest('openstack-base')}`,
      );
    const identity = async (mode: string, state: object = {}): Promise<Record<string, unknown>> => {
      const password = { secretKeyRef: { name: 'keystone-admin', key: 'password' } };
      const output = await node.inPod({
        image: `ccp.local/openstack-base@${node.digest('openstack-base')}`,
        command: ['/opt/openstack/bin/python', '-c', CLIENT, mode],
        env: [
          { name: 'URL', value: 'http://keystone-api:5000/v3' },
          { name: 'STATE', value: JSON.stringify(state) },
          { name: 'ADMIN_PASSWORD', valueFrom: password },
        ],
      });
      const found = /^RESULT (.*)$/m.exec(output)?.[1];
      expect(found, output).toBeDefined();
      return JSON.parse(found!) as Record<string, unknown>;
    };
    const SUM = 'SELECT COUNT(*), CAST(SUM(CRC32(bytes)) AS UNSIGNED) FROM drill.ballast';

    beforeAll(async () => {
      node = await start();
    });
    afterAll(async () => {
      console.log(JSON.stringify(figures));
      await node?.stop();
      rmSync(outside, { recursive: true, force: true });
    });

    it('comes back from the repository and an exported backup', async () => {
      await deploy('apply', SITE);
      await node.done('keygen', '--type', 'p256', key);
      const before = await identity('make');
      const writer = await database();
      await writer.query([
        'CREATE DATABASE drill',
        'USE drill',
        'CREATE TABLE ballast (id INT PRIMARY KEY, bytes LONGBLOB)',
        `INSERT INTO ballast SELECT seq, REPEAT(MD5(seq), 64) FROM seq_1_to_${ROWS}`,
      ]);
      const sum = await writer.query(SUM);
      expect(Number(sum[0]![0])).toBe(ROWS);

      await timed('backup', () => action('backup', '--param', 'name=nightly'));
      const verified = await timed('verify', () =>
        action('verify-backup', '--param', 'name=nightly'),
      );
      expect(verified).toContain('all as written');
      await timed('export', () =>
        deploy(
          ...['backup', 'export', SITE, '--output', outside, '--name', 'nightly'],
          ...['--public-key', `${key}.pub`],
        ),
      );
      const [name = ''] = readdirSync(outside).filter((each) => each.startsWith('nightly.'));
      const folder = join(outside, name);
      expect(readdirSync(folder).sort()).toEqual([
        'dump.sql.gz',
        'keystone.keys.json',
        'manifest.json',
        'tables',
      ]);
      expect(await deploy('status', SITE)).toMatch(/✓ mariadb\/backup {2}last succeeded at/);

      await node.stop();
      node = await timed('new cluster', start);
      await timed('recovery', async () => {
        expect(await deploy('backup', 'import-keys', SITE, folder, '--key', key)).toBe(
          'Secret/keystone-fernet-keys created\nSecret/keystone-credential-keys created\n',
        );
        await deploy('apply', SITE);
        await timed('import', () => deploy('backup', 'import', SITE, folder));
        expect(
          await timed('restore', () => action('restore', '--param', `name=${name}`)),
        ).toContain(`mariadb/restore: run`);
      });
      expect(await identity('check', before)).toEqual({
        user: before['user'],
        login: true,
        blob: 'GEZDGNBVGY3TQOJQ',
        users: ['admin', 'alice'],
      });
      expect(await (await database()).query(SUM)).toEqual(sum);
      expect(await deploy('status', SITE)).toMatch(/the site is healthy\n$/);
    });

    it('names a restore that failed midway, and is not applied until one was good', async () => {
      const bad = 'broken.20260102t021500z';
      const folder = join(outside, bad);
      const dump = gzipSync('CREATE DATABASE IF NOT EXISTS drill;\nnonsense;\n');
      const sha256 = createHash('sha256').update(dump).digest('hex');
      const bytes = dump.length;
      mkdirSync(folder);
      writeFileSync(join(folder, 'dump.sql.gz'), dump);
      writeFileSync(join(folder, 'tables'), '');
      const head = { format: 1, name: 'broken', started: '2026-01-02T02:15:00Z', bytes, sha256 };
      writeFileSync(
        join(folder, 'manifest.json'),
        JSON.stringify({ ...head, tables: {} }, undefined, 2),
      );
      await deploy('backup', 'import', SITE, folder);
      const run = (name: string) =>
        node.command(
          'deploy',
          'action',
          'run',
          SITE,
          'mariadb',
          'restore',
          '--param',
          `name=${name}`,
        );
      const missing = await run('missing');
      expect([missing.exitCode, missing.stdout]).toEqual([
        7,
        expect.stringMatching(/no backup missing[^]*nothing was stopped/),
      ]);
      expect(await node.podsOf('keystone')).not.toEqual([]);
      expect((await run(bad)).exitCode).toBe(7);
      const text =
        /mariadb\/restore failed in run \d+, so the data of StatefulSet\/mariadb may be incomplete/;
      const status = await node.command('deploy', 'status', SITE);
      expect([status.exitCode, status.stdout]).toEqual([7, expect.stringMatching(text)]);
      const applied = await node.command('deploy', 'apply', SITE);
      expect([applied.exitCode, applied.stderr]).toEqual([7, expect.stringMatching(text)]);
      expect(await node.podsOf('keystone')).toEqual([]);
      const none = await run('absent');
      expect([none.exitCode, none.stdout]).toEqual([
        7,
        expect.stringContaining('no backup absent'),
      ]);
      const imported = readdirSync(outside).find((each) => each.startsWith('nightly.'))!;
      expect((await run(imported)).exitCode).toBe(0);
      expect(await deploy('status', SITE)).toMatch(/the site is healthy\n$/);
    });
  },
);
