import { describe, expect, it } from 'vitest';
import { objectsOf } from '#site';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { findRollback } from '../record/rollback.ts';
import { openStatus, statusNow } from '../status/open-status.ts';
import { supportFiles } from '../status/support-files.ts';
import { installed, plain, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { deleteSite } from './delete-site.ts';

const NODE = 'cloud-node';
const ENFORCE = 'pod-security.kubernetes.io/enforce';
const AGENT = { agent: 'one', onNode: true } as const;
const TOGETHER = { ...AGENT, nodeNamespace: TINY.namespace } as const;

/** `KIND/NAME` of the objects in a namespace. */
const inside = (world: TinyWorld, namespace: string, kinds: readonly string[] = []): string[] =>
  world.cluster.store
    .all()
    .filter((object) => object.metadata.namespace === namespace)
    .filter(({ kind }) => kinds.length === 0 || kinds.includes(kind))
    .map(({ kind, metadata }) => `${kind}/${metadata.name}`)
    .sort();

const level = (world: TinyWorld, name: string): string | undefined =>
  world.cluster.store.get({ apiVersion: 'v1', kind: 'Namespace', name })?.metadata.labels?.[
    ENFORCE
  ];

const isWell = async (world: TinyWorld): Promise<boolean> =>
  (await statusNow(world.cluster, TINY, { clock: world.clock })).well;

describe('a site with agents of nodes', () => {
  it('has them, with all they use and nothing else, in a privileged namespace of their own', async () => {
    const world = await installed(AGENT);
    expect(plain(inside(world, NODE))).toEqual([
      'DaemonSet/agent',
      'NetworkPolicy/agent',
      'NetworkPolicy/ccp-tiny-deny-ingress',
      'NetworkPolicy/ccp-tiny-egress-agent',
      'Pod/agent-0',
      'Pod/agent-1',
      'Role/ccp-tiny-secrets',
      'RoleBinding/ccp-tiny-secrets',
      'Secret/agent-database',
      'Service/agent',
      'Service/agent-peers',
      'ServiceAccount/agent',
    ]);
    expect(inside(world, TINY.namespace).filter((key) => key.endsWith('/agent'))).toEqual([]);
    expect([level(world, TINY.namespace), level(world, NODE)]).toEqual([
      'restricted',
      'privileged',
    ]);
    expect(await isWell(world)).toBe(true);
    expect(await writesOf(world, () => world.apply(tinySite(AGENT)))).toEqual([]);
  });

  it('gets a deleted copy of a Secret again, with the same values and without a restart', async () => {
    const world = await installed(AGENT);
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: NODE,
      name: 'agent-database',
    });
    const { missing } = await statusNow(world.cluster, TINY, { clock: world.clock });
    expect(missing.map(({ kind, namespace, name }) => `${kind} ${namespace}/${name}`)).toEqual([
      `Secret ${NODE}/agent-database`,
    ]);
    const { lost } = await makePlan(world.cluster, TINY, tinySite(AGENT));
    expect(lost).toMatchObject({ names: [`${NODE}/agent-database`], pods: [] });
    expect(plain(lost!.jobs)).toEqual(['ccp-tiny-secrets-#']);
    await world.apply(tinySite(AGENT));
    expect(inside(world, NODE, ['Secret'])).toEqual(['Secret/agent-database']);
    expect(await isWell(world)).toBe(true);
  });

  it('replaces the copy of a missing Secret before the agents that use it restart', async () => {
    const world = await installed(AGENT);
    world.cluster.store.remove({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: TINY.namespace,
      name: 'agent-database',
    });
    const writes = plain(await writesOf(world, () => world.apply(tinySite(AGENT))));
    const steps = writes.filter((write) => /Secret|Pod |Job .*secrets/.test(write));
    expect(steps).toEqual([
      'delete batch/v1 Job cloud/ccp-tiny-secrets-#',
      `delete v1 Secret ${NODE}/agent-database`,
      `delete v1 Pod ${NODE}/agent-0`,
      `delete v1 Pod ${NODE}/agent-1`,
      'apply batch/v1 Job cloud/ccp-tiny-secrets-#',
    ]);
    expect(inside(world, NODE, ['Secret'])).toEqual(['Secret/agent-database']);
    expect(await isWell(world)).toBe(true);
  });

  it('shows its agents in a support bundle', async () => {
    const world = await installed(AGENT);
    const open = await openStatus(world.cluster, TINY, world.clock);
    const paths = (await supportFiles(world.cluster, TINY, open)).map(({ path }) => path);
    await open.close();
    expect(paths).toEqual(
      expect.arrayContaining([
        `objects/DaemonSet/${NODE}/agent.json`,
        `pods/${NODE}/agent-0/pod.json`,
        'pods/base-0/pod.json',
      ]),
    );
  });

  it('is deleted from both namespaces', async () => {
    const world = await installed(AGENT);
    const { failures, kept } = await deleteSite(world.cluster, TINY, {
      by: 'tester@host',
      run: 'run',
      clock: world.clock,
      emit: () => undefined,
      claims: true,
      secrets: true,
    });
    expect([failures, kept]).toEqual([[], ['Namespace/cloud', `Namespace/${NODE}`]]);
    expect(
      [TINY.namespace, NODE].flatMap((namespace) =>
        inside(world, namespace).filter((key) => !key.startsWith('Event/')),
      ),
    ).toEqual([]);
  });

  it('keeps them in one namespace if both names are the same', async () => {
    const world = await installed(TOGETHER);
    expect(inside(world, TINY.namespace, ['DaemonSet'])).toEqual(['DaemonSet/agent']);
    expect(level(world, TINY.namespace)).toBe('privileged');
    expect(
      new Set(objectsOf(tinySite(TOGETHER)).map(({ metadata }) => metadata.namespace)),
    ).toEqual(new Set([undefined, TINY.namespace]));
  });
});

