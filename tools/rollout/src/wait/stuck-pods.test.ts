import { describe, expect, it } from 'vitest';
import { live, pod, container, READY, CRASHING } from '../testing/sample-pods.ts';
import { stuckPods } from './stuck-pods.ts';

describe('stuckPods', () => {
  const set = live('StatefulSet', { replicas: 2 }, { observedGeneration: 2, updateRevision: 'b' });
  it.each([
    [
      'a broken pod of an earlier form',
      [pod(CRASHING, { revision: 'a' }), pod(READY, { revision: 'b' })],
      ['pod-a'],
    ],
    ['one that is only not ready yet', [pod(container({ running: {} }), { revision: 'a' })], []],
    ['one of the wanted form', [pod(CRASHING, { revision: 'b' })], []],
    [
      'none while a pod of the wanted form is coming up',
      [pod(CRASHING, { revision: 'a' }), pod(container({ running: {} }), { revision: 'b' })],
      [],
    ],
  ])('%s', (_, pods, expected) => {
    expect(stuckPods(set, pods).map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it('returns no pod before the controller has seen the change', () => {
    expect(
      stuckPods({ ...set, status: { observedGeneration: 1, updateRevision: 'b' } }, [
        pod(CRASHING, { revision: 'a' }),
      ]),
    ).toEqual([]);
  });
});
