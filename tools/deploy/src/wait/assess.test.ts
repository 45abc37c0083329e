import { describe, expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { assess } from './assess.ts';
import type { Pod } from './pod.ts';
import { podTrouble } from './pod-trouble.ts';
import { stuckPods } from './stuck-pods.ts';

const live = (kind: string, spec: object, status?: object): LiveObject => ({
  apiVersion: 'x',
  kind,
  metadata: { name: 'web', namespace: 'cloud', uid: 'u', resourceVersion: '1', generation: 2, creationTimestamp: '' },
  spec,
  ...(status === undefined ? {} : { status }),
});
const of = (text: string, kind: string, status: object | undefined, expected: string) => [text, kind, status, expected] as const;

describe('assess', () => {
  it.each([
    of(
      'a status of the generation before',
      'Deployment',
      { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
      'progressing: its controller has not seen the change yet',
    ),
    of('old pods only', 'Deployment', { observedGeneration: 2, replicas: 3, updatedReplicas: 1, availableReplicas: 3 }, 'progressing: 1 of 3 pods are new'),
    of(
      'old pods that end',
      'Deployment',
      { observedGeneration: 2, replicas: 4, updatedReplicas: 3, availableReplicas: 3 },
      'progressing: 1 old pod is still there',
    ),
    of(
      'pods that are not ready',
      'Deployment',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 2 },
      'progressing: 2 of 3 pods are ready',
    ),
    of('all of it', 'Deployment', { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 }, 'done'),
    of(
      'a deadline that passed',
      'Deployment',
      { observedGeneration: 2, conditions: [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded', message: 'timed out' }] },
      'failed: made no progress in the time it has: timed out',
    ),
    of('the generation before', 'StatefulSet', { observedGeneration: 1 }, 'progressing: its controller has not seen the change yet'),
    of(
      'a revision half rolled',
      'StatefulSet',
      { observedGeneration: 2, replicas: 3, readyReplicas: 3, updatedReplicas: 1, currentRevision: 'a', updateRevision: 'b' },
      'progressing: 1 of 3 pods are new',
    ),
    of(
      'a pod too many',
      'StatefulSet',
      { observedGeneration: 2, replicas: 4, readyReplicas: 4, updatedReplicas: 4, currentRevision: 'b', updateRevision: 'b' },
      'progressing: 1 of 4 pods must still end',
    ),
    of('the whole set', 'StatefulSet', { observedGeneration: 2, replicas: 3, readyReplicas: 3, currentRevision: 'b', updateRevision: 'b' }, 'done'),
    of(
      'a pod that succeeded without the condition',
      'Job',
      { startTime: '2026-01-01T00:00:00Z', succeeded: 1 },
      'progressing: its pod has ended, or does not run yet',
    ),
    of('a Job that nobody has started', 'Job', {}, 'progressing: it has not started yet'),
    of('the condition Complete', 'Job', { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] }, 'done'),
    of(
      'the condition Failed',
      'Job',
      { conditions: [{ type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' }] },
      'failed: failed for good: DeadlineExceeded: too long',
    ),
    of('two pods that failed', 'Job', { failed: 2, active: 1 }, 'progressing: 2 of its pods failed, it is tried again'),
    of('three pods that failed', 'Job', { failed: 3 }, 'failed: 3 of its pods failed'),
    of('no status at all', 'ConfigMap', undefined, 'done'),
    of('an address or none', 'Ingress', { loadBalancer: {} }, 'done'),
    of('nobody who looked', 'HTTPRoute', undefined, 'progressing: the controller of the Gateway "public" has not seen it yet'),
    of(
      'the form before',
      'HTTPRoute',
      { parents: [{ parentRef: { name: 'public', sectionName: 'https' }, conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 1 }] }] },
      'progressing: the controller of the Gateway "public" has not seen it yet',
    ),
    of(
      'another listener',
      'HTTPRoute',
      { parents: [{ parentRef: { name: 'public', sectionName: 'http' }, conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 2 }] }] },
      'progressing: the controller of the Gateway "public" has not seen it yet',
    ),
    of(
      'a listener that refuses',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [{ type: 'Accepted', status: 'False', reason: 'NotAllowedByListeners', message: 'not of this namespace', observedGeneration: 2 }],
          },
        ],
      },
      'progressing: the Gateway "public" does not take it: NotAllowedByListeners: not of this namespace',
    ),
    of(
      'a Service that is not there',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [
              { type: 'Accepted', status: 'True', observedGeneration: 2 },
              { type: 'ResolvedRefs', status: 'False', reason: 'BackendNotFound', observedGeneration: 2 },
            ],
          },
        ],
      },
      'progressing: the Gateway "public" does not find what it leads to: BackendNotFound',
    ),
    of(
      'a controller that names no generation',
      'HTTPRoute',
      { parents: [{ parentRef: { name: 'public', sectionName: 'https' }, conditions: [{ type: 'Accepted', status: 'True' }] }] },
      'done',
    ),
    of(
      'a route that is taken',
      'HTTPRoute',
      {
        parents: [
          {
            parentRef: { name: 'public', sectionName: 'https' },
            conditions: [
              { type: 'Accepted', status: 'True', observedGeneration: 2 },
              { type: 'ResolvedRefs', status: 'True', observedGeneration: 2 },
            ],
          },
        ],
      },
      'done',
    ),
    of(
      'a class that nobody has',
      'Gateway',
      { conditions: [{ type: 'Accepted', status: 'Unknown', reason: 'Pending', message: 'Waiting for controller', observedGeneration: 2 }] },
      'progressing: is not accepted: Pending: Waiting for controller',
    ),
    of(
      'a certificate that is not there',
      'Gateway',
      {
        conditions: [{ type: 'Accepted', status: 'True', observedGeneration: 2 }],
        listeners: [
          { name: 'keystone-api', conditions: [{ type: 'ResolvedRefs', status: 'False', reason: 'InvalidCertificateRef', message: 'Secret cloud-tls' }] },
        ],
      },
      'progressing: its listener "keystone-api" takes no requests: InvalidCertificateRef: Secret cloud-tls',
    ),
    of(
      'a load balancer that is being made',
      'Gateway',
      {
        conditions: [
          { type: 'Accepted', status: 'True', observedGeneration: 2 },
          { type: 'Programmed', status: 'False', reason: 'AddressNotAssigned', observedGeneration: 2 },
        ],
      },
      'progressing: is not programmed: AddressNotAssigned',
    ),
    of(
      'a Gateway that listens',
      'Gateway',
      {
        conditions: [
          { type: 'Accepted', status: 'True', observedGeneration: 2 },
          { type: 'Programmed', status: 'True', observedGeneration: 2 },
        ],
      },
      'done',
    ),
    of(
      'an authority that has not answered',
      'Certificate',
      { conditions: [{ type: 'Ready', status: 'False', reason: 'DoesNotExist', message: 'Issuing certificate', observedGeneration: 2 }] },
      'progressing: is not ready: DoesNotExist: Issuing certificate',
    ),
    of(
      'a certificate for the hosts before',
      'Certificate',
      { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 1 }] },
      'progressing: its controller has not seen it yet',
    ),
    of('a certificate in its Secret', 'Certificate', { conditions: [{ type: 'Ready', status: 'True', observedGeneration: 2 }] }, 'done'),
  ])('%s: %s', (_, kind, status, expected) => {
    const state = assess(live(kind, { replicas: 3, parentRefs: [{ name: 'public', sectionName: 'https' }] }, status));
    expect(state.state === 'done' ? 'done' : `${state.state}: ${state.reason}`).toBe(expected);
  });
});

