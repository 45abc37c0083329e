import { expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { fakeCluster } from '#ports/testing';
import { progressing } from './assessment.ts';
import { describeFailure } from './failure.ts';

it('lists warnings of the failed object, a line each, without warnings of earlier objects with its name', async () => {
  const cluster = fakeCluster();
  const set: LiveObject = {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: {
      name: 'base',
      namespace: 'cloud',
      uid: 'u',
      resourceVersion: '1',
      creationTimestamp: '2026-01-01T10:00:00Z',
    },
  };
  const warn = (lastSeen: string, message: string): void =>
    cluster.addEvent(
      { ...set, name: 'base', namespace: 'cloud' },
      { reason: 'Failed', message, lastSeen },
    );
  warn('2026-01-01T09:59:59Z', 'no node');
  warn('2026-01-01T10:00:00.120Z', 'no answer\n(2)\n\n');
  expect(
    (
      await describeFailure(
        cluster,
        { namespace: 'cloud' },
        set,
        progressing('is not ready'),
        undefined,
      )
    ).events,
  ).toEqual(['Failed: no answer (2)']);
});
