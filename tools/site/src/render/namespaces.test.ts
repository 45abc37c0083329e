import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readAppSpecs, readSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { objectsOf, podsOf, render, bind, boundOrThrow, type RenderedPod } from '../index.ts';
import { expectGolden, yamlOf } from '../testing/golden.ts';
import { testImageSet } from '../testing/site-input.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const appSpecs = readAppSpecs(ROOT);
const cloud = readSite(ROOT, 'cloud');
const HOME = 'openstack';
const NODE = 'openstack-node';

/** The site "cloud" with all node agents, on Open vSwitch or on OVN. */
const rendered = (network: 'ovs' | 'ovn') => {
  const site = {
    ...cloud,
    apps: {
      ...cloud.apps,
      libvirt: {},
      openvswitch: {},
      ...(network === 'ovn' ? { ovn: {}, neutron: {} } : {}),
    },
  };
  const imageSet = testImageSet(['openstack-base', ...appSpecs.keys()]);
  return render(boundOrThrow(bind({ site, appSpecs, imageSet })));
};

/** The parts of a policy that these tests judge. */
interface Policy {
  readonly metadata: KubernetesObject['metadata'];
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly ('Ingress' | 'Egress')[];
    readonly ingress?: readonly { readonly from?: readonly Peer[]; readonly ports?: Ports }[];
    readonly egress?: readonly { readonly to?: readonly Peer[]; readonly ports?: Ports }[];
  };
}
type Labels = Readonly<Record<string, string>>;
interface Selector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: string[] }[];
}
interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: object;
}
type Ports = readonly { readonly port: number | string }[];
interface Place {
  readonly namespace: string;
  readonly labels: Labels;
}

const selects = ({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Labels): boolean =>
  Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
  matchExpressions.every(({ key, values }) => values.includes(labels[key] ?? ''));

const isPeer = (peer: Peer, { namespace, labels }: Place, home: string): boolean =>
  peer.ipBlock === undefined &&
  (peer.namespaceSelector === undefined
    ? namespace === home
    : selects(peer.namespaceSelector, { 'kubernetes.io/metadata.name': namespace })) &&
  (peer.podSelector === undefined || selects(peer.podSelector, labels));

/** Whether policies allow a connection between pods. */
function allows(
  policies: readonly Policy[],
  { from, to, port }: { readonly from: Place; readonly to: Place; readonly port: [string, number] },
): boolean {
  const of = (place: Place, type: 'Ingress' | 'Egress'): readonly Policy[] =>
    policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === place.namespace &&
        spec.policyTypes.includes(type) &&
        selects(spec.podSelector, place.labels),
    );
  const isPort = (ports: Ports | undefined): boolean =>
    ports === undefined || ports.some((each) => port.includes(each.port));
  const [out, into] = [of(from, 'Egress'), of(to, 'Ingress')];
  return (
    (out.length === 0 ||
      out.some(({ spec }) =>
        spec.egress!.some(
          (rule) =>
            isPort(rule.ports) &&
            (rule.to?.some((peer) => isPeer(peer, to, from.namespace)) ?? true),
        ),
      )) &&
    (into.length === 0 ||
      into.some(({ spec }) =>
        (spec.ingress ?? []).some(
          (rule) =>
            isPort(rule.ports) &&
            (rule.from?.some((peer) => isPeer(peer, from, to.namespace)) ?? true),
        ),
      ))
  );
}

const placeOf = ({ object }: RenderedPod): Place => ({
  namespace: object.metadata.namespace!,
  labels: (object['spec'] as { template: { metadata: { labels: Labels } } }).template.metadata
    .labels,
});

