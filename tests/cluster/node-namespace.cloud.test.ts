import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { messageOf } from '#core';
import type { LiveObject } from '#ports';
import { namespace, startNodeCluster, type NodeCluster } from '../helpers/cluster/node-cluster.ts';

const SITE = 'agents';
const NODE = `${namespace}-node`;
const AGENTS = ['node-exporter', 'openvswitch', 'otel-collector', 'probe'];
const IMAGES = [
  ...['openstack-base', 'mariadb', 'memcached', 'keystone', 'openstackclient', 'victoria-logs'],
  ...['node-exporter', 'openvswitch', 'otel-collector'],
];
const SITE_TEXT = `schema: 1.10.0
cluster: { context: ccp }
namespace: ${namespace}
series: "2026.1"
registry: ccp.local
region: RegionOne
roles:
  control-plane: [openstack-control-plane=enabled]
  openvswitch: [kubernetes.io/os=linux]
  node: [kubernetes.io/os=linux]
storage: { default: folder }
apps:
  mariadb: { replicas: { mariadb: 1 } }
  memcached: {}
  keystone: { settings: { processes: 1 } }
  openstackclient: {}
  victoria-logs: {}
${AGENTS.map((app) => `  ${app}: {}\n`).join('')}`;

/** An agent that logs in to the database, so it needs a Secret of the control plane. */
const PROBE = `schema: 1.10.0
title: Probe
user: { uid: 1000, gid: 1000 }
requires: { database: { kind: database } }
workloads:
  probe:
    kind: DaemonSet
    role: node
    grace: 1
    volumes:
      tmp: { ephemeral: { size: 1Mi } }
      name: { host: { path: /etc/hostname, readOnly: true, type: file, reason: it names the node } }
    containers:
      main:
        image: openstack-base
        command:
          - /opt/openstack/bin/python
          - -c
          - |
            import os, pathlib, time, pymysql
            pymysql.connect(host=os.environ["HOST"], user=os.environ["USER"], password=os.environ["PASSWORD"])
            pathlib.Path("/tmp/in").touch()
            print("logged in", flush=True)
            time.sleep(100000)
        env:
          HOST: "\${requires.database.host}"
          USER: "\${requires.database.user}"
          PASSWORD: "\${requires.database.password}"
        mounts: { tmp: /tmp, name: /etc/node-name }
        probes: { readiness: { exec: [test, -f, /tmp/in], period: 1 } }
        resources: { requests: { cpu: 10m, memory: 32Mi }, limits: { memory: 128Mi } }
`;

/** Only its app spec is used. */
const PROBE_IMAGE = `title: Probe
description: An agent of this test.
parents: { base: openstack-base }
user: { name: probe, uid: 1000, gid: 1000, home: /nonexistent }
`;

const isRoot = process.getuid?.() === 0;

