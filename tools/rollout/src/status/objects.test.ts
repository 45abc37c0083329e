import { describe, expect, it } from 'vitest';
import { CcpError } from '#core';
import type { Cluster, KindRef } from '#ports';
import { TINY, tinySite } from '#site/testing';
import { waitSite } from '../apply/wait-site.ts';
import { installed, plain } from '../testing/tiny-looks.ts';
import type { TinyWorld } from '../testing/tiny-world.ts';
import { openStatus, statusNow } from './open-status.ts';
import { statusLines } from './status-text.ts';

/** The lines of a status about objects and its last line; the same by one look and by a watch. */
async function objectLines(
  world: TinyWorld,
  cluster: Cluster = world.cluster,
  site = tinySite(),
): Promise<string[]> {
  const status = await statusNow(cluster, TINY);
  const open = await openStatus(cluster, TINY, world.clock);
  expect(statusLines(await open.now()), 'by a watch').toEqual(statusLines(status));
  await open.close();
  const steps = site.steps.length + site.actions.filter(({ kind }) => kind === 'check').length;
  return plain(statusLines(status).slice(1 + steps)).map((line) =>
    line.replaceAll(/\d{4}-\S+Z/g, 'TIME'),
  );
}

const refOf = (kind: string, name: string) => ({
  ...tinySite().foundation.find((object) => object.kind === kind)!,
  kind,
  name,
  namespace: TINY.namespace,
});

/** A cluster that refuses some requests for missing permissions. */
function denying(
  cluster: Cluster,
  isDenied: (verb: 'list' | 'apply', kind: string) => boolean,
  code: 'cluster-denied' | 'cluster-unreachable' | 'cancelled' = 'cluster-denied',
): Cluster {
  const check = (verb: 'list' | 'apply', { kind }: KindRef): void => {
    if (isDenied(verb, kind)) throw new CcpError({ code, message: `you may not ${verb} ${kind}` });
  };
  return {
    ...cluster,
    list: async (kind, selection) => (check('list', kind), await cluster.list(kind, selection)),
    apply: async (object, options) => (
      check('apply', object),
      await cluster.apply(object, options)
    ),
  };
}

describe('status of objects that are missing', () => {
  const { foundation } = tinySite();
  const first = [...new Map(foundation.map((object) => [object.kind, object])).values()].filter(
    ({ kind }) => kind !== 'Namespace',
  );

  it.each(first.map((object) => [object.kind, object] as const))(
    'names a deleted %s, and ends with an error',
    async (kind, { apiVersion, metadata: { name, labels } }) => {
      const world = await installed();
      const { namespace } = TINY;
      world.cluster.store.remove({ apiVersion, kind, name, namespace });
      const app = labels?.['app.kubernetes.io/instance'];
      const [object] = plain([name]);
      expect(await objectLines(world)).toEqual([
        `  ? ${kind} cloud/${object}${app === undefined ? '' : ` of app ${app}`} does not exist; it existed at TIME`,
        '1 object is missing',
      ]);
    },
  );

  it('names a deleted Secret by the app that needs it', async () => {
    const world = await installed();
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Secret',
      name: 'web-database',
      namespace: TINY.namespace,
    });
    expect(await objectLines(world)).toEqual([
      '  ? Secret cloud/web-database of app web does not exist; it existed at TIME',
      '1 object is missing',
    ]);
  });

  it('reports an object that waits for its finalizers as being deleted', async () => {
    const world = await installed();
    const service = refOf('Service', 'web');
    world.cluster.edit(
      service,
      (object) => void ((object['metadata'] as { finalizers?: string[] }).finalizers = ['a/b']),
      'other',
    );
    await world.cluster.delete(service);
    expect((await objectLines(world))[0]).toBe(
      '  ? Service cloud/web of app web has been terminating since TIME',
    );
  });

  it('is part of the result of a wait', async () => {
    const world = await installed();
    world.cluster.store.remove(refOf('NetworkPolicy', 'web'));
    const open = await openStatus(world.cluster, TINY, world.clock);
    const outcomes = await waitSite(world.cluster, TINY, open, {
      clock: world.clock,
      emit: () => undefined,
      signal: new AbortController().signal,
    });
    const { well, missing } = await open.now();
    await open.close();
    expect([...outcomes.values()].every(({ state }) => state === 'done')).toBe(true);
    expect(well).toBe(false);
    expect(missing).toEqual([
      {
        kind: 'NetworkPolicy',
        name: 'web',
        namespace: 'cloud',
        app: 'web',
        existedAt: expect.stringMatching(/Z$/) as string,
      },
    ]);
  });

  it('reports only that this account may not list some kinds', async () => {
    const world = await installed();
    world.cluster.store.remove(refOf('ServiceAccount', 'web'));
    const limited = denying(
      world.cluster,
      (verb, kind) => verb === 'list' && (kind === 'ServiceAccount' || kind === 'Secret'),
    );
    expect(await objectLines(world, limited)).toEqual([
      '  · not checked, because this account may not list them: Secret, ServiceAccount',
      'the site is healthy',
    ]);
  });

  it('is shown without CronJobs if this account may not list them', async () => {
    const world = await installed({ nightly: true });
    const { cluster } = world;
    const denied = denying(cluster, (verb, kind) => verb === 'list' && kind === 'CronJob');
    const limited: Cluster = {
      ...denied,
      watch: async function* (kind, options) {
        if (kind.kind === 'CronJob') await denied.list(kind);
        yield* cluster.watch(kind, options);
      },
    };
    expect(await objectLines(world, limited, tinySite({ nightly: true }))).toEqual([
      '  · not checked, because this account may not list them: CronJob',
      'the site is healthy',
    ]);
  });
});

