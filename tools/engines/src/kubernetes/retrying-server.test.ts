import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesObject, LiveObject } from '#ports';
import { connectCluster } from './connect-cluster.ts';
import { clientUnderTest, type ClientUnderTest } from './testing.ts';

const fieldManager = 'ccp';
const configMap: KubernetesObject = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'x', namespace: 'default' },
  data: { a: '1' },
};
const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: 'x' };
const path = '/configmaps';

let under: ClientUnderTest;
beforeEach(async () => {
  under = await clientUnderTest();
});
afterEach(async () => {
  await under.close();
});

const created = async (): Promise<LiveObject> => {
  const result = await under.cluster.create(configMap, { fieldManager });
  if (result.outcome !== 'created') throw new Error(result.outcome);
  return result.object;
};
const asked = (method: string) =>
  under.server.requests.filter((line) => line.startsWith(method) && line.includes(path)).length;

describe('a connection lost after a write', () => {
  beforeEach(
    () =>
      void under.server.faults.inject({ fault: 'drop', when: 'after' }, { path: 'fieldManager' }),
  );

  it('applies once', async () => {
    expect(await under.cluster.apply(configMap, { fieldManager })).toMatchObject({
      outcome: 'applied',
      object: { data: { a: '1' } },
    });
    expect([asked('PATCH'), under.fake.writes]).toEqual([2, ['apply v1 ConfigMap default/x']]);
  });

  it('creates once, and recognises its own object', async () => {
    expect(await under.cluster.create(configMap, { fieldManager })).toMatchObject({
      outcome: 'created',
    });
    expect(under.fake.writes).toEqual(['create v1 ConfigMap default/x']);
  });

  it('does not mistake the object of another manager for its own', async () => {
    under.fake.edit(ref, (object) => Object.assign(object, { data: { a: '2' } }), 'another');
    expect(await under.cluster.create(configMap, { fieldManager })).toEqual({ outcome: 'exists' });
  });
});

it('reports an update with a lost response as updated, and a late one as stale', async () => {
  const object = await created();
  under.server.faults.inject({ fault: 'drop', when: 'after' }, { method: 'PUT', times: 2 });
  expect(
    await under.cluster.update({ ...object, data: { a: '2' } }, { fieldManager }),
  ).toMatchObject({ outcome: 'updated', object: { data: { a: '2' } } });
  expect(await under.cluster.update({ ...object, data: { a: '3' } }, { fieldManager })).toEqual({
    outcome: 'stale',
  });
});

it('reports a deletion with a lost response as done', async () => {
  await created();
  under.server.faults.inject({ fault: 'drop', when: 'after' }, { method: 'DELETE' });
  expect(await under.cluster.delete(ref)).toEqual({ outcome: 'gone' });
});

it('retries a write after a conflict inside the server', async () => {
  under.server.faults.inject(
    { fault: 'status', code: 409, reason: 'Conflict' },
    { method: 'PATCH', times: 2 },
  );
  expect(await under.cluster.apply(configMap, { fieldManager })).toMatchObject({
    outcome: 'applied',
  });
});

it('retries on a busy server after the Retry-After time', async () => {
  await under.cluster.kinds();
  under.server.faults.inject(
    { fault: 'status', code: 429, reason: 'TooManyRequests', retryAfterSeconds: 0.3 },
    { path },
  );
  const began = Date.now();
  expect(await under.cluster.get(ref)).toBeUndefined();
  expect(Date.now() - began).toBeGreaterThanOrEqual(300);
});

it('reports a server that stays busy or broken', async () => {
  await under.cluster.kinds();
  under.server.faults.inject(
    {
      fault: 'status',
      code: 429,
      reason: 'TooManyRequests',
      message: 'too many requests',
      retryAfterSeconds: 3600,
    },
    { path },
  );
  await expect(under.cluster.get(ref)).rejects.toMatchObject({
    code: 'cluster-busy',
    message: `cannot read ConfigMap default/x: ${under.server.url} is overloaded: too many requests`,
    hint: 'try again later',
  });
  under.server.faults.inject({ fault: 'status', code: 500, message: 'etcd is on fire' }, { path });
  await expect(under.cluster.get(ref)).rejects.toMatchObject({
    code: 'cluster-failed',
    message: `cannot read ConfigMap default/x: ${under.server.url} returned status 500: etcd is on fire`,
  });
});

