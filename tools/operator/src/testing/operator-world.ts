import { sha256 } from '#core';
import type { Cluster, LiveObject, ObjectRef } from '#ports';
import { tinyWorld, type TinyWorld } from '#rollout/testing';
import { TINY, tinySite, type TinySite } from '#site/testing';
import type { OperatorContext, SiteSource } from '../reconcile/context.ts';
import type { OperatorEvent } from '../reconcile/events.ts';
import { reconcileRelease, type Reconciled } from '../reconcile/reconcile-release.ts';
import { RELEASE } from '../resources/kinds.ts';
import type { ManagedResource, ReleaseSpec } from '../resources/types.ts';

/** The resource of the tiny site. */
export const RESOURCE: ObjectRef = { ...RELEASE, ...TINY };

/** An in-memory cluster with the resource of a tiny site, and passes over it. */
export interface OperatorWorld extends TinyWorld {
  readonly reports: OperatorEvent[];
  /** Creates the resource or changes its spec; `site` is that of `tinySite`. */
  put(site: TinySite, spec?: Partial<ReleaseSpec>): void;
  annotate(annotations: Readonly<Record<string, string>>): void;
  resource(): ManagedResource;
  context(cluster?: Cluster): OperatorContext;
  /** One pass. Throws as `reconcileRelease`. */
  pass(cluster?: Cluster): Promise<Reconciled>;
  /** Passes until one asks for no immediate other one; resolves with the outcomes. */
  settle(cluster?: Cluster): Promise<readonly string[]>;
}

/** The set is the digest of the site's release; the site is the JSON of `TinySite`. */
const tinySource: SiteSource = async ({ name, namespace, site }) => ({
  name,
  namespace,
  rendered: tinySite(JSON.parse('text' in site ? site.text : '{}') as TinySite),
  rules: [],
});

/** Passes after which a site that does not settle is an error. */
const MOST_PASSES = 20;

export function operatorWorld(like?: OperatorWorld): OperatorWorld {
  const world = tinyWorld(like === undefined ? {} : { like });
  const { cluster, clock } = world;
  const reports: OperatorEvent[] = [];
  let runs = 0;
  const context = (through: Cluster = cluster): OperatorContext => ({
    cluster: through,
    clock,
    source: tinySource,
    by: 'ccp-operator',
    run: `pass ${++runs}`,
    report: (event) => void reports.push(event),
  });
  const resource = (): ManagedResource => cluster.store.get(RESOURCE) as ManagedResource;
  if (like === undefined)
    cluster.store.put(
      { apiVersion: 'v1', kind: 'Namespace', name: TINY.namespace },
      { object: { status: { phase: 'Active' } }, owners: [] },
    );
  const pass = (through?: Cluster): Promise<Reconciled> =>
    reconcileRelease(context(through), resource(), new AbortController().signal);
  return {
    ...world,
    reports,
    resource,
    context,
    pass,
    put: (site, spec = {}) => {
      const wanted = {
        set: { registry: 'registry.test', digest: `sha256:${sha256(site.release ?? 'one')}` },
        site: { inline: JSON.stringify(site) },
        ...spec,
      };
      if (cluster.store.get(RESOURCE) === undefined)
        cluster.store.put(RESOURCE, { object: { spec: wanted }, owners: [] });
      else cluster.edit(RESOURCE, (object) => void (object['spec'] = wanted));
    },
    annotate: (annotations) =>
      void cluster.edit(RESOURCE, (object) => {
        Object.assign(object['metadata'] as object, { annotations });
      }),
    settle: async (through) => {
      const outcomes: string[] = [];
      for (let passes = 0; passes < MOST_PASSES; passes++) {
        const { again, outcome } = await pass(through);
        outcomes.push(outcome);
        if (again > 0) return outcomes;
      }
      throw new Error(`does not settle: ${outcomes.join(', ')}`);
    },
  };
}

/** The status of a condition with its reason: `True Healthy`. */
export function condition(resource: LiveObject, type: string): string | undefined {
  const found = (resource as ManagedResource).status?.conditions?.find(
    (each) => each.type === type,
  );
  return found && `${found.status} ${found.reason}`;
}
