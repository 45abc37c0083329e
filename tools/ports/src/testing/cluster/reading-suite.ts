import { omitUndefined } from '#core';
import { describe, expect, it } from 'vitest';
import type { LiveObject, WatchEvent } from '../../cluster.ts';
import { suiteCluster, type ClusterUnderTest } from './suite-cluster.ts';

/** Conformance suite for reads by implementations of Cluster: lists, watches, events and logs. */
export function readingSuite(name: string, open: () => Promise<ClusterUnderTest>): void {
  describe(`${name} as a cluster, for reads`, () => {
    const { cluster, namespace, configMap, refTo, apply, create } = suiteCluster(open);

    it('lists by labels and fields in several pages', async () => {
      for (let index = 0; index < 12; index += 1)
        await create(
          configMap(
            `listed-${index}`,
            {},
            { labels: { set: 'listed', part: index % 2 === 0 ? 'even' : 'odd' } },
          ),
        );
      const names = async (selection: object) =>
        (
          await cluster().list({ apiVersion: 'v1', kind: 'ConfigMap' }, { namespace, ...selection })
        ).items.map(({ metadata }) => metadata.name);
      expect(await names({ labelSelector: 'set=listed' })).toHaveLength(12);
      expect(await names({ labelSelector: 'set=listed,part in (even)' })).toEqual([
        'listed-0',
        'listed-10',
        'listed-2',
        'listed-4',
        'listed-6',
        'listed-8',
      ]);
      expect(
        await names({ labelSelector: 'set=listed', fieldSelector: 'metadata.name=listed-3' }),
      ).toEqual(['listed-3']);
      const { items } = await cluster().list(
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { labelSelector: 'set=listed' },
      );
      expect(items[0]).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap' });
    });

    it('lists metadata only', async () => {
      await create(configMap('private', { a: 'secret' }, { labels: { set: 'private' } }));
      const { items } = await cluster().list(
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { namespace, labelSelector: 'set=private', metadataOnly: true },
      );
      expect(items).toMatchObject([
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'private', namespace } },
      ]);
      expect(items[0]).not.toHaveProperty('data');
    });

    it('watches existing objects, then each change, until it is stopped', async () => {
      const seen: string[] = [];
      const stop = new AbortController();
      const labels = { watch: 'yes' };
      await create(configMap('watched-1', {}, { labels }));
      const steps: (() => Promise<unknown>)[] = [
        () => apply(configMap('watched-2', { a: '1' }, { labels })),
        () => apply(configMap('watched-2', { a: '2' }, { labels })),
        () => apply(configMap('watched-2', { a: '2' }, { labels: { watch: 'no' } })),
        () =>
          cluster().delete({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'watched-1' }),
        async () => stop.abort(),
      ];
      for await (const event of cluster().watch(
        { apiVersion: 'v1', kind: 'ConfigMap' },
        { namespace, labelSelector: 'watch=yes', signal: stop.signal },
      )) {
        seen.push(eventText(event));
        await steps.shift()?.();
      }
      expect(seen).toEqual([
        'listed watched-1',
        'changed watched-2 {"a":"1"}',
        'changed watched-2 {"a":"2"}',
        'deleted watched-2',
        'deleted watched-1',
      ]);
    });

    it('returns the events of an object', async () => {
      const object = await create(configMap('eventful', {}));
      const event = (name: string, time: string, count: number, fieldPath?: string) =>
        create({
          apiVersion: 'v1',
          kind: 'Event',
          metadata: { name, namespace },
          type: 'Warning',
          reason: 'Broken',
          message: `it broke ${name}`,
          count,
          lastTimestamp: time,
          involvedObject: {
            ...refTo(object),
            uid: object.metadata.uid,
            ...omitUndefined({ fieldPath }),
          },
        });
      await event('later', '2026-01-02T00:00:00Z', 3, 'spec.containers{api}');
      await event('sooner', '2026-01-01T00:00:00Z', 1);
      expect(await cluster().events(refTo(object))).toEqual([
        {
          type: 'Warning',
          reason: 'Broken',
          message: 'it broke sooner',
          count: 1,
          lastSeen: '2026-01-01T00:00:00Z',
        },
        {
          type: 'Warning',
          reason: 'Broken',
          message: 'it broke later',
          count: 3,
          lastSeen: '2026-01-02T00:00:00Z',
          container: 'api',
        },
      ]);
      expect(await cluster().events({ ...refTo(object), name: 'absent' })).toEqual([]);
    });

    it('has no logs of a missing pod', async () => {
      expect(await cluster().logs({ namespace, name: 'absent' })).toBeUndefined();
    });
  });
}

function eventText(event: WatchEvent): string {
  if (event.type === 'listed')
    return `listed ${event.items.map(({ metadata }) => metadata.name).join(' ')}`;
  if (event.type === 'lost') return `lost ${event.error.code}`;
  const { metadata, data } = event.object as LiveObject & { readonly data?: object };
  return `${event.type} ${metadata.name}${event.type === 'changed' ? ` ${JSON.stringify(data)}` : ''}`;
}
