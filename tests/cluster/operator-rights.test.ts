import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { connectCluster } from '#engines';
import { operatorObjects, runOperator } from '#operator';
import { objectsOf, refOf } from '#site';
import { startFakeApiServer, type ApiAccess } from '#ports/testing';
import {
  condition,
  operatorWorld,
  RESOURCE,
  type OperatorWorld,
} from '../../tools/operator/src/testing/operator-world.ts';
import { refTo } from '../../tools/rollout/src/testing/tiny-looks.ts';
import { TINY, tinySite, type TinySite } from '../../tools/site/src/testing/tiny-site.ts';
import { accessLine, grants, grantsOf } from '../helpers/cluster/granted-access.ts';
import { quickClock } from '../helpers/quick-clock.ts';

const PACE = 40;
const NAMESPACE = 'ccp-operator';
/** A site with each kind of object. */
const RICH: TinySite = {
  expose: { gateway: { class: 'shiny' } },
  tls: { secret: 'certificate' },
  agent: 'one',
  onNode: true,
  nodeNamespace: 'cloud-nodes',
  nightly: true,
  leave: true,
  cookie: 1,
};

const objects = operatorObjects({
  namespace: NAMESPACE,
  image: 'registry.test/entrypoint@sha256:0',
  sites: [{ ...TINY, rendered: tinySite(RICH) }],
});
const granted = grantsOf(objects);

const ALIKE = 'drift is repaired by one function for every kind';
const OF_SITE =
  'a Role of the site grants it, and the API server lets nobody grant more than they have';
const SERVICE = 'both kinds of resources are reconciled by the same functions';
const CLAIM = 'only a claim that waits for a missing storage class is created again, with its pod';
/** Rights that these runs do not use, and why the operator has them. */
const UNUSED: Readonly<Record<string, string>> = {
  'create secrets': OF_SITE,
  'get secrets': OF_SITE,
  'update secrets': OF_SITE,
  'delete persistentvolumeclaims': CLAIM,
  'get pods': CLAIM,
  'bind rbac.authorization.k8s.io/roles': 'a real API server asks for it at a RoleBinding',
  'get ccp.openstack.org/openstackservices': SERVICE,
  'update ccp.openstack.org/openstackservices': SERVICE,
  'update ccp.openstack.org/openstackservices/status': SERVICE,
  ...Object.fromEntries(
    [
      'apps/daemonsets',
      'apps/statefulsets',
      'batch/cronjobs',
      'batch/jobs',
      'gateway.networking.k8s.io/gateways',
      'gateway.networking.k8s.io/httproutes',
      'networking.k8s.io/networkpolicies',
      'policy/poddisruptionbudgets',
      'rbac.authorization.k8s.io/rolebindings',
      'rbac.authorization.k8s.io/roles',
      'serviceaccounts',
      'services',
    ].map((resource) => [`update ${resource}`, ALIKE]),
  ),
};
const accesses: ApiAccess[] = [];
const denied = new Set<string>();
const outcomes: string[] = [];

interface Spec {
  replicas: number;
  readonly template: {
    readonly spec: { readonly containers: readonly { readonly env: object[] }[] };
  };
}

const secrets = async ({ cluster }: OperatorWorld) =>
  (
    await cluster.list({ apiVersion: 'v1', kind: 'Secret' }, { namespace: TINY.namespace })
  ).items.map(refOf);

async function until(is: () => boolean): Promise<void> {
  const end = Date.now() + 20_000;
  while (!is()) {
    if (Date.now() > end) throw new Error(`it does not become true: ${outcomes.join(', ')}`);
    await setTimeout(20);
  }
}
const isAt = (world: OperatorWorld, type: string, is: string): boolean =>
  condition(world.resource(), type) === is &&
  world.resource().status?.observedGeneration === world.resource().metadata.generation;