describe('a site whose agents move to a namespace of their own', () => {
  /** Fails if agents run twice, or if the namespace of running agents admits no agents. */
  const watched = (world: TinyWorld): { readonly seen: Set<string> } => {
    const seen = new Set<string>();
    world.cluster.store.listen(() => {
      const places = [TINY.namespace, NODE].filter((namespace) =>
        inside(world, namespace, ['Pod']).some((key) => /^Pod\/agent-\d$/.test(key)),
      );
      if (places.length > 1) throw new Error('agents run in two namespaces');
      for (const place of places) {
        seen.add(place);
        if (level(world, place) !== 'privileged') throw new Error(`${place} admits no agents`);
      }
    });
    return { seen };
  };

  it('shows the move in its plan, before anything is written', async () => {
    const world = await installed(TOGETHER);
    const plan = await makePlan(world.cluster, TINY, tinySite(AGENT));
    const lines = plain(deployPlanLines(plan)).filter((line) => /agent|Namespace/.test(line));
    expect(lines).toMatchInlineSnapshot(`
      [
        "  ~ Namespace/cloud gets a stricter pod security level after all other changes",
        "  + Namespace/cloud-node",
        "  + ServiceAccount/cloud-node/agent",
        "  + Service/cloud-node/agent",
        "  + Service/cloud-node/agent-peers",
        "  + NetworkPolicy/cloud-node/agent",
        "      spec.ingress[0].from: ...or":"In","values":["agent","base","web"]}]}}] -> ...or":"In","values":["base","web"]}]}},{"namespaceSelector"...",
        "  + NetworkPolicy/cloud-node/ccp-tiny-egress-agent",
        "  + DaemonSet/cloud-node/agent",
        "  - DaemonSet/agent moves to the namespace cloud-node, where its pods start when these have ended",
        "  - Service/agent is no longer part of the site",
        "  - Service/agent-peers is no longer part of the site",
        "  - NetworkPolicy/agent is no longer part of the site",
        "  - NetworkPolicy/ccp-tiny-egress-agent is no longer part of the site",
        "  - ServiceAccount/agent is no longer part of the site",
      ]
    `);
  });

  it('stops them in the old namespace before they start in the new one, and then restricts it', async () => {
    const world = await installed(TOGETHER);
    const { seen } = watched(world);
    expect((await world.apply(tinySite(AGENT))).state).toBe('good');
    expect([...seen]).toEqual([TINY.namespace, NODE]);
    expect([level(world, TINY.namespace), level(world, NODE)]).toEqual([
      'restricted',
      'privileged',
    ]);
    expect(inside(world, TINY.namespace).filter((key) => key.endsWith('/agent'))).toEqual([]);
    expect(await isWell(world)).toBe(true);
    expect(await writesOf(world, () => world.apply(tinySite(AGENT)))).toEqual([]);
  });

  it('keeps the namespace as it was while an agent does not start', async () => {
    const world = await installed(TOGETHER);
    world.behave({ agent: 'crashes' });
    expect((await world.apply(tinySite(AGENT))).state).toBe('failed');
    expect(level(world, TINY.namespace)).toBe('privileged');
  });

  it('can go back', async () => {
    const world = await installed(TOGETHER);
    await world.apply(tinySite(AGENT));
    const { seen } = watched(world);
    const { record, rendered } = await findRollback(world.cluster, TINY);
    expect((await world.apply(rendered, { rollbackTo: record.revision })).state).toBe('good');
    expect([...seen]).toEqual([NODE, TINY.namespace]);
    expect(plain(inside(world, NODE))).toEqual(['Secret/agent-database']);
    expect(await isWell(world)).toBe(true);
  });

  it('leaves a namespace whose name has changed', async () => {
    const world = await installed(AGENT);
    const other = { ...AGENT, nodeNamespace: 'agents' };
    expect((await world.apply(tinySite(other))).state).toBe('good');
    expect(inside(world, NODE)).toEqual(['Secret/agent-database']);
    expect(inside(world, 'agents', ['DaemonSet'])).toEqual(['DaemonSet/agent']);
    expect(await writesOf(world, () => world.apply(tinySite(other)))).toEqual([]);
  });
});

