import { afterEach, expect, it } from 'vitest';
import type { KubernetesObject, WatchEvent } from '#ports';
import { clientUnderTest, type ClientUnderTest } from './testing.ts';

const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
const configMap = (name: string): KubernetesObject => ({
  ...kind,
  metadata: { name, namespace: 'default' },
});

let under: ClientUnderTest;
const stop = { now: new AbortController() };
afterEach(async () => {
  stop.now.abort();
  await under.close();
});

/**
 * Starts a watch in the background. `seen` lists its events, `ended` resolves with its final error.
 */
function watching(): { readonly seen: string[]; readonly ended: Promise<unknown> } {
  stop.now = new AbortController();
  const seen: string[] = [];
  const ended = (async () => {
    for await (const event of under.cluster.watch(kind, {
      namespace: 'default',
      signal: stop.now.signal,
    }))
      seen.push(eventText(event));
  })().catch((thrown: unknown) => thrown);
  return { seen, ended };
}

function eventText(event: WatchEvent): string {
  if (event.type === 'listed')
    return `listed ${event.items.map(({ metadata }) => metadata.name).join(' ')}`.trim();
  return event.type === 'lost'
    ? `lost: ${event.error.code}`
    : `${event.type} ${event.object.metadata.name}`;
}

const write = (name: string) => under.fake.apply(configMap(name), { fieldManager: 'another' });
const count = (part: string) => under.server.requests.filter((line) => line.includes(part)).length;

it('replaces an idle connection and resumes at the same version', async () => {
  under = await clientUnderTest({ watchLimits: { idleMs: 150, firstWaitMs: 5 }, bookmarkMs: 40 });
  under.server.faults.inject({ fault: 'silence' }, { path: 'watch=1' });
  const { seen } = watching();
  await expect.poll(() => seen[0]).toBe('listed');
  await write('during');
  await expect.poll(() => seen).toEqual(['listed', 'lost: cluster-unreachable', 'changed during']);
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([count('watch=1'), count('limit=')]).toEqual([2, 1]);
});

it('lists again if the version has expired', async () => {
  under = await clientUnderTest({ watchLimits: { idleMs: 100, firstWaitMs: 5 }, bookmarkMs: 40 });
  under.server.faults.inject({ fault: 'silence' }, { path: 'watch=1' });
  const { seen } = watching();
  await expect.poll(() => seen[0]).toBe('listed');
  await write('missed');
  under.fake.store.forget();
  await expect.poll(() => seen).toEqual(['listed', 'lost: cluster-unreachable', 'listed missed']);
  await write('next');
  await expect.poll(() => seen.at(-1)).toBe('changed next');
});

it('resumes at the version of the last bookmark', async () => {
  under = await clientUnderTest({
    watchLimits: { turnSeconds: 1, firstWaitMs: 5 },
    bookmarkMs: 50,
  });
  const { seen } = watching();
  await expect.poll(() => seen[0]).toBe('listed');
  await under.fake.apply(
    { ...configMap('elsewhere'), kind: 'Secret' },
    { fieldManager: 'another' },
  );
  const version = under.fake.store.resourceVersion;
  await expect
    .poll(() => count(`resourceVersion=${version}`), { timeout: 3_000 })
    .toBeGreaterThan(0);
  expect(count('limit=')).toBe(1);
});

it('reports the event of a truncated line once', async () => {
  under = await clientUnderTest();
  under.server.faults.inject({ fault: 'cut' }, { path: 'watch=1' });
  const { seen } = watching();
  await expect.poll(() => seen[0]).toBe('listed');
  await write('cut');
  await write('whole');
  await expect
    .poll(() => seen)
    .toEqual(['listed', 'lost: cluster-unreachable', 'changed cut', 'changed whole']);
});

it('reports a temporarily failing list once, then continues', async () => {
  under = await clientUnderTest({
    retry: { firstWaitMs: 1, longestWaitMs: 1, unknownMs: 5, knownMs: 5 },
  });
  await under.cluster.kinds();
  under.server.faults.inject({ fault: 'drop', when: 'before' }, { path: '/configmaps', times: 20 });
  const { seen } = watching();
  await expect.poll(() => seen).toEqual(['lost: cluster-unreachable', 'listed']);
});

it('stops with an error if a permission is missing', async () => {
  under = await clientUnderTest();
  under.server.faults.inject(
    { fault: 'status', code: 403, reason: 'Forbidden', message: 'no watching here' },
    { path: 'watch=1' },
  );
  expect(await watching().ended).toMatchObject({
    code: 'cluster-denied',
    message: 'cannot watch configmaps: no watching here',
  });
});

it('requests new credentials after expiry', async () => {
  under = await clientUnderTest();
  under.server.faults.inject(
    { fault: 'status', code: 401, reason: 'Unauthorized' },
    { path: 'watch=1' },
  );
  const { seen } = watching();
  await expect.poll(() => count('watch=1')).toBe(2);
  await write('seen');
  await expect.poll(() => seen).toEqual(['listed', 'changed seen']);
});