describe('status of objects that differ', () => {
  const edit = (world: TinyWorld, kind: string, change: (object: never) => void): void =>
    void world.cluster.edit(refOf(kind, 'web'), change as (object: object) => void, 'kubectl');

  const retarget = (world: TinyWorld): void =>
    edit(world, 'Service', ({ spec }: { spec: { ports: { targetPort: string }[] } }) => {
      spec.ports[0]!.targetPort = 'other';
    });

  it('counts the fields', async () => {
    const world = await installed();
    retarget(world);
    edit(world, 'PodDisruptionBudget', ({ spec }: { spec: { maxUnavailable: number } }) => {
      spec.maxUnavailable = 5;
    });
    expect(await objectLines(world)).toEqual([
      '  ~ 2 fields of Service/web, PodDisruptionBudget/web differ from revision 1: ccp deploy diff tiny',
      '2 fields differ',
    ]);
  });

  it('counts a removed field with the value false', async () => {
    const world = await installed();
    const site = tinySite({ release: 'two' });
    const foundation = site.foundation.map((object) =>
      object.kind === 'ServiceAccount'
        ? { ...object, automountServiceAccountToken: false }
        : object,
    );
    await world.apply({ ...site, foundation });
    expect((await statusNow(world.cluster, TINY)).drift).toEqual([]);
    edit(world, 'ServiceAccount', (object: { automountServiceAccountToken?: boolean }) => {
      delete object.automountServiceAccountToken;
    });
    expect(await objectLines(world)).toEqual([
      '  ~ 1 field of ServiceAccount/web differs from revision 2: ccp deploy diff tiny',
      '1 field differs',
    ]);
  });

  it('counts fields that other managers have added, as a diff does', async () => {
    const world = await installed();
    edit(world, 'Service', (object: { metadata: { annotations?: object } }) => {
      object.metadata.annotations = { 'example.org/team': 'blue' };
    });
    expect(await objectLines(world)).toEqual([
      '  ~ 1 field of Service/web differs from revision 1: ccp deploy diff tiny',
      '1 field differs',
    ]);
    const left = await statusNow(world.cluster, TINY, {
      rules: [{ field: 'metadata.annotations', policy: 'leave' }],
    });
    expect(left.well).toBe(true);
  });

  it('finds an object that has lost its labels, which is not missing', async () => {
    const world = await installed();
    edit(world, 'Service', (object: { metadata: { labels?: object } }) => {
      object.metadata.labels = {};
    });
    const [line, last] = await objectLines(world);
    expect(line).toMatch(
      /^ {2}~ \d+ fields of Service\/web differ from revision 1: ccp deploy diff tiny$/,
    );
    expect(last).toMatch(/^\d+ fields differ$/);
  });

  it.each(['cluster-denied', 'cluster-unreachable'] as const)(
    'finds it if dry runs fail with %s',
    async (code) => {
      const world = await installed();
      retarget(world);
      const limited = denying(world.cluster, (verb) => verb === 'apply', code);
      expect(await objectLines(world, limited)).toEqual([
        '  ~ 1 field of Service/web differs from revision 1: ccp deploy diff tiny',
        '1 field differs',
      ]);
    },
  );

  it('throws if a dry run is cancelled', async () => {
    const world = await installed();
    retarget(world);
    const stopped = denying(world.cluster, (verb) => verb === 'apply', 'cancelled');
    await expect(statusNow(stopped, TINY)).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('compares nothing while a revision is not good', async () => {
    const world = await installed();
    world.behave({ web: 'no-image' });
    await world.apply(tinySite({ release: 'two' }));
    retarget(world);
    expect((await statusNow(world.cluster, TINY)).drift).toEqual([]);
  });
});

it('lists each kind once and reads no single object if nothing is missing', async () => {
  const world = await installed();
  const asked: string[] = [];
  const { cluster } = world;
  const looking: Cluster = {
    ...cluster,
    get: async (ref) => (asked.push(`get ${ref.kind}`), await cluster.get(ref)),
    apply: async (object, options) => (
      asked.push(`apply ${object.kind}`),
      await cluster.apply(object, options)
    ),
    list: async (kind, selection) => {
      if (kind.kind !== 'ConfigMap' || selection?.labelSelector?.startsWith('applyset') === true)
        asked.push(`list ${kind.kind}`);
      return await cluster.list(kind, selection);
    },
  };
  expect((await statusNow(looking, TINY)).well).toBe(true);
  const ofObjects = asked.filter(
    (request) => !/Lease|ConfigMap$/.test(request) || request.startsWith('list'),
  );
  expect(ofObjects.filter((request) => request.startsWith('list'))).toEqual([
    ...new Set(ofObjects.filter((request) => request.startsWith('list'))),
  ]);
  expect(ofObjects.filter((request) => !request.startsWith('list'))).toEqual(['get Namespace']);
});

it('lists data that members have set aside, without a fault', async () => {
  const site = { bases: 2, spread: 'required' } as const;
  const world = await installed(site);
  const name = 'aside-yesterday-90';
  world.cluster.edit(
    { apiVersion: 'v1', kind: 'Pod', name: 'base-1', namespace: TINY.namespace },
    (object) =>
      void ((object['metadata'] as { annotations?: object }).annotations = {
        'ccp.openstack.org/set-aside': name,
      }),
  );
  expect(await objectLines(world, world.cluster, tinySite(site))).toEqual([
    `  = base-1 has set data aside: ${name}; remove it with ccp deploy action run tiny base remove-aside --param member=base-1 --param name=${name}`,
    'the site is healthy',
  ]);
  const { setAside } = await statusNow(world.cluster, TINY);
  expect(setAside).toEqual([{ instance: 'base', pod: 'base-1', name }]);
});
