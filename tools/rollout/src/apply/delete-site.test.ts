import { describe, expect, it } from 'vitest';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { plain } from '../testing/tiny-looks.ts';
import { tinyWorld } from '../testing/tiny-world.ts';
import { deleteSite } from './delete-site.ts';

it('reports the loss of its lock and deletes nothing more', async () => {
  const world = tinyWorld();
  const { cluster } = world;
  await world.apply(tinySite());
  cluster.edit(
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace: TINY.namespace },
    (object) => Object.assign(object['metadata'] as object, { finalizers: ['test/never'] }),
  );
  const stolen: typeof cluster.delete = async (ref, options) => {
    cluster.edit(
      {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        name: 'ccp-tiny',
        namespace: TINY.namespace,
      },
      (object) => Object.assign(object['spec'] as object, { holderIdentity: 'thief' }),
      'thief',
    );
    return await cluster.delete(ref, options);
  };
  const deleted = deleteSite({ ...cluster, delete: stolen }, TINY, {
    by: 'tester@host',
    run: 'run',
    clock: world.clock,
    emit: () => undefined,
    claims: true,
    secrets: true,
  });
  await expect(deleted).rejects.toThrow(
    "thief now holds the site's lock: this run did not renew it in time",
  );
  expect(cluster.store.all().map(({ metadata }) => metadata.name)).toContain('ccp-tiny-revision-1');
});

describe('a namespace that ccp did not create', () => {
  const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', name: TINY.namespace } as const;
  const world = (labels: Readonly<Record<string, string>>) => {
    const made = tinyWorld();
    made.cluster.store.put(NAMESPACE, { object: { metadata: { labels } }, owners: [] });
    return {
      ...made,
      labels: () => made.cluster.store.get(NAMESPACE)?.metadata.labels,
      plan: () => makePlan(made.cluster, TINY, tinySite()),
    };
  };

  it('keeps its labels from the first apply to the deletion, and the plan says so', async () => {
    const { cluster, clock, apply, labels, plan } = world({ team: 'theirs' });
    expect(plain(deployPlanLines(await plan()))).toContain(
      '    Namespace/cloud existed before the site and keeps its labels: it enforces the default pod security level of the cluster, and the site\'s pods meet "restricted"',
    );
    expect((await apply(tinySite())).state).toBe('good');
    expect(labels()).toEqual({ team: 'theirs' });
    expect((await apply(tinySite())).state).toBe('unchanged');
    const { kept } = await deleteSite(cluster, TINY, {
      by: 'tester@host',
      run: 'run',
      clock,
      emit: () => undefined,
      claims: true,
      secrets: true,
    });
    expect([kept, labels()]).toEqual([[], { team: 'theirs' }]);
  });

  it('is reported before any write if it does not allow the pods', async () => {
    const { cluster, labels } = world({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const site = tinySite();
    const laxer = {
      ...site,
      foundation: site.foundation.map((object) =>
        object.kind === 'Namespace'
          ? {
              ...object,
              metadata: {
                ...object.metadata,
                labels: {
                  ...object.metadata.labels,
                  'pod-security.kubernetes.io/enforce': 'privileged',
                },
              },
            }
          : object,
      ),
    };
    const { objects } = await makePlan(cluster, TINY, laxer);
    expect(objects.find(({ action }) => action === 'refused')).toMatchObject({
      key: 'Namespace/cloud',
      reason:
        'it existed before the site and enforces the pod security level "restricted", but the site\'s pods need "privileged"',
      remedy:
        'set another namespace for the site, or let ccp manage this one: kubectl label namespace cloud app.kubernetes.io/managed-by=ccp',
    });
    expect(labels()).toEqual({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });

  it('is labelled once it was given to ccp', async () => {
    const { apply, labels } = world({ 'app.kubernetes.io/managed-by': 'ccp' });
    expect((await apply(tinySite())).state).toBe('good');
    expect(labels()).toMatchObject({ 'pod-security.kubernetes.io/enforce': 'restricted' });
  });
});
