import { describe, expect, it } from 'vitest';
import { isRecord } from '#core';
import type { RenderedSite, SchemaRevisions } from '#site';
import { TINY, tinySite } from '#site/testing';
import type { DeployResult } from '../apply/apply-plan.ts';
import { resultLines } from '../apply/result-text.ts';
import { findRollback } from '../record/rollback.ts';
import { installed, named, plain, writesOf } from '../testing/tiny-looks.ts';
import { tinyWorld, type TinyWorld } from '../testing/tiny-world.ts';
import { makePlan } from './make-plan.ts';
import { deployPlanLines } from './plan-text.ts';

const change = (kind: 'destructive' | 'deleting' | 'tightening', text: string, line: number) => ({
  file: 'web/versions/two.py',
  changes: [{ class: kind, text, line }],
});
const FIRST: SchemaRevisions = { a: {} };
const first = { migrations: FIRST };
const second = (added: SchemaRevisions) => ({
  release: 'two',
  migrations: { ...FIRST, ...added },
});
const DROPS: SchemaRevisions = { b: change('destructive', 'drops a column', 12) };
const STOPS =
  'stops before the migrations of web, because its running code may not work with the new schema';

/** The lines of a plan about web's schema and its Deployment. */
async function schemaLines(world: TinyWorld, added: SchemaRevisions): Promise<string[]> {
  const plan = await makePlan(world.cluster, TINY, tinySite(second(added)));
  return plain(deployPlanLines(plan)).filter((line) => /migration|Deployment\/web/.test(line));
}

/** The site with web as a StatefulSet. */
function asStatefulSet(site: RenderedSite): RenderedSite {
  const text = JSON.stringify(site).replaceAll('"Deployment/web"', '"StatefulSet/web"');
  return JSON.parse(text, (_, value: unknown) =>
    isRecord(value) && value['kind'] === 'Deployment' ? { ...value, kind: 'StatefulSet' } : value,
  ) as RenderedSite;
}

describe('the plan of an upgrade', () => {
  it('says that pods can stay during additive migrations', async () => {
    expect(await schemaLines(await installed(first), { b: {}, c: {} })).toEqual([
      '  = web runs 2 migrations: running pods and a rollback work with the new schema',
      '  ~ Deployment/web',
      '  Deployment/web replaces its 2 pods, one after the other:',
    ]);
  });

  it.each([
    [
      'tightening',
      'forbids NULL in a column',
      'a rollback is possible until you apply with --contract',
    ],
    [
      'deleting',
      'deletes rows',
      'a rollback is possible until you apply with --contract, but deleted rows do not come back',
    ],
    ['destructive', 'drops a column', 'a rollback is impossible without a backup'],
  ] as const)('stops pods before %s migrations', async (kind, text, rollback) => {
    const lines = await schemaLines(await installed(first), { b: change(kind, text, 12) });
    expect(lines).toEqual([
      `  ! web runs 1 migration: its running pods stop first for about 4 s (as in earlier runs), and ${rollback}: web/versions/two.py:12 ${text}`,
      `  ! Deployment/web ${STOPS}`,
      '  Deployment/web replaces its 2 pods, all at once:',
    ]);
  });

  it('says nothing without a record of the running schema', async () => {
    expect(await schemaLines(await installed(), DROPS)).toEqual([
      '  ~ Deployment/web',
      '  Deployment/web replaces its 2 pods, one after the other:',
    ]);
  });

  it('leaves out migrations of the contract branch, which run later', async () => {
    const world = await installed(first);
    const contract: SchemaRevisions = { b: { ...DROPS['b']!, contract: true } };
    expect(await schemaLines(world, contract)).toEqual([
      '  ~ Deployment/web',
      '  Deployment/web replaces its 2 pods, one after the other:',
    ]);
  });
});

