import { expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { fakeCluster } from '#ports/testing';
import { fastClock } from '../testing/fast-clock.ts';
import type { Pod } from './pod.ts';
import { waitFor } from './wait-for.ts';

const metadata = (name: string) => ({ name, namespace: 'cloud', uid: name, resourceVersion: '1', generation: 1, creationTimestamp: '' });
const web = (ready: number): LiveObject => ({ apiVersion: 'apps/v1', kind: 'Deployment', metadata: metadata('web'), spec: { replicas: 1 }, status: { observedGeneration: 1, replicas: 1, updatedReplicas: 1, availableReplicas: ready } });
const pod = (waiting: object): Pod => ({ apiVersion: 'v1', kind: 'Pod', metadata: metadata('web-1'), spec: {}, status: { phase: 'Running', containerStatuses: [{ name: 'web', ready: false, restartCount: 0, state: { waiting } }] } }) as Pod;

it('states that come and go are told once, and what an image lacks in one way', async () => {
  const clock = fastClock();
  const cause = 'failed to resolve reference "r/web:1": not found';
  const states = [{ reason: 'ContainerCreating' }, { reason: 'ErrImagePull', message: cause }, { reason: 'ImagePullBackOff', message: `Back-off pulling image "r/web:1": ErrImagePull: ${cause}` }];
  let looks = 0;
  const told: string[] = [];
  const watch = {
    object: () => web(looks > 12 ? 1 : 0),
    podsOf: () => [pod(states[looks % states.length]!)],
    change: (milliseconds: number) => (looks++, clock.sleep(milliseconds)),
    close: () => Promise.resolve(),
  };
  const ended = await waitFor(web(0), { cluster: fakeCluster(), watch, clock, signal: new AbortController().signal, progress: (word) => void told.push(word) });
  expect(ended).toBeUndefined();
  expect(told.map((word) => word.replace(/^.*web-1: /, ''))).toEqual(['container "web" does not run yet (ContainerCreating)', `the image of container "web" cannot be pulled (${cause})`]);
});
