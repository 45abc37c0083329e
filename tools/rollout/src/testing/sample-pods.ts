import { omitUndefined } from '#core';
import type { LiveObject } from '#ports';
import type { Pod } from '../wait/pod.ts';

export const live = (kind: string, spec: object, status?: object): LiveObject => ({
  apiVersion: 'x',
  kind,
  metadata: {
    name: 'web',
    namespace: 'cloud',
    uid: 'u',
    resourceVersion: '1',
    generation: 2,
    creationTimestamp: '',
  },
  spec,
  ...omitUndefined({ status }),
});

export const of = (text: string, kind: string, status: object | undefined, expected: string) =>
  [text, kind, status, expected] as const;

export const pod = (
  status: object,
  more: { readonly revision?: string; readonly probe?: object } = {},
): Pod =>
  ({
    ...live(
      'Pod',
      {
        nodeName: 'n',
        containers: [{ name: 'api', ...omitUndefined({ startupProbe: more.probe }) }],
      },
      status,
    ),
    metadata: {
      ...live('Pod', {}).metadata,
      name: `pod-${more.revision ?? 'a'}`,
      labels: { 'controller-revision-hash': more.revision ?? 'a' },
    },
  }) as unknown as Pod;

export const container = (state: object, restartCount = 0, lastState?: object) => ({
  phase: 'Running',
  containerStatuses: [
    {
      name: 'api',
      ready: false,
      restartCount,
      state,
      ...omitUndefined({ lastState }),
    },
  ],
});

export const READY = {
  phase: 'Running',
  conditions: [{ type: 'Ready', status: 'True' }],
  containerStatuses: [{ name: 'api', ready: true, restartCount: 9, state: { running: {} } }],
};

export const CRASHING = container({ waiting: { reason: 'CrashLoopBackOff' } }, 3, {
  terminated: { exitCode: 137, reason: 'OOMKilled' },
});
