import type { Workload } from './app-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

type Member = 'replicas' | 'spread' | 'surge' | 'start' | 'together';

/** What a workload of a kind must and must not say. */
const RULES: Readonly<Record<Workload['kind'], { readonly wants: readonly Member[]; readonly refuses: Partial<Record<Member, string>> }>> = {
  Deployment: {
    wants: ['replicas', 'spread'],
    refuses: { start: 'only a StatefulSet has an order of start', together: 'only the pods of a StatefulSet are members' },
  },
  StatefulSet: { wants: ['replicas', 'spread'], refuses: { surge: 'a StatefulSet cannot surge' } },
  DaemonSet: {
    wants: [],
    refuses: {
      replicas: 'a DaemonSet has a pod on every node of its role, not a number of them',
      spread: 'a DaemonSet has one pod on each node anyway',
      surge: 'a DaemonSet cannot surge',
      start: 'only a StatefulSet has an order of start',
      together: 'only the pods of a StatefulSet are members',
    },
  },
};

/** What a workload says that does not go with its kind, or lacks. */
export function checkKind(name: string, workload: Workload, { refuse }: SpecFindings): void {
  const { wants, refuses } = RULES[workload.kind];
  for (const key of wants) if (workload[key] === undefined) refuse(['workloads', name], `the key "${key}" is missing: a ${workload.kind} has it`);
  for (const [key, message] of Object.entries(refuses)) if (workload[key as Member] !== undefined) refuse(['workloads', name, key], message);
}
