import type { KubernetesObject } from '#ports';
import { namespaceOf, type GateCondition } from './gate-condition.ts';

/** An account whose pods wait. */
export interface WaitingAccount {
  readonly namespace: string;
  readonly name: string;
}

type Rule = readonly [group: string, resource: string, verb: string];

/** The resources and verbs that a condition reads with. */
function rulesFor(condition: GateCondition): readonly Rule[] {
  switch (condition.type) {
    case 'service':
      return [['discovery.k8s.io', 'endpointslices', 'list']];
    case 'job':
      return [['batch', 'jobs', 'get']];
    case 'job-of':
      return [['batch', 'jobs', 'list']];
    case 'workload':
      return [['apps', `${condition.kind.toLowerCase()}s`, 'get']];
    case 'rollout':
      return [
        ['apps', `${condition.kind.toLowerCase()}s`, 'get'],
        ['', 'pods', 'list'],
      ];
  }
}

/**
 * The accounts of gates, and in each namespace that they read a Role with exactly the kinds and
 * verbs that the conditions there need. `name` is the name of all these objects; `accounts` are
 * further accounts of waiting pods.
 */
export function gateAccess(
  name: string,
  labels: Readonly<Record<string, string>>,
  conditions: readonly GateCondition[],
  accounts: readonly WaitingAccount[],
): KubernetesObject[] {
  const common = (namespace: string) => ({ name, namespace, labels });
  const own = unique(accounts.filter((account) => account.name === name).map(namespaceOfAccount));
  const subjects = unique(accounts.map((account) => JSON.stringify(account))).map((text) => {
    const account = JSON.parse(text) as WaitingAccount;
    return { kind: 'ServiceAccount', name: account.name, namespace: account.namespace };
  });
  const read = unique(conditions.map(({ namespace }) => namespace));
  return [
    ...own.map((namespace) => ({
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: common(namespace),
      automountServiceAccountToken: false,
    })),
    ...read.flatMap((namespace) => [
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'Role',
        metadata: common(namespace),
        rules: rulesOf(conditions.filter((condition) => condition.namespace === namespace)),
      },
      {
        apiVersion: 'rbac.authorization.k8s.io/v1',
        kind: 'RoleBinding',
        metadata: common(namespace),
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
        subjects,
      },
    ]),
  ];
}

function rulesOf(conditions: readonly GateCondition[]): object[] {
  const all = conditions.flatMap(rulesFor);
  return unique(all.map(([group, resource]) => `${group}/${resource}`)).map((key) => {
    const [group, resource] = key.split('/');
    const verbs = all.filter((rule) => `${rule[0]}/${rule[1]}` === key).map(([, , verb]) => verb);
    return { apiGroups: [group], resources: [resource], verbs: unique(verbs) };
  });
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort();
}

function namespaceOfAccount({ namespace }: WaitingAccount): string {
  return namespace;
}

/** Whether an object is a policy of the pods of one of the instances for outgoing connections. */
export function isEgressOf(object: KubernetesObject, instances: ReadonlySet<string>): boolean {
  if (object.kind !== 'NetworkPolicy') return false;
  const { policyTypes, podSelector } = object['spec'] as {
    readonly policyTypes: readonly string[];
    readonly podSelector: { readonly matchLabels?: Readonly<Record<string, string>> };
  };
  const instance = podSelector.matchLabels?.['app.kubernetes.io/instance'];
  return policyTypes.includes('Egress') && instances.has(`${namespaceOf(object)}/${instance}`);
}
