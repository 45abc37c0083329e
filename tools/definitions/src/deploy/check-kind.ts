import type { Workload } from './app-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

type Member = 'replicas' | 'spread' | 'surge' | 'start' | 'together' | 'leader';

/** Required and forbidden keys of each kind of workload. */
const RULES: Readonly<
  Record<
    Workload['kind'],
    { readonly wants: readonly Member[]; readonly refuses: Partial<Record<Member, string>> }
  >
> = {
  Deployment: {
    wants: ['replicas', 'spread'],
    refuses: {
      start: 'only a StatefulSet can have "start"',
      together: 'only a StatefulSet can have "together"',
      leader: 'only a StatefulSet can have "leader"',
    },
  },
  StatefulSet: {
    wants: ['replicas', 'spread'],
    refuses: { surge: 'a StatefulSet cannot have "surge"' },
  },
  DaemonSet: {
    wants: [],
    refuses: {
      replicas: 'a DaemonSet cannot have "replicas": it runs one pod on every node of its role',
      spread: 'a DaemonSet cannot have "spread": it runs one pod on every node of its role',
      surge: 'a DaemonSet cannot have "surge"',
      start: 'only a StatefulSet can have "start"',
      together: 'only a StatefulSet can have "together"',
      leader: 'only a StatefulSet can have "leader"',
    },
  },
};

/** Refuses missing and forbidden keys of a workload. */
export function checkKind(name: string, workload: Workload, { refuse }: SpecFindings): void {
  const { wants, refuses } = RULES[workload.kind];
  for (const key of wants)
    if (workload[key] === undefined)
      refuse(['workloads', name], `the key "${key}" is missing: a ${workload.kind} requires it`);
  for (const [key, message] of Object.entries(refuses))
    if (workload[key as Member] !== undefined) refuse(['workloads', name, key], message);
}
