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
  spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'a' }] } } },
};
const jobRef = { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'sync' };
const apply = (cluster: FakeCluster, object: KubernetesObject) => cluster.apply(object, { fieldManager: 'test' });

function wait(cluster: FakeCluster, line: string, { timeoutMs = 5_000, signal = new AbortController().signal } = {}) {
  const said: string[] = [];
  const { conditions } = parseArguments(line.split(' '), namespace)!;
  return { said, done: waitForAll(conditions, { timeoutMs, intervalMs: 5, cluster: async () => cluster, signal, say: (sentence) => said.push(sentence) }) };
}

it('opens once a service, a job, a condition and a file hold, and tells of each', async () => {
  const cluster = fakeCluster();
  const folder = mkdtempSync(join(tmpdir(), 'ccp-gate-'));
  const file = join(folder, 'ready');
  const { said, done } = wait(cluster, `--service mariadb --job sync --condition batch/v1/Job/sync:Suspended=False --file ${file}`);
  await expect.poll(() => said.length).toBe(4);
  expect(said).toEqual(
    expect.arrayContaining([
      'waiting for Service default/mariadb: it has no endpoint',
      'waiting for Job default/sync: it does not exist',
      `waiting for file ${file}: it is not there`,
    ]),
  );
  await apply(cluster, slice('mariadb', false));
  await apply(cluster, job);
  await expect.poll(() => said).toContain('waiting for Service default/mariadb: none of its 1 endpoints is ready');
  cluster.setStatus(jobRef, { conditions: [{ type: 'Failed', status: 'True', reason: 'BackoffLimitExceeded' }] });
  await expect.poll(() => said).toContain('waiting for Job default/sync: it failed: BackoffLimitExceeded');
  cluster.setStatus(jobRef, {
    conditions: [
      { type: 'Complete', status: 'True' },
      { type: 'Suspended', status: 'False' },
    ],
  });
  await apply(cluster, slice('mariadb', true));
  writeFileSync(file, '');
  await done;
  expect(said.filter((sentence) => sentence.endsWith(': holds'))).toHaveLength(4);
  expect(cluster.writes).toHaveLength(3);
  rmSync(folder, { recursive: true });
});

it('names all that did not come to hold in time, and why', async () => {
  const cluster = fakeCluster();
  await apply(cluster, job);
  const { done } = wait(cluster, '--service mariadb --job sync --condition example.org/v1/Cluster/db:Ready', { timeoutMs: 50 });
  await expect(done).rejects.toMatchObject({
    code: 'gate-timeout',
    message: `after 0.05 s this does not hold:
  Service default/mariadb: it has no endpoint
  Job default/sync: it is not complete
  Cluster default/db to be Ready: the cluster knows no kind Cluster of example.org/v1`,
  });
});

it('waits on while the server is away, and ends at once where it may not ask', async () => {
  const cluster = fakeCluster();
  await apply(cluster, slice('a', true));
  cluster.failNext('list', new CcpError({ code: 'cluster-unreachable', message: 'nobody answers' }));
  const { said, done } = wait(cluster, '--service a');
  await done;
  expect(said).toEqual(['waiting for Service default/a: nobody answers', 'Service default/a: holds']);
  cluster.failNext('list', new CcpError({ code: 'cluster-denied', message: 'cannot list endpointslices: forbidden' }));
  await expect(wait(cluster, '--service a').done).rejects.toMatchObject({ code: 'cluster-denied' });
});

it('ends when it is told to', async () => {
  const stop = new AbortController();
  const { done } = wait(fakeCluster(), '--service a', { signal: stop.signal });
  stop.abort();
  await expect(done).rejects.toMatchObject({ code: 'cancelled' });
});
