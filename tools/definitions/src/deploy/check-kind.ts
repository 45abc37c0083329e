import { CcpError } from '#core';
import type { AppSpec, Workload } from './app-spec.ts';

type Member = 'replicas' | 'spread' | 'surge' | 'start';

/** What a workload of a kind must and must not say. */
const RULES: Readonly<Record<Workload['kind'], { readonly wants: readonly Member[]; readonly refuses: Partial<Record<Member, string>> }>> = {
  Deployment: { wants: ['replicas', 'spread'], refuses: { start: 'only a StatefulSet has an order of start' } },
  StatefulSet: { wants: ['replicas', 'spread'], refuses: { surge: 'a StatefulSet cannot surge' } },
  DaemonSet: {
    wants: [],
    refuses: {
      replicas: 'a DaemonSet has a pod on every node of its role, not a number of them',
      spread: 'a DaemonSet has one pod on each node anyway',
      surge: 'a DaemonSet cannot surge',
      start: 'only a StatefulSet has an order of start',
    },
  },
};

/** What a workload says that does not go with its kind, or lacks; `app-spec-invalid` each, at its place. */
export function checkKind(spec: AppSpec, name: string, workload: Workload): CcpError[] {
  const { wants, refuses } = RULES[workload.kind];
  const refuse = (path: readonly string[], message: string): CcpError => new CcpError({ code: 'app-spec-invalid', message, at: spec.position(['workloads', name, ...path]) });
  return [
    ...wants.flatMap((key) => (workload[key] === undefined ? [refuse([], `the key "${key}" is missing: a ${workload.kind} has it`)] : [])),
    ...Object.entries(refuses).flatMap(([key, message]) => (workload[key as Member] === undefined ? [] : [refuse([key], message)])),
  ];
}