describe('a namespace that someone else created', () => {
  it('is refused if it does not admit agents', async () => {
    const world = await installed();
    world.cluster.store.put(
      { apiVersion: 'v1', kind: 'Namespace', name: NODE },
      { object: { metadata: { name: NODE, labels: { [ENFORCE]: 'restricted' } } }, owners: [] },
    );
    await expect(world.apply(tinySite(AGENT))).rejects.toMatchObject({
      code: 'deploy-refused',
      message: `Namespace/${NODE} cannot be applied: it existed before the site and enforces the pod security level "restricted", but the site's pods need "privileged"`,
    });
  });

  it('is refused before the namespace of the site exists, and keeps its labels', async () => {
    const world = tinyWorld();
    const ref = { apiVersion: 'v1', kind: 'Namespace', name: NODE };
    const labels = { [ENFORCE]: 'restricted' };
    world.cluster.store.put(ref, { object: { metadata: { name: NODE, labels } }, owners: [] });
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite(AGENT))).rejects.toMatchObject({ code: 'deploy-refused' }),
    );
    expect(writes).toEqual([]);
    world.cluster.store.put(ref, { object: { metadata: { name: NODE } }, owners: [] });
    expect((await world.apply(tinySite(AGENT))).state).toBe('good');
    expect(world.cluster.store.get(ref)!.metadata.labels ?? {}).not.toHaveProperty([ENFORCE]);
  });

  it('keeps its level if another site has agents in it', async () => {
    const world = await installed(TOGETHER);
    world.cluster.store.put(
      { apiVersion: 'apps/v1', kind: 'DaemonSet', namespace: TINY.namespace, name: 'other' },
      {
        object: {
          metadata: { labels: { 'applyset.kubernetes.io/part-of': 'applyset-other-v1' } },
          spec: { template: { spec: { containers: [{ name: 'other', image: 'other' }] } } },
        },
        owners: [],
      },
    );
    await world.apply(tinySite(AGENT));
    expect(level(world, TINY.namespace)).toBe('privileged');
  });
});
