import { describe, expect, it } from 'vitest';
import { omitUndefined, sha256 } from '#core';
import { fakeCluster } from '#ports/testing';
import { TINY, tinySite } from '#site/testing';
import { installed } from '../testing/tiny-looks.ts';
import { readRecords, readRendered, writeRevision } from './record-store.ts';
import { PART_SIZE } from './text-parts.ts';
import type { RevisionRecord, RevisionState } from './record.ts';
import { chooseRollback } from './rollback.ts';

const record = (
  revision: number,
  state: RevisionState,
  content: string,
  rollbackTo?: number,
): RevisionRecord => ({
  format: 1,
  site: 'tiny',
  revision,
  state,
  content,
  startedAt: '2026-01-01T00:00:00Z',
  by: 'a@b',
  images: {},
  secrets: [],
  parts: 0,
  ...omitUndefined({ rollbackTo }),
});

describe('chooseRollback', () => {
  it.each<[string, RevisionRecord[], number | undefined, number]>([
    [
      'the last good one before a good one',
      [record(1, 'good', 'a'), record(2, 'good', 'b')],
      undefined,
      1,
    ],
    [
      'the last good one before a failed one',
      [record(1, 'good', 'a'), record(2, 'good', 'b'), record(3, 'failed', 'c')],
      undefined,
      2,
    ],
    [
      'where a killed rollback was going',
      [record(1, 'good', 'a'), record(2, 'good', 'b'), record(3, 'running', 'a', 1)],
      undefined,
      1,
    ],
    [
      'the one that is named',
      [record(1, 'good', 'a'), record(2, 'good', 'b'), record(3, 'good', 'c')],
      1,
      1,
    ],
  ])('is %s', (_, records, wanted, expected) => {
    expect(chooseRollback(records, wanted).revision).toBe(expected);
  });

  it.each<[RevisionRecord[], number | undefined, string]>([
    [[], undefined, 'the site has no revision to go back to'],
    [[record(1, 'good', 'a')], undefined, 'no successful revision exists before 1'],
    [
      [record(1, 'failed', 'a'), record(2, 'good', 'b')],
      1,
      'revision 1 was never deployed successfully',
    ],
    [[record(1, 'good', 'a')], 7, 'revision 7 has no record'],
  ])('refuses: %#', (records, wanted, message) => {
    expect(() => chooseRollback(records, wanted)).toThrow(message);
  });
});

describe('records in the cluster', () => {
  it('stores the rendered site of any size', async () => {
    const cluster = fakeCluster({
      objects: [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: TINY.namespace } }],
    });
    const noise = Array.from({ length: 30_000 }, (_, index) => sha256(String(index))).join('');
    const big = {
      ...tinySite(),
      foundation: [
        {
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'big', namespace: TINY.namespace },
          data: { noise },
        },
      ],
    };
    const { parts: _, ...rest } = record(1, 'good', 'a');
    const written = await writeRevision(cluster, TINY, rest, big);
    expect(written.parts).toBeGreaterThan(1);
    expect(await readRendered(cluster, TINY, written)).toEqual(big);
    const sizes = cluster.store
      .all()
      .filter(({ kind }) => kind === 'ConfigMap')
      .map((object) => JSON.stringify(object).length);
    expect(Math.max(...sizes)).toBeLessThan(PART_SIZE + 10_000);
  });

  it('deletes old records, and never the newest good one', async () => {
    const world = await installed();
    world.behave({ web: 'no-image' });
    for (let index = 0; index < 12; index++)
      await world.apply(tinySite({ release: `broken ${index}` }));
    const kept = await readRecords(world.cluster, TINY);
    expect(kept.map(({ revision }) => revision)).toEqual([
      1,
      ...Array.from({ length: 10 }, (_, index) => index + 4),
    ]);
    expect(
      world.cluster.store
        .all()
        .filter(({ metadata }) => metadata.name.startsWith('ccp-tiny-revision-2')),
    ).toEqual([]);
  });

  it('refuses records of another format with a hint', async () => {
    const world = await installed();
    world.cluster.edit(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: 'ccp-tiny-revision-1',
        namespace: TINY.namespace,
      },
      (object) => Object.assign(object, { data: { record: '{"format":2}' } }),
    );
    await expect(readRecords(world.cluster, TINY)).rejects.toThrow(
      'the ConfigMap ccp-tiny-revision-1 is not a revision record: it has format 2, this tool reads format 1',
    );
  });
});