it.each([
  [
    403,
    'Forbidden',
    'configmaps "x" is forbidden',
    'cluster-denied',
    'cannot apply ConfigMap default/x: configmaps "x" is forbidden',
  ],
  [
    400,
    'BadRequest',
    'strict decoding error: unknown field "dta"',
    'cluster-invalid',
    'cannot apply ConfigMap default/x: strict decoding error: unknown field "dta"',
  ],
  [
    400,
    'BadRequest',
    'json: bad, error found in #10 byte of ...|"password":"hunter2"|..., bigger context ...',
    'cluster-invalid',
    'cannot apply ConfigMap default/x: json: bad',
  ],
])(
  'reports a rejection (%i %s) without the object: %s',
  async (code, reason, message, ours, text) => {
    under.server.faults.inject({ fault: 'status', code, reason, message }, { path });
    await expect(under.cluster.apply(configMap, { fieldManager })).rejects.toMatchObject({
      code: ours,
      message: text,
    });
  },
);

it('reports a schema mismatch as invalid without quoting the value', async () => {
  const message =
    'failed to create typed patch object (default/x; /v1, Kind=Secret): .stringData.password: expected string, got &value.valueUnstructured{Value:"hunter2"}';
  under.server.faults.inject({ fault: 'status', code: 500, message }, { path });
  expect(await under.cluster.apply(configMap, { fieldManager })).toEqual({
    outcome: 'invalid',
    message:
      'failed to create typed patch object (default/x; /v1, Kind=Secret): .stringData.password: expected string',
    causes: [
      { field: 'stringData.password', reason: 'FieldValueInvalid', message: 'expected string' },
    ],
  });
});

it.each([
  '<html>sign in</html>',
  '[]',
  '{"kind":"ConfigMap","apiVersion":"v1"}',
  '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"x"}}',
])('rejects a response in another format: %s', async (text) => {
  under.server.faults.inject({ fault: 'body', text }, { path });
  await expect(under.cluster.get(ref)).rejects.toMatchObject({
    code: 'cluster-failed',
    message: expect.stringContaining(`unexpected response from ${under.server.url}: `),
  });
});

it('retries once with new credentials after status 401', async () => {
  under.server.faults.inject({ fault: 'status', code: 401, reason: 'Unauthorized' }, { path });
  expect(await under.cluster.get(ref)).toBeUndefined();
  under.server.faults.inject(
    { fault: 'status', code: 401, reason: 'Unauthorized' },
    { path, times: 2 },
  );
  await expect(under.cluster.get(ref)).rejects.toMatchObject({
    code: 'cluster-denied',
    message: `cannot read ConfigMap default/x: ${under.server.url} rejected the credentials of the kubeconfig`,
    hint: 'renew the token or client certificate of the context; it may also belong to another cluster',
  });
});

it('starts a list again after its pages expired', async () => {
  await under.close();
  under = await clientUnderTest({ pageSize: 2 });
  for (const name of ['a', 'b', 'c'])
    await under.cluster.create(
      { ...configMap, metadata: { name, namespace: 'default' } },
      { fieldManager },
    );
  under.server.faults.inject(
    { fault: 'status', code: 410, reason: 'Expired' },
    { path: 'continue=' },
  );
  expect((await under.cluster.list(ref)).items.map(({ metadata }) => metadata.name)).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('reports the address of an unreachable server within the limit for unknown servers', async () => {
  await under.close();
  // With the limit for known servers, this test would not end.
  const limits = { unknownMs: 100, knownMs: 86_400_000, firstWaitMs: 20, longestWaitMs: 50 };
  under = await clientUnderTest({ retry: limits });
  await under.server.close();
  await expect(under.cluster.version()).rejects.toMatchObject({
    code: 'cluster-unreachable',
    message: expect.stringMatching(
      /^cannot read the version of the server: http:\/\/127\.0\.0\.1:\d+ does not respond: .*ECONNREFUSED/,
    ),
    hint: 'check the address in the kubeconfig, the network, and whether the API server runs',
  });
  await under.close().catch(() => undefined);
  under = await clientUnderTest();
});

it('stops a call when the signal is aborted', async () => {
  const stop = new AbortController();
  await under.close();
  under = await clientUnderTest({ signal: stop.signal });
  under.server.faults.inject({ fault: 'status', code: 503, retryAfterSeconds: 1 }, { times: 100 });
  setTimeout(() => stop.abort(), 50);
  await expect(under.cluster.version()).rejects.toMatchObject({ code: 'cancelled' });
});

it('sends no request on connecting', async () => {
  const { cluster, close } = await connectCluster({ kubeconfig: under.kubeconfig });
  expect([cluster.name, under.server.requests]).toEqual(['fake', []]);
  close();
});
