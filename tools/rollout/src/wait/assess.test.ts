import { describe, expect, it } from 'vitest';
import { live, of } from '../testing/sample-pods.ts';
import { assess } from './assess.ts';

describe('assess', () => {
  it.each([
    of(
      'a status of the generation before',
      'Deployment',
      { observedGeneration: 1, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
      'progressing: its controller has not seen the change yet',
    ),
    of(
      'old pods only',
      'Deployment',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 1, availableReplicas: 3 },
      'progressing: 1 of 3 pods are updated',
    ),
    of(
      'old pods that end',
      'Deployment',
      { observedGeneration: 2, replicas: 4, updatedReplicas: 3, availableReplicas: 3 },
      'progressing: 1 old pod is still present',
    ),
    of(
      'pods that are not ready',
      'Deployment',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 2 },
      'progressing: 2 of 3 pods are ready',
    ),
    of(
      'all of it',
      'Deployment',
      { observedGeneration: 2, replicas: 3, updatedReplicas: 3, availableReplicas: 3 },
      'done',
    ),
    of(
      'a deadline that passed',
      'Deployment',
      {
        observedGeneration: 2,
        conditions: [
          {
            type: 'Progressing',
            status: 'False',
            reason: 'ProgressDeadlineExceeded',
            message: 'timed out',
          },
        ],
      },
      'failed: made no progress before its deadline: timed out',
    ),
    of(
      'the generation before',
      'StatefulSet',
      { observedGeneration: 1 },
      'progressing: its controller has not seen the change yet',
    ),
    of(
      'a revision half rolled',
      'StatefulSet',
      {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 3,
        updatedReplicas: 1,
        currentRevision: 'a',
        updateRevision: 'b',
      },
      'progressing: 1 of 3 pods are updated',
    ),
    of(
      'a pod too many',
      'StatefulSet',
      {
        observedGeneration: 2,
        replicas: 4,
        readyReplicas: 4,
        updatedReplicas: 4,
        currentRevision: 'b',
        updateRevision: 'b',
      },
      'progressing: 1 of 4 pods must still terminate',
    ),
    of(
      'the whole set',
      'StatefulSet',
      {
        observedGeneration: 2,
        replicas: 3,
        readyReplicas: 3,
        currentRevision: 'b',
        updateRevision: 'b',
      },
      'done',
    ),
    of(
      'a pod that succeeded without the condition',
      'Job',
      { startTime: '2026-01-01T00:00:00Z', succeeded: 1 },
      'progressing: its pod has finished or has not started yet',
    ),
    of('a Job that nobody has started', 'Job', {}, 'progressing: it has not started yet'),
    of(
      'the condition Complete',
      'Job',
      { succeeded: 1, conditions: [{ type: 'Complete', status: 'True' }] },
      'done',
    ),
    of(
      'the condition Failed',
      'Job',
      {
        conditions: [
          { type: 'Failed', status: 'True', reason: 'DeadlineExceeded', message: 'too long' },
        ],
      },
      'failed: failed: DeadlineExceeded: too long',
    ),
    of(
      'two pods that failed',
      'Job',
      { failed: 2, active: 1 },
      'progressing: 2 of its pods failed, and Kubernetes tries again',
    ),
    of('three pods that failed', 'Job', { failed: 3 }, 'failed: 3 of its pods failed'),
    of('no status at all', 'ConfigMap', undefined, 'done'),
    of('an address or none', 'Ingress', { loadBalancer: {} }, 'done'),
  ])('%s: %s', (_, kind, status, expected) => {
    const state = assess(live(kind, { replicas: 3 }, status));
    expect(state.state === 'done' ? 'done' : `${state.state}: ${state.reason}`).toBe(expected);
  });
});
