import { describe, expect, it } from 'vitest';
import { parseAppSpec } from '#definitions/deploy';
import { objectsOf, podsOf } from '#site';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { installed, named, plain, refTo, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { resultLines } from './result-text.ts';

describe('fields of other managers', () => {
  const scaled = async (): Promise<TinyWorld> => {
    const world = await installed();
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) => void ((object['spec'] as { replicas: number }).replicas = 5),
      'kube-controller-manager',
    );
    return world;
  };

  it('stops an apply before any write, with the name of the owner', async () => {
    const world = await scaled();
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite())).rejects.toMatchObject({
        code: 'deploy-conflict',
        message:
          'kube-controller-manager has set .spec.replicas of Deployment/web to another value',
        hint: "take ownership of it with --take 'Deployment/web:spec.replicas', or leave it to kube-controller-manager with --leave 'Deployment/web:spec.replicas'",
      }),
    );
    expect(writes).toEqual([]);
  });

  it('leaves replicas to an autoscaler that sets them (HPA replicas not fought over), with no write', async () => {
    const world = await scaled();
    world.cluster.store.put(
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        namespace: TINY.namespace,
        name: 'web',
      },
      {
        object: { metadata: {}, spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } } },
        owners: [],
      },
    );
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
    await world.apply(tinySite({ colour: 'blue' }));
    expect(named(world, 'Deployment', 'web')['spec']).toMatchObject({ replicas: 5 });
  });

  it('keeps replicas that have no owner if an autoscaler sets them: scaling to 0 leaves no owner', async () => {
    const world = await scaled();
    const { object, owners } = world.cluster.store.owned(refTo('Deployment', 'web'));
    world.cluster.store.put(refTo('Deployment', 'web'), {
      object: { ...object, spec: { ...(object['spec'] as object), replicas: 0 } },
      owners: owners.map((owner) => ({
        ...owner,
        fields: new Map([...owner.fields].filter(([, path]) => path.at(-1) !== 'f:replicas')),
      })),
    });
    const changes = async () =>
      (await makePlan(world.cluster, TINY, tinySite())).objects.flatMap((each) => each.changes);
    expect(await changes()).toEqual([{ path: 'spec.replicas', before: 0, after: 2 }]);
    world.cluster.store.put(
      {
        apiVersion: 'autoscaling/v2',
        kind: 'HorizontalPodAutoscaler',
        namespace: TINY.namespace,
        name: 'web',
      },
      {
        object: { metadata: {}, spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } } },
        owners: [],
      },
    );
    expect(await changes()).toEqual([]);
    await world.apply(tinySite({ colour: 'blue' }));
    expect(named(world, 'Deployment', 'web')['spec']).toMatchObject({ replicas: 0 });
  });

  it('shows each field in the plan with its owner and the source of the decision', async () => {
    const world = await scaled();
    const lines = async (policy: 'fail' | 'take' | 'leave') =>
      plain(
        deployPlanLines(
          await makePlan(world.cluster, TINY, tinySite(), {
            rules: [{ object: 'Deployment/web', field: '*', policy, why: 'set in the site' }],
          }),
        ),
      ).slice(1, -1);
    expect(await lines('fail')).toEqual([
      '  x Deployment/web has a field ownership conflict',
      '      spec.replicas: 5 -> 2',
      '      .spec.replicas is owned by kube-controller-manager: nothing is applied until --take or --leave names it (set in the site)',
    ]);
    expect(await lines('take')).toEqual([
      '  ~ Deployment/web',
      '      spec.replicas: 5 -> 2',
      '      .spec.replicas is owned by kube-controller-manager: ccp takes ownership (set in the site)',
    ]);
    expect(await lines('leave')).toEqual([
      '    Deployment/web',
      '      .spec.replicas is owned by kube-controller-manager: left to that manager (set in the site)',
    ]);
  });

  it('shows other differences in a plan, which writes nothing', async () => {
    const world = await scaled();
    type Spec = {
      template: {
        spec: { terminationGracePeriodSeconds: number; containers: { command?: string[] }[] };
      };
    };
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) => void ((object['spec'] as Spec).template.spec.terminationGracePeriodSeconds = 60),
      'kubectl-edit',
    );
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) => void delete (object['spec'] as Spec).template.spec.containers[0]!.command,
      'kubectl-patch',
    );
    let plan: Awaited<ReturnType<typeof makePlan>> | undefined;
    expect(
      await writesOf(world, async () => (plan = await makePlan(world.cluster, TINY, tinySite()))),
    ).toEqual([]);
    expect(plain(deployPlanLines(plan!)).slice(1, -1)).toEqual([
      '  x Deployment/web has a field ownership conflict',
      '      spec.replicas: 5 -> 2',
      '      spec.template.spec.containers[web].command: ["web"] is added',
      '      spec.template.spec.terminationGracePeriodSeconds: 60 -> 10',
      '      .spec.template.spec.terminationGracePeriodSeconds is owned by kubectl-edit: nothing is applied until --take or --leave names it',
      '      .spec.replicas is owned by kube-controller-manager: nothing is applied until --take or --leave names it',
    ]);
  });

  it('overwrites a field if a rule says so', async () => {
    const world = await scaled();
    await world.apply(tinySite(), {
      rules: [{ object: 'Deployment/web', field: 'spec.replicas', policy: 'take' }],
    });
    expect(named(world, 'Deployment', 'web')['spec']).toMatchObject({ replicas: 2 });
  });
});