describe('an upgrade', () => {
  it('stops the old pods before the expand job, and starts the new ones after it', async () => {
    const world = await installed(first);
    let result: DeployResult | undefined;
    const writes = await writesOf(world, async () => {
      result = await world.apply(tinySite(second(DROPS)));
    });
    const parts = /^(delete|apply) \S+ (Deployment cloud\/web|Job cloud\/web-(expand|migrate)-#)$/;
    const upToStart = plain(writes)
      .filter((write) => parts.test(write))
      .slice(0, 4);
    expect(upToStart).toEqual([
      'delete apps/v1 Deployment cloud/web',
      'apply batch/v1 Job cloud/web-expand-#',
      'apply batch/v1 Job cloud/web-migrate-#',
      'apply apps/v1 Deployment cloud/web',
    ]);
    expect(named(world, 'Deployment', 'web')['status']).toMatchObject({ availableReplicas: 2 });
    expect(resultLines(result!).filter((line) => line.includes('away'))).toEqual([
      '  web was away for 4 s; the plan expected about 4 s',
    ]);
    const again = await makePlan(world.cluster, TINY, tinySite(second(DROPS)));
    expect([again.work, again.schemaHops]).toEqual([false, undefined]);
  });

  it('stops the pods of a StatefulSet too', async () => {
    const world = tinyWorld();
    await world.apply(asStatefulSet(tinySite(first)));
    const deleted: unknown[] = [];
    const recording: typeof world.cluster = {
      ...world.cluster,
      delete: async (ref, options) => {
        if (ref.kind === 'StatefulSet') deleted.push([ref.name, options?.propagation]);
        return await world.cluster.delete(ref, options);
      },
    };
    const two = asStatefulSet(tinySite(second(DROPS)));
    expect((await world.apply(two, {}, recording)).state).toBe('good');
    expect(deleted[0]).toEqual(['web', 'foreground']);
  });

  it('does not stop pods that already run the new code', async () => {
    const world = await installed(first);
    const two = tinySite(second(DROPS));
    world.behave({ web: 'crashes' });
    expect((await world.apply(two)).state).toBe('failed');
    const rewritten = JSON.parse(
      JSON.stringify(two).replaceAll(/"web-expand-[0-9a-f]{10}"/g, '"web-expand-0123456789"'),
    ) as typeof two;
    const plan = await makePlan(world.cluster, TINY, rewritten);
    expect(plan.schemaHops).toMatchObject([{ before: ['web/job/expand'], stops: [] }]);
    expect(plan.objects.find(({ key }) => key === 'Deployment/web')?.action).toBe('unchanged');
    expect(plan.steps.flatMap(({ supersedes }) => supersedes)).toEqual([]);
  });

  it('cannot be rolled back after destructive migrations', async () => {
    const world = await installed(first);
    await world.apply(tinySite(second(DROPS)));
    await expect(findRollback(world.cluster, TINY)).rejects.toMatchObject({
      code: 'deploy-rollback-impossible',
      message:
        'revision 1 cannot be applied again: the code of web does not know a migration of revision 2 that drops a column (web/versions/two.py:12)',
    });
    const writes = await writesOf(world, () =>
      expect(world.apply(tinySite(first))).rejects.toMatchObject({
        code: 'deploy-older',
        message:
          'the code of web does not know a migration of revision 2 that drops a column (web/versions/two.py:12)',
      }),
    );
    expect(writes).toEqual([]);
  });

  it('accepts a newer release that replaced old migrations by one', async () => {
    const world = await installed({ migrations: { ...FIRST, ...DROPS } });
    const newer = tinySite({ release: 'three', migrations: { initial: {} } });
    expect((await world.apply(newer)).state).toBe('good');
    await expect(
      world.apply(tinySite({ release: 'zero', migrations: FIRST })),
    ).rejects.toMatchObject({ code: 'deploy-older' });
  });

  it('can be rolled back after migrations that only delete rows', async () => {
    const world = await installed(first);
    await world.apply(tinySite(second({ b: change('deleting', 'deletes rows', 3) })));
    expect((await findRollback(world.cluster, TINY)).record.revision).toBe(1);
  });

  it('can be rolled back if it failed before its destructive migrations', async () => {
    const world = await installed(first);
    world.behave({ 'web-expand': 'crashes' });
    expect((await world.apply(tinySite(second(DROPS)))).state).toBe('failed');
    expect((await findRollback(world.cluster, TINY)).record.revision).toBe(1);
  });
});
