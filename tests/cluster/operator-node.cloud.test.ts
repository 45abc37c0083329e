import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KubernetesObject, LiveObject } from '#ports';
import { buildImages } from '../helpers/build-images.ts';
import { IDENTITY_IMAGES, IDENTITY_SITE, tokenOf } from '../helpers/cluster/identity-site.ts';
import { namespace, startNodeCluster, type NodeCluster } from '../helpers/cluster/node-cluster.ts';
import { nodeProcesses, type NodeProcesses } from '../helpers/cluster/node-processes.ts';
import {
  isAt,
  isCurrent,
  openOperator,
  OPERATOR,
  type OperatorOnNode,
  reason,
  RELEASE,
  SITE,
  valueOf,
} from '../helpers/cluster/operator-on-node.ts';

const IS_ROOT = process.getuid?.() === 0;
/** From the older series to the newer one. */
const SERIES = ['2025.2', '2026.1'] as const;
/** Longer than a Lease of the operator. */
const PAUSE_MS = 45_000;

let node: NodeCluster;
let operator: OperatorOnNode;
let processes: NodeProcesses;
const sets: Record<string, string> = {};

const siteOf = (series: string, keystone = '{}'): string =>
  IDENTITY_SITE.replace('"2026.1"', JSON.stringify(series)).replace(
    'keystone: {}',
    `keystone: ${keystone}`,
  );
const release = (series: string): object => ({
  set: { registry: operator.place, digest: sets[series] },
  site: { inline: siteOf(series) },
});