describe('a field that cannot change', () => {
  it('is changed by a replacement of the object, which keeps the pods of a StatefulSet', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ size: '2Gi' }));
    expect(plain(deployPlanLines(plan)).find((line) => line.startsWith('  !'))).toMatch(
      /^ {2}! StatefulSet\/base cannot be changed in place: spec: Forbidden: updates to statefulset spec/,
    );
    expect((await world.apply(tinySite({ size: '2Gi' }))).state).toBe('good');
  });
});

describe('objects that are no longer part of the site', () => {
  it('lists removed objects in the plan and deletes them, except Secrets and claims', async () => {
    const world = await installed();
    const plan = await makePlan(world.cluster, TINY, tinySite({ web: false }));
    const gone = plan.prune.map(({ key }) => key.replace(/-[0-9a-f]{10}$/, ''));
    expect(gone).toEqual(
      expect.arrayContaining([
        'Deployment/web',
        'Service/web',
        'NetworkPolicy/web',
        'ServiceAccount/web',
        'Job/web-expand',
      ]),
    );
    expect(plan.keep).toEqual([
      { key: 'Secret/web-database', reason: 'its value cannot be generated again' },
    ]);
    await world.apply(tinySite({ web: false }));
    expect(
      world.cluster.store
        .all()
        .filter(({ metadata }) => metadata.labels?.['app.kubernetes.io/instance'] === 'web')
        .map(({ kind }) => kind),
    ).toEqual(['Secret']);
    expect(await writesOf(world, () => world.apply(tinySite({ web: false })))).toEqual([]);
  });

  it('keeps removed objects if a step failed', async () => {
    const world = await installed({ lone: true });
    world.behave({ web: 'crashes' });
    const result = await world.apply(tinySite({ release: 'two' }));
    expect(resultLines(result)).toContain(
      '  nothing was pruned: something failed, and existing objects may still be needed',
    );
    expect(named(world, 'Deployment', 'lone')).toBeDefined();
  });
});

describe('a DaemonSet', () => {
  it('is rolled out on every node, and its crash is reported', async () => {
    const world = await installed({ agent: 'one' });
    const plan = await makePlan(world.cluster, TINY, tinySite({ agent: 'two' }));
    expect(plan.rolls.map(({ key, pods }) => `${key} ${pods}`)).toEqual(['DaemonSet/agent 2']);
    world.behave({ agent: 'crashes' });
    expect(resultLines(await world.apply(tinySite({ agent: 'two' })))[0]).toBe(
      'x DaemonSet/agent 1 of 2 nodes have a new pod; pod agent-0: container "agent" exited with code 3, restarted 4 times',
    );
    world.behave({});
    expect((await world.apply(tinySite({ agent: 'one' }))).state).toBe('good');
    expect(await writesOf(world, () => world.apply(tinySite({ agent: 'one' })))).toEqual([]);
    await world.apply(tinySite());
    expect(named(world, 'DaemonSet', 'agent')).toBeUndefined();
  });
});

describe('hostile input', () => {
  it('cannot take objects of another site in the namespace', async () => {
    const world = await installed();
    const theirs = {
      'applyset.kubernetes.io/part-of': 'applyset-other-v1',
      'app.kubernetes.io/part-of': 'other',
    };
    const policy = tinySite().foundation.find(
      ({ metadata }) => metadata.name === 'ccp-tiny-deny-ingress',
    )!;
    await world.cluster.apply(
      { ...policy, metadata: { ...policy.metadata, labels: theirs } },
      { fieldManager: 'ccp' },
    );
    await expect(world.apply(tinySite())).rejects.toThrow(
      /^1 object of tiny in cloud belongs to the site \S+: NetworkPolicy\/ccp-tiny-deny-ingress$/,
    );
  });

  it('cannot reach outside the namespace of the site', async () => {
    const world = tinyWorld();
    const site = tinySite();
    const outside = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x', namespace: 'kube-system' },
    };
    await expect(
      world.apply({ ...site, foundation: [...site.foundation, outside] }),
    ).rejects.toThrow(
      'ConfigMap/x is in the namespace "kube-system", but the site\'s objects must be in "cloud"',
    );
    expect(world.cluster.writes).toEqual([]);
  });

  it('cannot name one variable twice (duplicate env names)', () => {
    const text = [
      'schema: 1.0.0',
      'title: Web',
      'user: { uid: 1, gid: 1 }',
      'workloads: {}',
      'jobs:',
      '  go: { phase: post, role: any, command: [go], env: { A: one, A: two }, resources: {} }',
    ].join('\n');
    expect(() => parseAppSpec(text, 'app.yaml', 'web')).toThrow(
      'the key "A" is repeated in the same map',
    );
    const containers = podsOf(objectsOf(tinySite())).flatMap(({ pod }) => pod.containers);
    for (const { env } of containers)
      expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
  });
});
