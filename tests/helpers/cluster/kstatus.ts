import type { LiveObject } from '#ports';

interface Status {
  readonly observedGeneration?: number;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly observedGeneration?: number;
  }[];
}

/** The states of an object for tools that read kstatus. */
export type Kstatus = 'Current' | 'InProgress' | 'Failed' | 'Terminating';

/** The state of an object, by the rules of kstatus for kinds that it does not know. */
export function kstatus({ metadata, ...object }: LiveObject): Kstatus {
  const { observedGeneration, conditions = [] } = (object['status'] ?? {}) as Status;
  const is = (type: string, status: string): boolean =>
    conditions.some((each) => each.type === type && each.status === status);
  if (metadata.deletionTimestamp !== undefined) return 'Terminating';
  if (observedGeneration !== metadata.generation || is('Reconciling', 'True')) return 'InProgress';
  if (is('Stalled', 'True')) return 'Failed';
  return is('Ready', 'True') ? 'Current' : 'InProgress';
}

/** Whether `kubectl wait --for=condition=Ready` returns for this state. */
export function isWaitOver({ metadata, ...object }: LiveObject): boolean {
  const { conditions = [] } = (object['status'] ?? {}) as Status;
  const ready = conditions.find(({ type }) => type === 'Ready');
  return (
    ready?.status === 'True' &&
    (ready.observedGeneration === undefined || ready.observedGeneration >= metadata.generation!)
  );
}
