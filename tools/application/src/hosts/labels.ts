import { CcpError } from '#core';
import type { Cluster } from '#ports';
import { FIELD_MANAGER } from '#site';
import type { ApplicationRecord } from '../record/record.ts';
import { splitLabel } from './check-roles.ts';
import { readHost, requireLocked, type Host } from './read-hosts.ts';

/**
 * Keys of labels that need a locked host: the eleven of StarlingX's system inventory, and the other
 * spelling of the control plane.
 */
const LOCKED_KEYS: readonly string[] = [
  'openstack-control-plane',
  'openstack-controller-node',
  'openstack-compute-node',
  'disable-nohz-full',
  'openvswitch',
  'remote-storage',
  'sriovdp',
  'sriovdp-isrdma',
  'sriovdp-vhostnet',
  'kube-topology-mgr-policy',
  'kube-cpu-mgr-policy',
  'kube-memory-mgr-policy',
];

const PART = '[A-Za-z0-9](?:[A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?';
const KEY = new RegExp(`^(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?/)?${PART}$`);
const VALUE = new RegExp(`^(?:${PART})?$`);
const TRIES = 5;

/** The labels of a host, and whether it is locked. */
export interface HostLabels {
  readonly host: string;
  readonly locked: boolean;
  readonly labels: Readonly<Record<string, string>>;
}

/** The labels of a host. Throws `host-missing`. */
export async function listLabels(cluster: Cluster, name: string): Promise<HostLabels> {
  return labelsOf(await readHost(cluster, name));
}

/**
 * Sets labels of a host, each `KEY=VALUE`. A label of a role needs a locked host, in any spelling.
 * Throws `usage`, `host-missing`, `host-unlocked`, and `label-exists` for another value without
 * `overwrite`.
 */
export async function assignLabels(
  cluster: Cluster,
  name: string,
  labels: readonly string[],
  { overwrite, records }: { readonly overwrite: boolean; readonly records: Records },
): Promise<HostLabels> {
  const wanted = new Map(labels.map(parseLabel));
  return await changeLabels(cluster, name, (host) => {
    const { labels: own = {} } = host.node.metadata;
    const changed = [...wanted].filter(([key, value]) => own[key] !== value);
    const keys = changed.map(([key]) => key);
    requireLockedFor(host, keys, records);
    const [taken] = changed.filter(([key]) => Object.hasOwn(own, key));
    if (taken !== undefined && !overwrite)
      throw new CcpError({
        code: 'label-exists',
        message: `${name} has the label ${taken[0]}=${own[taken[0]]}`,
        hint: 'replace it with --overwrite',
      });
    return { ...own, ...Object.fromEntries(changed) };
  });
}

/**
 * Removes labels of a host by key. Throws `host-missing`, `host-unlocked`, and `label-missing` for
 * a label that the host does not have.
 */
export async function removeLabels(
  cluster: Cluster,
  name: string,
  keys: readonly string[],
  records: Records,
): Promise<HostLabels> {
  return await changeLabels(cluster, name, (host) => {
    const { labels: own = {} } = host.node.metadata;
    const missing = keys.filter((key) => !Object.hasOwn(own, key));
    if (missing.length > 0)
      throw new CcpError({
        code: 'label-missing',
        message: `${name} has no label ${missing.join(', ')}`,
        hint: `list its labels: ccp host-label list ${name}`,
      });
    requireLockedFor(host, keys, records);
    return Object.fromEntries(Object.entries(own).filter(([key]) => !keys.includes(key)));
  });
}

/** Records of applications, whose sites may have labels of their own. */
type Records = readonly Pick<ApplicationRecord, 'roles'>[];

function requireLockedFor(host: Host, keys: readonly string[], records: Records): void {
  const roleKeys = records
    .flatMap(({ roles }) => Object.values(roles).flat())
    .map((label) => splitLabel(label)[0]);
  const locking = keys.filter((key) => LOCKED_KEYS.includes(key) || roleKeys.includes(key));
  if (locking.length > 0) requireLocked(host, `a change of the label ${locking.join(', ')}`);
}

/** Replaces the labels of a host; repeats if somebody else has changed it meanwhile. */
async function changeLabels(
  cluster: Cluster,
  name: string,
  next: (host: Host) => Readonly<Record<string, string>>,
): Promise<HostLabels> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const host = await readHost(cluster, name);
    const { node } = host;
    const changed = { ...node, metadata: { ...node.metadata, labels: next(host) } };
    const outcome = await cluster.update(changed, { fieldManager: FIELD_MANAGER });
    if (outcome.outcome === 'updated') return labelsOf({ ...host, node: outcome.object });
  }
  throw new CcpError({
    code: 'host-busy',
    message: `the labels of ${name} were changed by others ${TRIES} times`,
    hint: 'run the command again',
  });
}

function labelsOf({ node, unlocked }: Host): HostLabels {
  const { name: host, labels = {} } = node.metadata;
  return { host, locked: unlocked === undefined, labels };
}

function parseLabel(text: string): readonly [string, string] {
  const [key, value] = splitLabel(text);
  if (value !== undefined && KEY.test(key) && VALUE.test(value)) return [key, value];
  throw new CcpError({
    code: 'usage',
    message: `${JSON.stringify(text)} is not a label`,
    hint: 'write KEY=VALUE, like openstack-control-plane=enabled',
  });
}
