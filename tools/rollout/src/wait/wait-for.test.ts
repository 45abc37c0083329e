import { describe, expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { fakeCluster, virtualClock } from '#ports/testing';
import type { Pod } from './pod.ts';
import { waitFor } from './wait-for.ts';

const metadata = (name: string) => ({
  name,
  namespace: 'cloud',
  uid: name,
  resourceVersion: '1',
  generation: 1,
  creationTimestamp: '',
});
const web = (ready: number): LiveObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata('web'),
  spec: { replicas: 1 },
  status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: ready },
});
const pod = (waiting: object): Pod =>
  ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadata('web-1'),
    spec: {},
    status: {
      phase: 'Running',
      containerStatuses: [{ name: 'web', ready: false, restartCount: 0, state: { waiting } }],
    },
  }) as Pod;

it('reports recurring states once, and a pull failure with one text', async () => {
  const clock = virtualClock();
  const cause = 'failed to resolve reference "r/web:1": not found';
  const states = [
    { reason: 'ContainerCreating' },
    { reason: 'ErrImagePull', message: cause },
    {
      reason: 'ImagePullBackOff',
      message: `Back-off pulling image "r/web:1": ErrImagePull: ${cause}`,
    },
  ];
  let looks = 0;
  const reported: string[] = [];
  const watch = {
    object: () => web(looks > 12 ? 1 : 0),
    podsOf: () => [pod(states[looks % states.length]!)],
    change: (milliseconds: number) => (looks++, clock.sleep(milliseconds)),
    close: () => Promise.resolve(),
  };
  const ended = await waitFor(web(0), {
    cluster: fakeCluster(),
    home: { namespace: 'cloud' },
    watch,
    clock,
    signal: new AbortController().signal,
    progress: (word) => void reported.push(word),
  });
  expect(ended).toBeUndefined();
  expect(reported.map((word) => word.replace(/^.*web-1: /, ''))).toEqual([
    'container "web" is not running yet (ContainerCreating)',
    `the image of container "web" cannot be pulled (${cause})`,
  ]);
});

describe('a container that its startup probe kills', () => {
  const web: LiveObject = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: metadata('web'),
    spec: { replicas: 1 },
    status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: 0 },
  };
  const START = Date.parse('2026-01-01T00:00:00Z');
  const time = (seconds: number): string => new Date(START + seconds * 1000).toISOString();
  /** Runs for 300 s each time; `before` are runs that were over when the wait began. */
  const starved = (
    second: number,
    { before, reason }: { readonly before: number; readonly reason: string },
  ): Pod => {
    const ended = Math.floor(second / 300);
    const lastState = {
      terminated: {
        exitCode: 137,
        reason,
        startedAt: time((ended - 1) * 300),
        finishedAt: time(ended * 300),
      },
    };
    const status = {
      name: 'web',
      ready: false,
      restartCount: before + ended,
      state: { running: {} },
      ...(before + ended === 0 ? {} : { lastState }),
    };
    return {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: metadata('web-1'),
      spec: {
        containers: [{ name: 'web', startupProbe: { periodSeconds: 2, failureThreshold: 60 } }],
      },
      status: { phase: 'Running', containerStatuses: [status] },
    } as Pod;
  };

  it.each([
    [
      'for want of memory, fails with its first run',
      { before: 0, reason: 'OOMKilled' },
      301,
      'exited with code 137 (OOMKilled) after 300 s, restarted 1 time',
    ],
    [
      'for another reason, has a second',
      { before: 0, reason: 'Error' },
      601,
      'exited with code 137 after 300 s, restarted 2 times',
    ],
    [
      'and that was killed before, has all of a start once more',
      { before: 4, reason: 'OOMKilled' },
      301,
      'exited with code 137 (OOMKilled) after 300 s, restarted 5 times',
    ],
  ])('%s', async (_, given, latest, how) => {
    const clock = virtualClock();
    const cluster = fakeCluster();
    cluster.setLogs({ namespace: 'cloud', name: 'web-1' }, 'worker 1 died, killed by signal 9\n', {
      container: 'web',
      previous: true,
    });
    const watch = {
      object: () => web,
      podsOf: () => [starved(clock.elapsed(), given)],
      change: (milliseconds: number) => clock.sleep(milliseconds),
      close: () => Promise.resolve(),
    };
    const ended = await waitFor(web, {
      cluster,
      home: { namespace: 'cloud' },
      watch,
      clock,
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    expect(ended).toMatchObject({
      key: 'Deployment/web',
      container: 'web',
      exitCode: 137,
      log: ['worker 1 died, killed by signal 9'],
      reason: `0 of 1 pods are ready; pod web-1: container "web" ${how}, is running again but not ready`,
    });
    expect(clock.elapsed()).toBeLessThanOrEqual(latest);
  });
});