const pod = (status: object, more: { readonly revision?: string; readonly probe?: object } = {}): Pod =>
  ({
    ...live('Pod', { nodeName: 'n', containers: [{ name: 'api', ...(more.probe === undefined ? {} : { startupProbe: more.probe }) }] }, status),
    metadata: { ...live('Pod', {}).metadata, name: `pod-${more.revision ?? 'a'}`, labels: { 'controller-revision-hash': more.revision ?? 'a' } },
  }) as unknown as Pod;
const container = (state: object, restartCount = 0, lastState?: object) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'api', ready: false, restartCount, state, ...(lastState === undefined ? {} : { lastState }) }],
});
const READY = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'api', ready: true, restartCount: 9, state: { running: {} } }],
};
const CRASHING = container({ waiting: { reason: 'CrashLoopBackOff' } }, 3, { terminated: { exitCode: 137, reason: 'OOMKilled' } });

describe('podTrouble', () => {
  it.each([
    ['a pod that is ready, whatever it went through', READY, undefined],
    ['a crash loop', CRASHING, '0 s: container "api" exits with 137 (OOMKilled), restarted 3 times'],
    [
      'a crash within the budget',
      container({ waiting: { reason: 'CrashLoopBackOff' } }, 1, { terminated: { exitCode: 1, reason: 'Error' } }),
      '600 s: container "api" exits with 1, restarted 1 time',
    ],
    [
      'want of memory, twice',
      container({ waiting: { reason: 'CrashLoopBackOff' } }, 2, { terminated: { exitCode: 137, reason: 'OOMKilled' } }),
      '0 s: container "api" exits with 137 (OOMKilled), restarted 2 times',
    ],
    [
      'a container that crashed and runs again',
      container({ running: {} }, 1, { terminated: { exitCode: 1, reason: 'Error', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:20Z' } }),
      '600 s: container "api" exits with 1 after 20 s, restarted 1 time, and runs again without being ready',
    ],
    [
      'an image that is not there',
      container({ waiting: { reason: 'ErrImagePull', message: 'not found' } }),
      '25 s: the image of container "api" cannot be pulled (not found)',
    ],
    [
      'the same while the next try is waited for',
      container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "r/api@sha256:1": ErrImagePull: not found' } }),
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
      container({ waiting: { reason: 'ImagePullBackOff', message: 'Back-off pulling image "r/api"' } }),
      '25 s: the image of container "api" cannot be pulled (ImagePullBackOff)',
    ],
    [
      'a Secret that is not there',
      container({ waiting: { reason: 'CreateContainerConfigError', message: 'secret "x" not found' } }),
      '20 s: container "api" cannot be made (CreateContainerConfigError: secret "x" not found)',
    ],
    [
      'no place',
      { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', message: 'no node fits' }] },
      '45 s: no node takes it: no node fits',
    ],
    ['a pod that was thrown out', { phase: 'Failed', reason: 'Evicted', message: 'disk is full' }, '0 s: it ended: Evicted: disk is full'],
    ['a probe that does not pass', container({ running: {} }), '600 s: container "api" runs and is not ready'],
    ['a container that is being made', container({ waiting: { reason: 'ContainerCreating' } }), '600 s: container "api" does not run yet (ContainerCreating)'],
    ['a container that has just ended well', container({ terminated: { exitCode: 0 } }), undefined],
  ])('%s', (_, status, expected) => {
    const trouble = podTrouble(pod(status));
    expect(trouble === undefined ? undefined : `${trouble.patience} s: ${trouble.reason}`).toBe(expected);
  });

  it('gives a container the time of its startup probe', () => {
    expect(podTrouble(pod(container({ running: {} }), { probe: { periodSeconds: 5, failureThreshold: 720 } }))?.patience).toBe(4200);
  });
});

describe('stuckPods', () => {
  const set = live('StatefulSet', { replicas: 2 }, { observedGeneration: 2, updateRevision: 'b' });
  it.each([
    ['a broken pod of an earlier form', [pod(CRASHING, { revision: 'a' }), pod(READY, { revision: 'b' })], ['pod-a']],
    ['one that is only not ready yet', [pod(container({ running: {} }), { revision: 'a' })], []],
    ['one of the wanted form', [pod(CRASHING, { revision: 'b' })], []],
    ['none while a pod of the wanted form is coming up', [pod(CRASHING, { revision: 'a' }), pod(container({ running: {} }), { revision: 'b' })], []],
  ])('%s', (_, pods, expected) => {
    expect(stuckPods(set, pods).map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it('none before the controller has seen the change', () => {
    expect(stuckPods({ ...set, status: { observedGeneration: 1, updateRevision: 'b' } }, [pod(CRASHING, { revision: 'a' })])).toEqual([]);
  });
});