describe.each(['ovs', 'ovn'] as const)('a cloud with agents of nodes (%s)', (network) => {
  const site = rendered(network);
  const objects = objectsOf(site);
  const pods = podsOf([...objects, ...site.actions.map(({ job }) => job)]);
  const names = (kind: string, namespace: string): string[] =>
    objects
      .filter((object) => object.kind === kind && object.metadata.namespace === namespace)
      .map(({ metadata }) => metadata.name);

  it('renders the golden objects of its second namespace', () => {
    const inside = objects.filter(
      ({ kind, metadata }) =>
        metadata.namespace === NODE || (kind === 'Namespace' && metadata.name === NODE),
    );
    const whole = inside.filter(({ kind }) => !['ConfigMap', 'DaemonSet'].includes(kind));
    const others = inside
      .filter((object) => !whole.includes(object))
      .map(({ kind, metadata }) => `# ${kind} ${metadata.name.replace(/-[0-9a-f]{10}$/, '-#')}\n`);
    expectGolden(`node-namespace-${network}.yaml`, `${others.join('')}${yamlOf(whole)}`);
  });

  it('enforces the standard "restricted" on its control plane', () => {
    const levels = objects
      .filter(({ kind }) => kind === 'Namespace')
      .map(({ metadata }) => [
        metadata.name,
        metadata.labels?.['pod-security.kubernetes.io/enforce'],
      ]);
    expect(levels).toEqual([
      [HOME, 'restricted'],
      [NODE, 'privileged'],
    ]);
  });

  it('has everything that a pod refers to in its namespace, and nothing else in that of agents', () => {
    const secrets = (namespace: string): string[] =>
      site.secrets.flatMap(({ name, copies = [] }) =>
        namespace === HOME || copies.includes(namespace) ? [name] : [],
      );
    const used = {
      ConfigMap: new Set<string>(),
      Secret: new Set<string>(),
      Account: new Set<string>(),
    };
    for (const { object, pod } of pods) {
      const { namespace = '' } = object.metadata;
      const note = (kind: keyof typeof used, name: string, known: readonly string[]): void => {
        expect(known, `${object.metadata.name} in ${namespace}`).toContain(name);
        if (namespace === NODE) used[kind].add(name);
      };
      note('Account', pod.serviceAccountName, names('ServiceAccount', namespace));
      for (const { configMap, secret } of pod.volumes) {
        if (configMap !== undefined)
          note('ConfigMap', configMap.name, names('ConfigMap', namespace));
        if (secret !== undefined) note('Secret', secret.secretName, secrets(namespace));
      }
      for (const { env } of pod.containers)
        for (const variable of env)
          if ('valueFrom' in variable && 'secretKeyRef' in variable.valueFrom)
            note('Secret', variable.valueFrom.secretKeyRef.name, secrets(namespace));
    }
    expect([...used.ConfigMap].sort()).toEqual(names('ConfigMap', NODE).sort());
    expect([...used.Account].sort()).toEqual(names('ServiceAccount', NODE).sort());
    expect([...used.Secret].sort()).toEqual(secrets(NODE).sort());
  });

  it('names only Services that exist, by full names', () => {
    const text = JSON.stringify([objects, site.actions]);
    const found = new Set(
      [...text.matchAll(/(?<![\w-])([a-z0-9-]+)\.(openstack[a-z-]*)\.svc\.cluster\.local/g)].map(
        ([, name, namespace]) => `${namespace}/${name}`,
      ),
    );
    const known = new Set(
      objects
        .filter(({ kind }) => kind === 'Service')
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    );
    expect(found.size).toBeGreaterThan(10);
    expect([...found].filter((name) => !known.has(name))).toEqual([]);
    expect(text).not.toMatch(/cluster\.local\.?[a-z]*\.svc/);
  });

  it('lets pods without the network of their node connect across namespaces, and no others', () => {
    const policies = objects.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as Policy[];
    const place = (name: string): Place =>
      placeOf(pods.find(({ object }) => object.metadata.name === name)!);
    const logs = { to: place('victoria-logs'), port: ['http', 9428] as [string, number] };
    expect(allows(policies, { from: place('otel-collector'), ...logs })).toBe(true);
    expect(allows(policies, { from: place('keystone-api'), ...logs })).toBe(false);
    expect(
      allows(policies, {
        from: { ...place('otel-collector'), namespace: 'elsewhere' },
        ...logs,
      }),
    ).toBe(false);
    const metrics = { to: place('otel-collector'), port: ['metrics', 8888] as [string, number] };
    expect(allows(policies, { from: place('victoria-metrics'), ...metrics })).toBe(true);
    expect(allows(policies, { from: place('keystone-api'), ...metrics })).toBe(false);
    if (network === 'ovs') return;
    const southbound = {
      to: place('ovn-southbound'),
      port: ['clients', 6642] as [string, number],
    };
    expect(allows(policies, { from: place('ovn-controller'), ...southbound })).toBe(true);
    expect(allows(policies, { from: place('otel-collector'), ...southbound })).toBe(false);
  });
});