describe('a container whose probes use a port without a listener', () => {
  const LIVENESS = { tcpSocket: { port: 'cache' }, periodSeconds: 14, failureThreshold: 3 };
  const READINESS = { tcpSocket: { port: 'cache' }, periodSeconds: 5, failureThreshold: 3 };
  const REFUSED = 'dial tcp 10.0.0.5:11211: connect: connection refused';
  const time = (clock: ReturnType<typeof virtualClock>, second: number): string =>
    new Date(clock.now() - (clock.elapsed() - second) * 1000).toISOString();

  /**
   * Plays the kubelet: it probes, writes events, and kills the container after every third failed
   * liveness probe.
   */
  async function waited(probes: object, { ends = 600 } = {}) {
    const clock = virtualClock();
    const cluster = fakeCluster({ now: () => new Date(clock.now()) });
    const about = { apiVersion: 'v1', kind: 'Pod', namespace: 'cloud', name: 'web-1' };
    const has = (name: string): boolean => name in probes;
    let reported = -1;
    const report = (): void => {
      for (; reported < Math.floor(clock.elapsed()); reported++) {
        const second = reported + 1;
        const event = (reason: string, message: string): void =>
          cluster.addEvent(about, {
            reason,
            message,
            container: 'web',
            lastSeen: time(clock, second),
            type: reason === 'Killing' ? 'Normal' : 'Warning',
          });
        if (second > 0 && second % 5 === 0)
          event('Unhealthy', `Readiness probe failed: ${REFUSED}`);
        if (has('livenessProbe') && second > 0 && second % 14 === 0)
          event('Unhealthy', `Liveness probe failed: ${REFUSED}`);
        if (has('livenessProbe') && second > 0 && second % 42 === 0)
          event('Killing', 'Container web failed liveness probe, will be restarted');
      }
    };
    const now = (): Pod => {
      const runs = has('livenessProbe') ? Math.floor(clock.elapsed() / 42) : 0;
      const terminated = {
        exitCode: 0,
        reason: 'Completed',
        startedAt: time(clock, (runs - 1) * 42),
        finishedAt: time(clock, runs * 42),
      };
      const status = {
        name: 'web',
        ready: false,
        started: true,
        restartCount: runs,
        state: { running: {} },
        ...(runs === 0 ? {} : { lastState: { terminated } }),
      };
      return {
        ...pod({}),
        spec: {
          containers: [
            { name: 'web', ports: [{ name: 'cache', containerPort: 11211 }], ...probes },
          ],
        },
        status: { phase: 'Running', containerStatuses: [status] },
      } as Pod;
    };
    const words: string[] = [];
    const watch = {
      object: () => web(clock.elapsed() > ends ? 1 : 0),
      podsOf: () => [now()],
      change: async (milliseconds: number) => (await clock.sleep(milliseconds), report()),
      close: () => Promise.resolve(),
    };
    const progress = (word: string): void =>
      void words.push(`${Math.round(clock.elapsed())} s: ${word}`);
    const ended = await waitFor(web(0), {
      cluster,
      home: { namespace: 'cloud' },
      watch,
      clock,
      signal: new AbortController().signal,
      progress,
    });
    return { ended, words, seconds: clock.elapsed() };
  }

  it('fails within a minute if its liveness probe fails, for any number of restarts', async () => {
    const { ended, words, seconds } = await waited({
      livenessProbe: LIVENESS,
      readinessProbe: READINESS,
    });
    expect(ended).toMatchObject({
      container: 'web',
      reason: `0 of 1 pods are ready; pod web-1: container "web" fails its liveness probe (tcp port 11211): ${REFUSED}`,
    });
    expect(seconds).toBeGreaterThan(58);
    expect(seconds).toBeLessThanOrEqual(60.5);
    expect(words.at(-1)).toMatch(/^[1-5]\d s: .*fails its liveness probe/);
    expect(words.filter((word) => word.includes('exits'))).toEqual([]);
  });

  it('may take as long as its readiness probe allows if it has no other probe', async () => {
    const { ended, words } = await waited({ readinessProbe: READINESS }, { ends: 300 });
    expect(ended).toBeUndefined();
    expect(words.at(-1)).toMatch(
      /^1\d s: 0 of 1 pods are ready; pod web-1: container "web" is running but not ready: its readiness probe \(tcp port 11211\) fails: dial tcp/,
    );
  });
});
