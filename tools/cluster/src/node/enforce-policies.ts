import { setTimeout as delay } from 'node:timers/promises';
import type { Cluster, KindRef, LiveObject } from '#ports';
import { runProgram } from '../run-program.ts';
import { POLICY_CHAINS, policyRules, type PolicyState } from './policy-rules.ts';

const TABLE = 'mangle';
/** Changes within this time are applied together. Milliseconds. */
const GATHER_MS = 100;
const KINDS: Readonly<Record<keyof PolicyState, KindRef>> = {
  policies: { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy' },
  pods: { apiVersion: 'v1', kind: 'Pod' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
};

/** Creates the chains for policy rules, which are checked before kube-proxy's ACCEPT rules. */
export async function preparePolicies(): Promise<void> {
  const opening = ['-m', 'conntrack', '!', '--ctstate', 'RELATED,ESTABLISHED'];
  const iptables = (...words: readonly string[]): Promise<unknown> =>
    runProgram('iptables', ['-w', '-t', TABLE, ...words]);
  for (const chain of Object.values(POLICY_CHAINS)) {
    await iptables('-N', chain);
    await iptables('-A', 'FORWARD', ...opening, '-j', chain);
  }
}

/**
 * Updates the rules of this network namespace for the cluster's network policies until `signal`
 * aborts.
 */
export async function enforcePolicies(cluster: Cluster, signal: AbortSignal): Promise<void> {
  const known = {
    policies: new Map<string, LiveObject>(),
    pods: new Map<string, LiveObject>(),
    namespaces: new Map<string, LiveObject>(),
  };
  let changed = false;
  const follow = async (part: keyof PolicyState): Promise<void> => {
    for await (const event of cluster.watch(KINDS[part], { signal })) {
      if (event.type === 'listed')
        known[part] = new Map(event.items.map((object) => [object.metadata.uid, object]));
      else if (event.type === 'changed') known[part].set(event.object.metadata.uid, event.object);
      else if (event.type === 'deleted') known[part].delete(event.object.metadata.uid);
      changed = true;
    }
  };
  const keepWriting = async (): Promise<void> => {
    for (let before = ''; !signal.aborted; await delay(GATHER_MS)) {
      if (!changed) continue;
      changed = false;
      const rules = policyRules({
        policies: [...known.policies.values()],
        pods: [...known.pods.values()],
        namespaces: [...known.namespaces.values()],
      });
      const chains = Object.values(POLICY_CHAINS).map((chain) => `:${chain} - [0:0]`);
      const input = [`*${TABLE}`, ...chains, ...rules, 'COMMIT', ''].join('\n');
      if (input !== before) await runProgram('iptables-restore', ['-w', '--noflush'], { input });
      before = input;
    }
  };
  await Promise.all([follow('policies'), follow('pods'), follow('namespaces'), keepWriting()]);
}
