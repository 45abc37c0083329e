import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDENTITY_IMAGES, IDENTITY_SITE, tokenOf } from '../helpers/cluster/identity-site.ts';
import { namespace, startNodeCluster, type NodeCluster } from '../helpers/cluster/node-cluster.ts';
import { buildHelm, HELM_VERSIONS } from '../helpers/helm.ts';

const IS_ROOT = process.getuid?.() === 0;
const WAIT = ['--wait', '--wait-for-jobs', '--timeout', '20m'];
const APPS = ['keystone', 'mariadb', 'memcached'];

let node: NodeCluster;
let chart: string;

beforeAll(async () => {
  if (!IS_ROOT) return;
  node = await startNodeCluster(IDENTITY_IMAGES, 'charted', (workspace) =>
    workspace.write('deploy-specs/charted/site.yaml', IDENTITY_SITE),
  );
  chart = join(node.workspace.root, 'chart');
  await node.done('export', 'chart', 'charted', '-o', chart);
});
afterAll(async () => {
  await node?.stop();
});

const uids = async (app: string): Promise<readonly string[]> =>
  (await node.podsOf(app)).map(({ metadata }) => metadata.uid).sort();

describe.runIf(IS_ROOT).each(HELM_VERSIONS)(
  'a chart of identity with Helm %i (skipped without root)',
  { timeout: 3_600_000 },
  (major) => {
    let run: (...args: readonly string[]) => Promise<string>;
    const set = (processes: number) => ['--set', `keystone.settings.processes=${processes}`];

    beforeAll(async () => {
      const helm = await buildHelm(() => undefined, major);
      run = async (...args) => {
        const { stdout } = await promisify(execFile)(helm, [...args, '-n', namespace], {
          env: { ...process.env, KUBECONFIG: join(node.folder, 'kubeconfig') },
        });
        return stdout;
      };
    }, 1_800_000);

    it('is installed with --wait, and issues a token', async () => {
      await run('install', 'identity', chart, '--create-namespace', ...WAIT);
      await run('test', 'identity', '--timeout', '20m');
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('replaces only the pods that use a changed value, and rolls back', async () => {
      const before = new Map(
        await Promise.all(APPS.map(async (app) => [app, await uids(app)] as const)),
      );
      for (const command of [
        ['upgrade', 'identity', chart, ...set(3), ...WAIT],
        ['rollback', 'identity', '1', ...WAIT],
      ]) {
        const keystone = await uids('keystone');
        await run(...command);
        for (const app of ['mariadb', 'memcached'])
          expect(await uids(app), `${command[0]}: ${app}`).toEqual(before.get(app));
        const after = await uids('keystone');
        expect(after.filter((uid) => keystone.includes(uid))).toEqual([]);
      }
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('keeps claims and Secrets when it is uninstalled', async () => {
      await run('uninstall', 'identity', '--wait', '--timeout', '20m');
      const left = await node.left();
      expect(left).toEqual(
        expect.arrayContaining(['PersistentVolumeClaim/data-mariadb-0', 'Secret/mariadb-root']),
      );
      expect(left.filter((name) => /^(Deployment|StatefulSet|Job|Service)\//.test(name))).toEqual(
        [],
      );
    });
  },
);