describe.runIf(IS_ROOT)(
  'the operator in a pod on a kubelet (skipped without root, which namespaces need)',
  { timeout: 3_600_000 },
  () => {
    beforeAll(async () => {
      await buildImages(SERIES[0], ...IDENTITY_IMAGES);
      node = await startNodeCluster([...IDENTITY_IMAGES, 'entrypoint'], SITE, (workspace) =>
        workspace.write(`deploy-specs/${SITE}/site.yaml`, siteOf(SERIES[1])),
      );
      processes = nodeProcesses(node.folder);
      operator = await openOperator(node);
      for (const series of SERIES) sets[series] = await operator.publish(series);
    }, 3_600_000);
    afterAll(async () => {
      await operator?.close();
      await node?.stop();
    });

    it('is installed under `restricted` with a read-only root, and leads', async () => {
      await operator.install(1);
      const [name = ''] = await operator.pods();
      await expect
        .poll(async () => await node.cluster.logs({ namespace: OPERATOR, name }))
        .toContain('this operator leads');
      const pod = await node.cluster.get({
        apiVersion: 'v1',
        kind: 'Pod',
        namespace: OPERATOR,
        name,
      });
      const { containers } = pod!['spec'] as {
        readonly containers: readonly [{ readonly securityContext: object }];
      };
      expect(containers[0].securityContext).toMatchObject({ readOnlyRootFilesystem: true });
    });

    it('installs the older series, which issues a token', async () => {
      await operator.change({ ...release(SERIES[0]), rollback: 'onFailure' });
      const [, seconds] = await operator.until(isAt(1));
      console.log(JSON.stringify({ install: { seconds } }));
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('repairs a deleted Service, and counts it', async () => {
      const service = { apiVersion: 'v1', kind: 'Service', namespace, name: 'keystone-api' };
      await node.cluster.delete(service);
      const start = Date.now();
      await expect
        .poll(async () => await node.cluster.get(service), { timeout: 60_000 })
        .toBeDefined();
      const seconds = (Date.now() - start) / 1000;
      await operator.until(isCurrent);
      const lines = await operator.metrics();
      console.log(JSON.stringify({ drift: { seconds } }));
      expect(valueOf(lines, 'ccp_operator_drifted_objects_total{')).toBeGreaterThan(0);
      expect(valueOf(lines, 'ccp_operator_leader ')).toBe(1);
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('upgrades to the next series while its process is killed three times', async () => {
      const before = (await operator.resource())!.status!.revision!;
      await operator.change(release(SERIES[1]));
      let kills = 0;
      const [live, seconds] = await operator.until(isAt(before + 1), async (since) => {
        if (kills === 3 || since < 5 + 15 * kills) return;
        const [pod] = await operator.pods();
        if (pod === undefined || processes.of(pod).length === 0) return;
        processes.kill(pod);
        kills += 1;
      });
      console.log(JSON.stringify({ upgrade: { seconds, kills } }));
      expect(kills).toBe(3);
      expect(live.status!.services).toContainEqual({
        name: 'keystone',
        state: 'ready',
        schema: 'migrated',
      });
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
      await node.done('deploy', 'status', SITE);
      expect(await node.done('deploy', 'plan', SITE)).toContain('nothing to do');
    });

    it('contracts the schema once the annotation names the revision', async () => {
      const { revision } = (await operator.resource())!.status!;
      await operator.change({}, { 'ccp.openstack.org/confirm-contract': String(revision) });
      const [live] = await operator.until((each) =>
        (each.status?.services ?? []).some(({ schema }) => schema === 'contracted'),
      );
      expect(live.status!.services!.find(({ name }) => name === 'keystone')).toMatchObject({
        schema: 'contracted',
      });
      await operator.until(isCurrent);
    });

    it('rolls a broken configuration back, and names the line of the log', async () => {
      const { revision = 0 } = (await operator.resource())!.status!;
      const broken = '{ config: { keystone.conf: { token: { provider: nonsense } } } }';
      await operator.change({ site: { inline: siteOf(SERIES[1], broken) } });
      const [live, seconds] = await operator.until(
        (each) => reason(each, 'Stalled') === 'RolledBack',
      );
      console.log(JSON.stringify({ rollback: { seconds }, failure: live.status!.lastFailure }));
      expect(live.status!.revision).toBeGreaterThan(revision + 1);
      expect(live.status!.lastFailure).toMatchObject({ container: expect.any(String) });
      expect(live.status!.lastFailure!.lastLine).toMatch(/nonsense/);
      await operator.change(release(SERIES[1]));
      await operator.until(isCurrent);
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('has one leader while another one is paused longer than its Lease', async () => {
      await operator.install(2);
      const names = await operator.pods();
      const leader = await operator.leader();
      const others = names.filter((name) => name !== leader);
      const paused = processes.of(leader);
      expect(paused).toHaveLength(1);
      const before = (await operator.resource())!.status!.revision!;
      for (const pid of paused) process.kill(pid, 'SIGSTOP');
      const resumed = (async () => {
        await delay(PAUSE_MS);
        for (const pid of paused) process.kill(pid, 'SIGCONT');
      })();
      const three = '{ settings: { processes: 3 } }';
      await operator.change({ site: { inline: siteOf(SERIES[1], three) } });
      await operator.until(isAt(before + 1));
      await resumed;
      expect(others).toContain(await operator.leader());
      await delay(5000);
      expect((await operator.resource())!.status!.revision).toBe(before + 1);
      expect(await tokenOf(node)).toMatch(/^gAAAAA/);
    });

    it('prints its figures', async () => {
      const lines = await operator.metrics();
      const count = valueOf(lines, 'ccp_operator_reconcile_seconds_count');
      const buckets = lines.filter((line) => line.startsWith('ccp_operator_reconcile_seconds_b'));
      const memory = (await operator.pods()).map((pod) =>
        processes
          .of(pod)
          .map((pid) => /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]),
      );
      console.log(JSON.stringify({ count, buckets, memoryKiB: memory }));
      expect(count).toBeGreaterThan(0);
    });

    it('deletes the site with the confirmed resource, and keeps claims', async () => {
      await node.cluster.delete(RELEASE);
      await operator.until((each) => reason(each, 'Stalled') === 'DeletionUnconfirmed');
      const { metadata, ...live } = (await operator.resource()) as LiveObject & KubernetesObject;
      const annotations = { 'ccp.openstack.org/confirm-deletion': SITE };
      await node.cluster.update(
        { ...live, metadata: { ...metadata, annotations } },
        { fieldManager: 'user' },
      );
      await expect.poll(operator.resource, { timeout: 300_000, interval: 1000 }).toBeUndefined();
      const left = await node.left();
      expect(left).toContain('PersistentVolumeClaim/data-mariadb-0');
      expect(left.filter((name) => /^(Deployment|StatefulSet|Job|Service)\//.test(name))).toEqual(
        [],
      );
      await node.done('operator', 'uninstall');
    });
  },
);
