import type { LiveObject, ObjectRef } from '#ports';
import { TINY, type TinySite, tinySite } from '#site/testing';
import { readRecords } from '../record/record-store.ts';
import { tinyWorld, type TinyWorld } from './tiny-world.ts';

/** A world with the site installed. Throws if it did not become good. */
export async function installed(site: TinySite = {}): Promise<TinyWorld> {
  const world = tinyWorld();
  const { state } = await world.apply(tinySite(site));
  if (state !== 'good') throw new Error(`the site is ${state}`);
  return world;
}

/** A reference to one of the site's workloads or Jobs. */
export function refTo(
  kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Job',
  name: string,
): ObjectRef {
  return {
    apiVersion: kind === 'Job' ? 'batch/v1' : 'apps/v1',
    kind,
    name,
    namespace: TINY.namespace,
  };
}

/** The first object of a kind whose name starts so. */
export function named(world: TinyWorld, kind: string, start: string): LiveObject {
  return world.cluster.store
    .all()
    .find((object) => object.kind === kind && object.metadata.name.startsWith(start))!;
}

/** Has the writer of base publish an annotation: the id of its data, or its newest migrations. */
export async function publish(
  world: TinyWorld,
  name: 'data' | 'schemas',
  value: string,
): Promise<void> {
  const metadata = {
    name: 'base-0',
    namespace: TINY.namespace,
    labels: { 'ccp.openstack.org/role': 'writer' },
    annotations: { [`ccp.openstack.org/${name}`]: value },
  };
  await world.cluster.apply(
    { apiVersion: 'v1', kind: 'Pod', metadata },
    { fieldManager: 'member', force: true },
  );
}

/** Lines without hashes of content. */
export function plain(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(/-[0-9a-f]{8,10}\b/g, '-#'));
}

/** `1 good`, `3 good back to 1`: each revision the cluster has. */
export async function revisions(world: TinyWorld): Promise<string[]> {
  return (await readRecords(world.cluster, TINY)).map(
    ({ revision, state, rollbackTo }) =>
      `${revision} ${state}${rollbackTo === undefined ? '' : ` back to ${rollbackTo}`}`,
  );
}

/** The objects written while `work` ran, without the lock's Lease. */
export async function writesOf(world: TinyWorld, work: () => Promise<unknown>): Promise<string[]> {
  const start = world.cluster.writes.length;
  await work();
  return world.cluster.writes.slice(start).filter((write) => !write.includes(' Lease '));
}

/** Resolves when the current run emits an event of this type. */
export async function waitForEvent(
  world: TinyWorld,
  is: (event: TinyWorld['events'][number]) => boolean,
): Promise<void> {
  while (!world.events.some(is)) await new Promise((resolve) => setImmediate(resolve));
}
