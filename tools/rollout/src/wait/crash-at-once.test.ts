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

describe('a container that exits immediately with an error', () => {
  const RUN = 10;
  const START = Date.parse('2026-01-01T00:00:00Z');
  const time = (second: number): string => new Date(START + second * 1000).toISOString();
  const terminated = (start: number) => ({
    exitCode: 1,
    reason: 'Error',
    startedAt: time(start),
    finishedAt: time(start + RUN),
  });
  const given = (status: object, labels = {}): Pod =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { ...metadata('web-1'), labels },
      spec: { containers: [{ name: 'web' }] },
      status,
    }) as Pod;

  async function failure(
    wanted: LiveObject,
    now: (second: number) => { readonly object: LiveObject; readonly pods: readonly Pod[] },
  ) {
    const clock = virtualClock();
    const ended = await waitFor(wanted, {
      cluster: fakeCluster(),
      home: { namespace: 'cloud' },
      watch: {
        object: () => now(clock.elapsed()).object,
        podsOf: () => now(clock.elapsed()).pods,
        change: (milliseconds: number) => clock.sleep(milliseconds),
        close: () => Promise.resolve(),
      },
      clock,
      signal: new AbortController().signal,
      progress: () => undefined,
    });
    return { ended, seconds: clock.elapsed() };
  }

  it('has failed within a minute, though each run takes ten seconds', async () => {
    // kubelet restarts at once, then after 10 s, then after 20 s.
    const starts = [0, 10, 30, 60];
    const { ended, seconds } = await failure(web(0), (second) => {
      const restartCount = starts.findLastIndex((start) => start <= second);
      const isRunning = second < starts[restartCount]! + RUN;
      const last = terminated(starts[isRunning ? restartCount - 1 : restartCount] ?? 0);
      const container = {
        name: 'web',
        ready: false,
        restartCount,
        state: isRunning ? { running: {} } : { waiting: { reason: 'CrashLoopBackOff' } },
        ...(isRunning && restartCount === 0 ? {} : { lastState: { terminated: last } }),
      };
      return {
        object: web(0),
        pods: [given({ phase: 'Running', containerStatuses: [container] })],
      };
    });
    expect(ended).toMatchObject({
      reason:
        '0 of 1 pods are ready; pod web-1: container "web" exited with code 1, restarted 2 times',
    });
    expect(seconds).toBeLessThan(60);
  });

  it('is not failed by a crash of long ago', async () => {
    const { ended } = await failure(web(0), (second) => {
      const crashes = second < 4 || (second >= 46 && second < 49);
      const container = {
        name: 'web',
        ready: !crashes,
        restartCount: second >= 46 ? 2 : 1,
        state: crashes ? { waiting: { reason: 'CrashLoopBackOff' } } : { running: {} },
        lastState: { terminated: terminated(0) },
      };
      const conditions = [{ type: 'Ready', status: crashes ? 'False' : 'True' }];
      return {
        object: web(second > 60 ? 1 : 0),
        pods: [given({ phase: 'Running', conditions, containerStatuses: [container] })],
      };
    });
    expect(ended).toBeUndefined();
  });

  it('does not fail after its first short run that follows a long run', async () => {
    const { ended, seconds } = await failure(web(0), (second) => {
      const isLong = second < 200;
      const container = {
        name: 'web',
        ready: false,
        restartCount: isLong ? 1 : 2,
        state: { waiting: { reason: 'CrashLoopBackOff' } },
        lastState: {
          terminated: isLong ? { ...terminated(-400), finishedAt: time(0) } : terminated(190),
        },
      };
      return {
        object: web(0),
        pods: [given({ phase: 'Running', containerStatuses: [container] })],
      };
    });
    expect(ended).toMatchObject({
      reason:
        '0 of 1 pods are ready; pod web-1: container "web" exited with code 1, restarted 2 times',
    });
    expect(seconds).toBeGreaterThanOrEqual(245);
  });

  it('has failed in a Job within a minute too', async () => {
    const job = (failed: number): LiveObject => ({
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: metadata('sync'),
      spec: {},
      status: { startTime: time(0), active: 1, failed },
    });
    const { ended, seconds } = await failure(job(0), (second) => ({
      // The controller waits 10 s and then 20 s; with ten seconds each, the third pod fails at 60
      // s.
      object: job(second < RUN ? 0 : second < 30 ? 1 : 2),
      pods: [0, 20].flatMap((start) => {
        if (second < start + RUN) return [];
        const container = {
          name: 'sync',
          ready: false,
          restartCount: 0,
          state: { terminated: terminated(start) },
        };
        return [given({ phase: 'Failed', containerStatuses: [container] })];
      }),
    }));
    expect(ended).toMatchObject({ container: 'sync', exitCode: 1 });
    expect(seconds).toBeLessThan(60);
  });
});
