import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, KindRef, LiveObject } from '#ports';
import { runCommand } from '../run-command.ts';
import { POLICY_CHAIN, policyRules, type PolicyState } from './policy-rules.ts';

const TABLE = 'mangle';
/** Changes that come within this time are taken together. Milliseconds. */
const GATHER_MS = 100;
const KINDS: Readonly<Record<keyof PolicyState, KindRef>> = {
  policies: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
};

/** Makes the chain that policies' rules are kept in, ahead of all that kube-proxy accepts. */
export async function preparePolicies(): Promise<void> {
  await runCommand('iptables', ['-w', '-t', TABLE, '-N', POLICY_CHAIN]);
  await runCommand('iptables', ['-w', '-t', TABLE, '-A', 'FORWARD', '-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED', '-j', POLICY_CHAIN]);
}

/** Keeps the rules of this network namespace as the cluster's network policies want them, until `signal` aborts. */
export async function enforcePolicies(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const known = { policies: new Map<string, LiveObject>(), pods: new Map<string, LiveObject>(), namespaces: new Map<string, LiveObject>() };
  let changed = false;
  const follow = async (part: keyof PolicyState): Promise<void> => {
    for await (const event of cluster.watch(KINDS[part], { signal })) {
      if (event.type === 'listed') known[part] = new Map(event.items.map((object) => [object.metadata.uid, object]));
      else if (event.type === 'changed') known[part].set(event.object.metadata.uid, event.object);
      else if (event.type === 'deleted') known[part].delete(event.object.metadata.uid);
      changed = true;
    }
  };
  const keepWriting = async (): Promise<void> => {
    for (let before = ''; !signal.aborted; await delay(GATHER_MS)) {
      if (!changed) continue;
      changed = false;
      const rules = policyRules({ policies: [...known.policies.values()], pods: [...known.pods.values()], namespaces: [...known.namespaces.values()] });
      const input = [`*${TABLE}`, `:${POLICY_CHAIN} - [0:0]`, ...rules, 'COMMIT', ''].join('\n');
      if (input !== before) await runCommand('iptables-restore', ['-w', '--noflush'], { input });
      before = input;
    }
  };
  await Promise.all([follow('policies'), follow('pods'), follow('namespaces'), keepWriting()]);
}
