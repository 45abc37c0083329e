import { describe, expect, it } from 'vitest';
import { omitUndefined } from '#core';
import { TINY, tinySite } from '#site/testing';
import { makePlan } from '../plan/make-plan.ts';
import { deployPlanLines } from '../plan/plan-text.ts';
import { installed, named, plain, refTo, writesOf } from '../testing/tiny-looks.ts';
import type { TinyWorld } from '../testing/tiny-world.ts';
import { resultLines } from './result-text.ts';

type Template = {
  metadata: { labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    containers: { name: string; env?: { name: string; value?: string }[] }[];
    volumes?: object[];
  };
};
const templateOf = (object: { [member: string]: unknown }): Template =>
  (object['spec'] as { template: Template }).template;
const FOO = '.spec.template.spec.containers[name="web"].env[name="FOO"]';
const SERVICE = { apiVersion: 'v1', kind: 'Service', name: 'web', namespace: TINY.namespace };

async function withFoo(): Promise<TinyWorld> {
  const world = await installed();
  world.cluster.edit(
    refTo('Deployment', 'web'),
    (object) =>
      void (templateOf(object).spec.containers[0]!.env ??= []).push({ name: 'FOO', value: 'bar' }),
    'kubectl-set',
  );
  return world;
}

describe('a field that another manager has added', () => {
  it('is reported as drift with manager and time; an apply keeps it and writes nothing', async () => {
    const world = await withFoo();
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) => {
        const { metadata, spec } = templateOf(object);
        metadata.labels['team'] = 'a';
        (metadata.annotations ??= {})['kubectl.kubernetes.io/restartedAt'] = 'now';
        spec.containers.push({ name: 'sidecar' });
      },
      'kubectl-edit',
    );
    world.cluster.edit(
      refTo('Deployment', 'web'),
      (object) =>
        void Object.assign(object['metadata'] as object, {
          annotations: { 'deployment.kubernetes.io/revision': '2' },
        }),
      'kube-controller-manager',
    );
    const plan = await makePlan(world.cluster, TINY, tinySite());
    expect(plain(deployPlanLines(plan, { additions: true })).slice(1)).toEqual([
      '    Deployment/web',
      expect.stringMatching(
        /^ {6}\.spec\.template\.spec\.containers\[name="web"\]\.env\[name="FOO"\] was added by kubectl-set at 2026-\S+Z: it stays unless --take names it$/,
      ),
      expect.stringMatching(
        /^ {6}\.spec\.template\.metadata\.labels\.team was added by kubectl-edit /,
      ),
      expect.stringMatching(
        /^ {6}\S+\.kubectl\.kubernetes\.io\/restartedAt was added by kubectl-edit at \S+: it restarted the pods$/,
      ),
      expect.stringMatching(
        /^ {6}\.spec\.template\.spec\.containers\[name="sidecar"\] was added by kubectl-edit /,
      ),
      expect.stringMatching(
        /^nothing to do: \d+ objects are up to date, except for fields that other managers added$/,
      ),
    ]);
    expect(deployPlanLines(plan)).toContain(
      '  ? other field managers have added 3 fields to 1 object; apply keeps them: ccp deploy diff tiny',
    );
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
    expect(templateOf(named(world, 'Deployment', 'web')).spec.containers).toHaveLength(2);
  });

  it('is removed for good if a rule names it or its parent field, with one rollout of the pods', async () => {
    const world = await withFoo();
    const rules = [
      {
        object: 'Deployment/web',
        field: 'spec.template.spec.containers[name="web"].env',
        policy: 'take' as const,
      },
    ];
    expect(
      deployPlanLines(await makePlan(world.cluster, TINY, tinySite(), { rules })).slice(1, 4),
    ).toEqual([
      '  ~ Deployment/web',
      '      spec.template.spec.containers[web].env[FOO]: {"name":"FOO","value":"bar"} is removed',
      expect.stringMatching(/was added by kubectl-set at \S+: it is removed$/),
    ]);
    const { generation } = named(world, 'Deployment', 'web').metadata;
    expect(await writesOf(world, () => world.apply(tinySite(), { rules }))).toEqual(
      expect.arrayContaining([
        'update apps/v1 Deployment cloud/web',
        'apply apps/v1 Deployment cloud/web',
      ]),
    );
    const web = named(world, 'Deployment', 'web');
    expect(templateOf(web).spec.containers[0]!.env!.map(({ name }) => name)).toEqual([
      expect.any(String),
      'URL',
    ]);
    expect(web.metadata.generation).toBe(generation! + 1);
    expect(web.metadata.managedFields!.map(({ manager }) => manager)).not.toContain('kubectl-set');
    expect(await writesOf(world, () => world.apply(tinySite(), { rules }))).toEqual([]);
  });

  it('is removed by an approved plan only if the plan lists it', async () => {
    const world = await withFoo();
    const rules = [{ object: 'Deployment/web', field: FOO.slice(1), policy: 'take' as const }];
    const [taking, leaving] = [
      await makePlan(world.cluster, TINY, tinySite(), { rules }),
      await makePlan(world.cluster, TINY, tinySite()),
    ];
    await expect(world.apply(tinySite(), { approved: leaving, rules })).rejects.toMatchObject({
      code: 'deploy-plan-stale',
    });
    expect((await world.apply(tinySite(), { approved: taking })).state).toBe('good');
    expect(JSON.stringify(named(world, 'Deployment', 'web')['spec'])).not.toContain('FOO');
  });

  it('refuses a flag with a misspelt field, and reports a flag that matches nothing', async () => {
    const world = await withFoo();
    const flags = (...fields: readonly [string | undefined, string][]) =>
      fields.map(([object, field]) => ({
        ...omitUndefined({ object }),
        field,
        policy: 'take' as const,
        flag: `--take "${field}"`,
      }));
    await expect(
      world.apply(tinySite(), {
        rules: flags(
          [undefined, 'nosuch'],
          ['Deployment/wep', 'spec'],
          [undefined, 'spce.replicas'],
        ),
      }),
    ).rejects.toMatchObject({
      findings: [
        {
          code: 'usage',
          message: '--take "nosuch" does not match any field of an object of the site',
          hint: 'ccp deploy plan lists the fields that other managers have set',
        },
        {
          code: 'usage',
          message: '--take "spec" does not match any object of the site',
          hint: 'did you mean "Deployment/web"?',
        },
        {
          code: 'usage',
          message: '--take "spce.replicas" does not match any field of an object of the site',
          hint: 'did you mean "spec"?',
        },
      ],
    });
    const rules = flags([undefined, 'spec.replica']);
    const line = '  = --take "spec.replica" has no effect: no other manager has set such a field';
    expect(deployPlanLines(await makePlan(world.cluster, TINY, tinySite(), { rules }))).toContain(
      line,
    );
    expect(resultLines(await world.apply(tinySite(), { rules }))).toContain(line);
  });

  it('is not drift if a rule leaves it', async () => {
    const world = await withFoo();
    const plan = await makePlan(world.cluster, TINY, tinySite(), {
      rules: [{ field: FOO.slice(1), policy: 'leave', why: 'set in the site' }],
    });
    expect(deployPlanLines(plan).slice(1)).toEqual([
      expect.stringMatching(/^nothing to do: \d+ objects are up to date$/),
    ]);
    expect(deployPlanLines(plan, { additions: true })[2]).toMatch(
      /was added by kubectl-set at \S+: it is kept \(set in the site\)$/,
    );
  });

  it('is reported with its owner and a command to remove it if it makes the object invalid', async () => {
    const world = await installed();
    world.cluster.edit(
      SERVICE,
      (object) =>
        Object.assign((object['spec'] as { ports: { port: number }[] }).ports[0]!, { port: 5001 }),
      'kubectl-patch',
    );
    const refused = await world.apply(tinySite()).catch((thrown: unknown) => thrown);
    expect(refused).toMatchObject({
      message: 'Service/web cannot be applied: spec.ports[1].name: Duplicate value: "main"',
      hint: `kubectl-patch has added .spec.ports[port=5001,protocol="TCP"]; remove it with --take 'Service/web:spec.ports[port=5001,protocol="TCP"]'`,
    });
    const rules = [
      {
        object: 'Service/web',
        field: 'spec.ports[port=5001,protocol="TCP"]',
        policy: 'take' as const,
      },
    ];
    expect((await world.apply(tinySite(), { rules })).state).toBe('good');
    expect(named(world, 'Service', 'web')['spec']).toMatchObject({
      ports: [{ name: 'main', port: 80 }],
    });
    expect(await writesOf(world, () => world.apply(tinySite()))).toEqual([]);
  });
});
