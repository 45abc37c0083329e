import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CcpError } from '#core';
import type { KubernetesObject } from '#ports';
import { fakeCluster, type FakeCluster } from '#ports/testing';
import { parseArguments } from './parse-arguments.ts';
import { waitForAll } from './wait-for-all.ts';

const namespace = 'default';
const slice = (name: string, ready: boolean): KubernetesObject => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { name: `${name}-1`, namespace, labels: { 'kubernetes.io/service-name': name } },
  addressType: 'IPv4',
  endpoints: [{ addresses: ['10.0.0.1'], conditions: { ready } }],
});
const job: KubernetesObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: { name: 'sync', namespace },
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } },
  },
};
const jobRef = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'sync' };
const apply = (cluster: FakeCluster, object: KubernetesObject) =>
  cluster.apply(object, { fieldManager: 'test' });

function wait(
  cluster: FakeCluster,
  line: string,
  { timeoutMs = 5_000, signal = new AbortController().signal } = {},
) {
  const reported: string[] = [];
  const { conditions } = parseArguments(line.split(' '), namespace)!;
  return {
    reported,
    done: waitForAll(conditions, {
      timeoutMs,
      intervalMs: 5,
      cluster: async () => cluster,
      signal,
      report: (message) => reported.push(message),
    }),
  };
}

it('resolves when a service, a job, a condition and a file are met, and reports each', async () => {
  const cluster = fakeCluster();
  const folder = mkdtempSync(join(tmpdir(), 'ccp-gate-'));
  const file = join(folder, 'ready');
  const { reported, done } = wait(
    cluster,
    `--service mariadb --job sync --condition batch/v1/Job/sync:Suspended=False --file ${file}`,
  );
  await expect.poll(() => reported.length).toBe(4);
  expect(reported).toEqual(
    expect.arrayContaining([
      'waiting for Service default/mariadb: it has no endpoints',
      'waiting for Job default/sync: it does not exist',
      `waiting for file ${file}: it does not exist`,
    ]),
  );
  await apply(cluster, slice('mariadb', false));
  await apply(cluster, job);
  await expect
    .poll(() => reported)
    .toContain('waiting for Service default/mariadb: none of its 1 endpoints is ready');
  cluster.setStatus(jobRef, {
    conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }],
  });
  await expect
    .poll(() => reported)
    .toContain('waiting for Job default/sync: it failed: BackoffLimitExceeded');
  cluster.setStatus(jobRef, {
    conditions: [
      { type: 'Complete', status: 'True' },
      { type: 'Suspended', status: 'False' },
    ],
  });
  await apply(cluster, slice('mariadb', true));
  writeFileSync(file, '');
  await done;
  expect(reported.filter((message) => message.endsWith(': met'))).toHaveLength(4);
  expect(cluster.writes).toHaveLength(3);
  rmSync(folder, { recursive: true });
});

it('lists all unmet conditions with reasons after the timeout', async () => {
  const cluster = fakeCluster();
  await apply(cluster, job);
  const { done } = wait(
    cluster,
    '--service mariadb --job sync --condition example.org/v1/Cluster/db:Ready',
    { timeoutMs: 50 },
  );
  await expect(done).rejects.toMatchObject({
    code: 'gate-timeout',
    message: `conditions not met after 0.05 s:
  Service default/mariadb: it has no endpoints
  Job default/sync: it is not complete
  Cluster default/db to be Ready: the cluster does not have the kind Cluster in example.org/v1`,
  });
});

it('keeps waiting while the server does not answer, and stops when access is denied', async () => {
  const cluster = fakeCluster();
  await apply(cluster, slice('a', true));
  cluster.failNext('list', new CcpError({ code: 'cluster-unreachable', message: 'no answer' }));
  const { reported, done } = wait(cluster, '--service a');
  await done;
  expect(reported).toEqual(['waiting for Service default/a: no answer', 'Service default/a: met']);
  cluster.failNext(
    'list',
    new CcpError({ code: 'cluster-denied', message: 'cannot list endpointslices: forbidden' }),
  );
  await expect(wait(cluster, '--service a').done).rejects.toMatchObject({ code: 'cluster-denied' });
});

it('stops waiting when cancelled', async () => {
  const stop = new AbortController();
  const { done } = wait(fakeCluster(), '--service a', { signal: stop.signal });
  stop.abort();
  await expect(done).rejects.toMatchObject({ code: 'cancelled' });
});
