import type { Provision, Site } from '#definitions';
import { bindingFacts, secret, userName } from './binding-facts.ts';
import type { Fact, Scope } from './facts.ts';
import type { Instance } from '../model/instance.ts';
import { nodeNamespaceOf } from '../model/namespaces.ts';
import { accountName, databaseNames, podSeries, secretName } from '../model/names.ts';
import { operatorRecords } from '../model/operator-place.ts';
import { recordOf, endpointOrigin, provisionFacts, text, hostsOf } from './provision-facts.ts';
import { publicEndpoints } from '../model/public-endpoints.ts';

/** Returns all values that references of an instance may use. */
export function scopeOf(
  instance: Instance,
  instances: ReadonlyMap<string, Instance>,
  site: Site,
): Scope {
  const facts = new Map<string, Fact>([
    ['instance.name', text(instance.name)],
    ['site.name', text(site.name)],
    ['site.region', text(site.region)],
    ['site.namespace', text(site.namespace)],
    ['site.node-namespace', text(nodeNamespaceOf(site))],
    [
      'site.metrics',
      {
        list: [
          ...provisionsOf(instances, 'metrics').map(([other, provision]) =>
            recordOf(other, provision, site),
          ),
          ...operatorRecords(site),
        ],
      },
    ],
    [
      'site.endpoints',
      {
        list: provisionsOf(instances, 'endpoint').map(([other, provision]) =>
          endpointOrigin(other, provision, site),
        ),
      },
    ],
    ['site.https-hosts', { list: httpsHosts(instances, site) }],
    ['pod.name', [{ field: 'metadata.name' }]],
    ['pod.ip', [{ field: 'status.podIP' }]],
    ['node.name', [{ field: 'spec.nodeName' }]],
    ['node.ip', [{ field: 'status.hostIP' }]],
  ]);
  const put = (prefix: string, entries: Readonly<Record<string, Fact>>): void => {
    for (const [key, fact] of Object.entries(entries)) facts.set(`${prefix}.${key}`, fact);
  };
  for (const [name, setting] of Object.entries(instance.spec.settings ?? {})) {
    facts.set(`settings.${name}`, text(instance.settings.settings?.[name] ?? setting.default));
  }
  for (const [name, spec] of Object.entries(instance.spec.secrets ?? {})) {
    if (spec.generate === 'password')
      facts.set(`secrets.${name}.password`, secret(secretName(instance, name), 'password'));
    else facts.set(`secrets.${name}.name`, text(secretName(instance, name)));
  }
  for (const [name, workload] of Object.entries(instance.spec.workloads)) {
    const { service, peers, replicas, domain } = hostsOf(instance, name, site);
    const series = text(podSeries(instance, workload, site));
    put(`workloads.${name}`, {
      service: text(service),
      peers: { list: peers },
      replicas: text(replicas),
      domain: text(domain),
      series,
    });
  }
  for (const [name, provision] of Object.entries(instance.spec.provides ?? {})) {
    if (provision.kind === 'node-service') continue;
    put(`provides.${name}`, provisionFacts(instance, name, provision, site));
  }
  for (const [name, binding] of instance.bindings)
    put(`requires.${name}`, bindingFacts(instance, name, binding, instances, site));
  const absent = Object.keys(instance.spec.requires ?? {})
    .filter((name) => !instance.bindings.has(name))
    .map((name) => `requires.${name}`);
  return { facts, absent: new Set(absent) };
}

/**
 * Returns the scope of a setup job: the scope of the provider with `consumer.…` for one requirement
 * of a consumer. `consumer.endpoints` is a JSON list of the consumer's catalogue entries: type,
 * name, url, public-url.
 */
export function setupScope(
  provider: Scope,
  consumer: {
    readonly instance: Instance;
    readonly scope: Scope;
    readonly requirement: string;
    readonly provision: Provision;
  },
): Scope {
  const facts = new Map(provider.facts);
  const { instance, scope, requirement, provision } = consumer;
  const endpoints = Object.entries(instance.spec.provides ?? {})
    .filter(([, { kind, catalogue }]) => kind === 'endpoint' && catalogue !== false)
    .map(([name, { type }]) => ({
      type: type ?? name,
      name: instance.name,
      url: plain(scope, `provides.${name}.url`),
      'public-url': plain(scope, `provides.${name}.public-url`),
    }));
  facts.set('consumer.instance', text(instance.name));
  facts.set('consumer.name', text(accountName(instance, requirement)));
  facts.set('consumer.user', text(userName(instance, requirement, provision)));
  facts.set('consumer.databases', { list: databaseNames(instance, requirement) });
  facts.set('consumer.password', secret(secretName(instance, requirement), 'password'));
  facts.set('consumer.endpoints', text(JSON.stringify(endpoints)));
  return { facts, absent: provider.absent };
}

function plain(scope: Scope, reference: string): string {
  const fact = scope.facts.get(reference);
  return fact === undefined || 'list' in fact
    ? ''
    : fact.map((part) => ('text' in part ? part.text : '')).join('');
}

/** Provisions of one kind, with their instances. */
function provisionsOf(
  instances: ReadonlyMap<string, Instance>,
  kind: Provision['kind'],
): (readonly [Instance, Provision])[] {
  return [...instances.values()].flatMap((other) =>
    Object.values(other.spec.provides ?? {})
      .filter((provision) => provision.kind === kind)
      .map((provision) => [other, provision] as const),
  );
}

/** `HOST:PORT` of every https host of the site, without duplicates. */
function httpsHosts(instances: ReadonlyMap<string, Instance>, site: Site): string[] {
  const https = publicEndpoints(site, instances).filter(({ origin }) => origin.scheme === 'https');
  return [...new Set(https.map(({ origin: { host, port } }) => `${host}:${port}`))].sort();
}
