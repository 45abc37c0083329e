import type { Volume, Workload } from '#definitions';
import type { BoundPod } from '../model/bound.ts';
import type { OnNodes } from '../model/node-groups.ts';
import type { InstanceInput } from './instance-input.ts';
import type { SameNode, Spread } from './placement.ts';

/** Input of a pod. */
export interface PodInput extends Pick<InstanceInput, 'site' | 'files'>, BoundPod {
  readonly role: string;
  readonly spread?: Spread;
  readonly sameNode?: SameNode;
  readonly onNodes?: OnNodes | undefined;
  readonly host?: Workload['host'];
  readonly shareProcessNamespace?: Workload['shareProcessNamespace'];
  /** Account with which the pod calls the API server; without it, the pod has no token. */
  readonly account?: string | undefined;
  readonly volumes: Readonly<Record<string, Volume>>;
}