describe.runIf(isRoot)(
  'agents of a real node (skipped without root, which namespaces need)',
  () => {
    let node: NodeCluster;
    const write = (more: string): void =>
      node.workspace.write(`deploy-specs/${SITE}/site.yaml`, `${SITE_TEXT}${more}`);
    const deploy = async (...args: readonly string[]): Promise<string> =>
      await node.done('deploy', ...args);
    const level = async (name: string): Promise<string | undefined> =>
      (await node.cluster.get({ apiVersion: 'v1', kind: 'Namespace', name }))?.metadata.labels?.[
        'pod-security.kubernetes.io/enforce'
      ];
    const agentPods = async (at: string): Promise<readonly LiveObject[]> => {
      const labelSelector = `app.kubernetes.io/instance in (${AGENTS.join(',')})`;
      const { items } = await node.cluster.list(
        { apiVersion: 'v1', kind: 'Pod' },
        { namespace: at, labelSelector },
      );
      return items.filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ kind }) => kind === 'DaemonSet'),
      );
    };
    const workloadsOf = (pods: readonly LiveObject[]): string[] =>
      pods.map(({ metadata }) => metadata.ownerReferences![0]!.name).sort();
    const claims = async (): Promise<string[]> =>
      (
        await node.cluster.list({ apiVersion: 'v1', kind: 'PersistentVolumeClaim' }, { namespace })
      ).items.map(({ metadata }) => metadata.uid);
    const token = async (): Promise<string> =>
      await node.inPod({
        image: `ccp.local/openstackclient@${node.digest('openstackclient')}`,
        command: ['openstack', 'token', 'issue', '--format', 'value', '--column', 'id'],
        env: [
          ...Object.entries({
            HOME: '/tmp',
            OS_AUTH_URL: 'http://keystone-api:5000/v3',
            OS_USERNAME: 'admin',
            OS_PROJECT_NAME: 'admin',
            OS_USER_DOMAIN_NAME: 'Default',
            OS_PROJECT_DOMAIN_NAME: 'Default',
          }).map(([name, value]) => ({ name, value })),
          {
            name: 'OS_PASSWORD',
            valueFrom: { secretKeyRef: { name: 'keystone-admin', key: 'password' } },
          },
        ],
      });
    /** The API server's answer to a pod with the network of its node; nothing is stored. */
    const admitted = async (at: string): Promise<string> => {
      const container = { name: 'x', image: 'x', securityContext: { privileged: true } };
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: 'intruder', namespace: at },
        spec: { hostNetwork: true, containers: [container] },
      };
      try {
        const { outcome } = await node.cluster.apply(pod, { fieldManager: 'test', dryRun: true });
        return outcome;
      } catch (thrown) {
        return messageOf(thrown);
      }
    };

    beforeAll(async () => {
      node = await startNodeCluster(IMAGES, SITE, (workspace) => {
        workspace.write('images/probe/app.yaml', PROBE);
        workspace.write('images/probe/image.yaml', PROBE_IMAGE);
        workspace.write(
          `deploy-specs/${SITE}/site.yaml`,
          `${SITE_TEXT}nodeNamespace: ${namespace}\n`,
        );
      });
    });
    afterAll(async () => {
      await node?.stop();
    });

    it('share a privileged namespace with the control plane if the site says so', async () => {
      await deploy('apply', SITE);
      expect(await level(namespace)).toBe('privileged');
      expect(await admitted(namespace)).toBe('applied');
      expect(await token()).toMatch(/^gAAAAA/m);
    });

    it('move to a namespace of their own without running twice, and nothing is lost', async () => {
      const before = await claims();
      write('');
      expect(await deploy('plan', SITE)).toContain(
        `DaemonSet/probe moves to the namespace ${NODE}, where its pods start when these have ended`,
      );
      const twice: string[] = [];
      let isOver = false;
      const watching = (async () => {
        while (!isOver) {
          const [old, now] = await Promise.all([agentPods(namespace), agentPods(NODE)]);
          const still = new Set(workloadsOf(old));
          twice.push(...workloadsOf(now).filter((name) => still.has(name)));
          await delay(300);
        }
      })();
      const result = await deploy('apply', SITE).finally(() => (isOver = true));
      await watching;
      expect(result).toMatch(/revision 2 is good/);
      expect(twice).toEqual([]);
      expect(await agentPods(namespace)).toEqual([]);
      expect(workloadsOf(await agentPods(NODE))).toEqual([
        'node-exporter',
        'openvswitch-database',
        'openvswitch-switch',
        'otel-collector',
        'probe',
      ]);
      expect(await claims()).toEqual(before);
      expect(await token()).toMatch(/^gAAAAA/m);
      expect(await deploy('status', SITE)).toContain('the site is healthy');
      expect(await deploy('logs', SITE, 'probe/workload/probe')).toContain('logged in');
    });

    it('leave a control plane in which the API server refuses rights on the node', async () => {
      expect(await level(namespace)).toBe('restricted');
      expect(await admitted(namespace)).toContain('violates PodSecurity "restricted:latest"');
      expect(await level(NODE)).toBe('privileged');
      expect(await admitted(NODE)).toBe('applied');
    });

    it('are deleted with the site', async () => {
      await deploy('delete', SITE, '--yes', '--claims', '--secrets');
      for (const at of [namespace, NODE]) {
        const { items } = await node.cluster.list(
          { apiVersion: 'v1', kind: 'Secret' },
          { namespace: at },
        );
        expect([at, items.map(({ metadata }) => metadata.name)]).toEqual([at, []]);
        expect(await agentPods(at)).toEqual([]);
      }
    });
  },
);