/** Install, upgrades, repair, rollback and deletion by an operator with its installed rights. */
async function runAll(world: OperatorWorld): Promise<void> {
  const ready = async (): Promise<void> =>
    await until(
      () => isAt(world, 'Ready', 'True Healthy') && isAt(world, 'Stalled', 'False UpToDate'),
    );
  world.put(RICH);
  await ready();
  const two = { ...RICH, release: 'two', colour: 'blue', cookie: 2, size: '2Gi' };
  world.put(two);
  await ready();
  world.put({ ...two, bases: 1 });
  await ready();
  const web = refTo('Deployment', 'web');
  await world.cluster.delete(web);
  await until(() => world.cluster.store.get(web) !== undefined);
  await ready();
  const spec = (): Spec => world.cluster.store.get(web)!['spec'] as unknown as Spec;
  world.cluster.edit(web, (object) => {
    const edited = object['spec'] as unknown as Spec;
    edited.replicas = 7;
    edited.template.spec.containers[0]!.env.push({ name: 'FOO', value: 'bar' });
  });
  await until(() => spec().replicas === 2 && !JSON.stringify(spec()).includes('FOO'));
  await ready();
  for (const secret of await secrets(world)) await world.cluster.delete(secret);
  world.put({ ...two, bases: 1, colour: 'green' });
  await ready();
  expect(await secrets(world)).toHaveLength(3);
  world.behave({ web: 'crashes' });
  world.put({ ...two, bases: 1, release: 'three' }, { rollback: 'onFailure' });
  await until(() =>
    world.reports.some((each) => each.type === 'note' && each.reason === 'RollingBack'),
  );
  world.behave({});
  await until(() => isAt(world, 'Stalled', 'True RolledBack'));
  await world.cluster.delete(RESOURCE);
  world.annotate({ 'ccp.openstack.org/confirm-deletion': TINY.name });
  await until(() => world.cluster.store.get(RESOURCE) === undefined);
}

beforeAll(async () => {
  const world = operatorWorld();
  for (const object of objects) await world.cluster.apply(object, { fieldManager: 'admin' });
  const server = await startFakeApiServer(world.cluster, {
    bookmarkMs: 20,
    allows: (access) => {
      const allowed = granted.some((grant) => grants(grant, access));
      (allowed ? accesses : []).push(access);
      if (!allowed) denied.add(accessLine(access));
      return allowed;
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'ccp-rights-'));
  writeFileSync(join(folder, 'config'), server.kubeconfig);
  const { cluster, close } = await connectCluster({ kubeconfig: join(folder, 'config') });
  const stop = new AbortController();
  const over = runOperator({
    ...world.context(cluster),
    clock: quickClock(PACE),
    namespace: NAMESPACE,
    signal: stop.signal,
    report: (event) => {
      world.reports.push(event);
      if (event.type === 'reconciled') outcomes.push(event.outcome);
    },
  });
  try {
    await runAll(world);
  } finally {
    stop.abort();
    await over;
    close();
    await server.close();
    rmSync(folder, { recursive: true });
  }
}, 90_000);

describe('the rights of the operator', () => {
  it('suffice for an install, upgrades, repairs, a rollback and a deletion', () => {
    expect([...denied].sort()).toEqual([]);
  });

  it('are all used, but for those with a reason', () => {
    const unused = granted
      .filter(({ namespace: _, ...grant }) => !accesses.some((access) => grants(grant, access)))
      .map(({ namespace: _, ...grant }) => accessLine(grant));
    expect([...new Set(unused)].sort()).toEqual(Object.keys(UNUSED).sort());
  });

  it('include no program in a pod, no value of a Secret but for Roles of the site, and no wildcard', () => {
    const all = granted.map((grant) => accessLine(grant));
    expect(
      all.filter((line) => /exec|attach|portforward|impersonate|escalate|\*/.test(line)),
    ).toEqual([]);
    const ofSite = grantsOf(objectsOf(tinySite(RICH))).map((grant) => accessLine(grant));
    expect(
      all.filter((line) => /^(get|watch) secrets/.test(line) && !ofSite.includes(line)),
    ).toEqual([]);
  });

  it('are on Leases only in the namespaces of the operator and of the site', () => {
    const places = granted.filter(({ resource }) => resource === 'leases');
    expect([...new Set(places.map(({ namespace }) => namespace))].sort()).toEqual(
      [NAMESPACE, TINY.namespace].sort(),
    );
  });
});
