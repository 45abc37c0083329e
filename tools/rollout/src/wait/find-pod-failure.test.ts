import { describe, expect, it } from 'vitest';
import { pod, container, READY, CRASHING } from '../testing/sample-pods.ts';
import { podFailure } from './find-pod-failure.ts';

describe('podFailure', () => {
  it.each([
    ['a ready pod, after any failures', READY, undefined],
    [
      'a crash loop',
      CRASHING,
      '0 s: container "api" exited with code 137 (OOMKilled), restarted 3 times',
    ],
    [
      'a crash within the budget',
      container({ waiting: { reason: 'CrashLoopBackOff' } }, 1, {
        terminated: { exitCode: 1, reason: 'Error' },
      }),
      '600 s: container "api" exited with code 1, restarted 1 time',
    ],
    [
      'a second crash of a container that ends at once',
      container({ waiting: { reason: 'CrashLoopBackOff' } }, 1, {
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: '2026-01-01T00:00:00Z',
          finishedAt: '2026-01-01T00:00:12Z',
        },
      }),
      '45 s: container "api" exited with code 1, restarted 1 time',
    ],
    [
      'the end of a long run after a short run',
      container(
        {
          terminated: {
            exitCode: 1,
            reason: 'Error',
            startedAt: '2026-01-01T00:01:00Z',
            finishedAt: '2026-01-01T00:09:00Z',
          },
        },
        1,
        {
          terminated: {
            exitCode: 1,
            startedAt: '2026-01-01T00:00:00Z',
            finishedAt: '2026-01-01T00:00:12Z',
          },
        },
      ),
      '600 s: container "api" exited with code 1',
    ],
    [
      'want of memory, twice',
      container({ waiting: { reason: 'CrashLoopBackOff' } }, 2, {
        terminated: { exitCode: 137, reason: 'OOMKilled' },
      }),
      '0 s: container "api" exited with code 137 (OOMKilled), restarted 2 times',
    ],
    [
      'a container that crashed and runs again',
      container({ running: {} }, 1, {
        terminated: {
          exitCode: 1,
          reason: 'Error',
          startedAt: '2026-01-01T00:00:00Z',
          finishedAt: '2026-01-01T00:00:20Z',
        },
      }),
      '600 s: container "api" exited with code 1 after 20 s, restarted 1 time, is running again but not ready',
    ],
    [
      'an image that is not there',
      container({ waiting: { reason: 'ErrImagePull', message: 'not found' } }),
      '25 s: the image of container "api" cannot be pulled (not found)',
    ],
    [
      'the same while the next try is waited for',
      container({
        waiting: {
          reason: 'ImagePullBackOff',
          message: 'Back-off pulling image "r/api@sha256:1": ErrImagePull: not found',
        },
      }),
      '25 s: the image of container "api" cannot be pulled (not found)',
    ],
    [
      'a runtime that names the image again and again',
      container({
        waiting: {
          reason: 'ErrImagePull',
          message: `rpc error: code = NotFound desc = failed to pull and unpack image "r/api@sha256:${'0'.repeat(64)}": failed to resolve reference "r/api@sha256:${'0'.repeat(64)}": not found`,
        },
      }),
      '25 s: the image of container "api" cannot be pulled (failed to resolve reference "r/api@sha256:000000000000": not found)',
    ],
    [
      'a kubelet that gives no cause',
      container({
        waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "r/api"' },
      }),
      '25 s: the image of container "api" cannot be pulled (ImagePullBackOff)',
    ],
    [
      'a Secret that is not there',
      container({
        waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' },
      }),
      '20 s: container "api" cannot be created (CreateContainerConfigError: secret "x" not found)',
    ],
    [
      'no place',
      {
        phase: 'Pending',
        conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node fits' }],
      },
      '45 s: no node can run it: no node fits',
    ],
    [
      'a pod that was thrown out',
      { phase: 'Failed', reason: 'Evicted', message: 'disk is full' },
      '0 s: it ended: Evicted: disk is full',
    ],
    [
      'a probe that does not pass',
      container({ running: {} }),
      '600 s: container "api" is running but not ready',
    ],
    [
      'a container that is being made',
      container({ waiting: { reason: 'ContainerCreating' } }),
      '600 s: container "api" is not running yet (ContainerCreating)',
    ],
    ['a container that has just ended well', container({ terminated: { exitCode: 0 } }), undefined],
  ])('%s', (_, status, expected) => {
    const failure = podFailure(pod(status));
    expect(
      failure === undefined ? undefined : `${failure.timeoutSeconds} s: ${failure.reason}`,
    ).toBe(expected);
  });

  it('gives a container the time of its startup probe', () => {
    expect(
      podFailure(
        pod(container({ running: {} }), { probe: { periodSeconds: 5, failureThreshold: 720 } }),
      )?.timeoutSeconds,
    ).toBe(4200);
  });
});
