import { rmSync } from 'node:fs';
import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from './engine-site.ts';
import { openPodNetwork } from './pod-network.ts';
import type { PodPlace } from './pod-runner.ts';

/**
 * The three pods of an app's StatefulSet on the test's engine, each with its own network and data;
 * initially stopped.
 */
export interface Replicas {
  readonly open: EngineSite;
  /** Place of the pod with this ordinal. */
  place(ordinal: number): Partial<PodPlace>;
  /** The last started container of the pod with this ordinal. */
  node(ordinal: number): RunningContainer;
  /** The folder in place of the pod's claim `data`. */
  claim(ordinal: number): string;
  /** Empties the claim of a stopped pod. */
  lose(ordinal: number): void;
  /** Starts pods together, with their existing data; resolves when all are ready. */
  start(...ordinals: readonly number[]): Promise<void>;
  /** Uses another version of the site, whose Secrets are created, for pods that start later. */
  become(apps: string, series?: string): Promise<void>;
  /** Stops pods together like Kubernetes; resolves when all have exited. */
  stop(...ordinals: readonly number[]): Promise<void>;
  /** Kills pods together; resolves when all have exited. */
  kill(...ordinals: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

/**
 * `name` is the name of the image and the app, and of its StatefulSet unless `workload` is set. The
 * site is of the first of `series`. `spare` is the number of places beyond the three pods.
 */
export async function openReplicas(
  name: string,
  workload = name,
  series?: readonly [string, ...string[]],
  spare = 0,
): Promise<Replicas> {
  const statefulSetName = workload === name ? name : `${name}-${workload}`;
  const open = await openEngineSite(
    [name],
    `{ ${name}: { replicas: { ${workload}: 3 } } }`,
    series,
  );
  const network = await openPodNetwork(
    open.engine,
    open.objects,
    open.imageOf('openstack-base'),
    open.folder,
    spare,
  ).catch(async (thrown: unknown) => {
    await open.close();
    throw thrown;
  });
  const nodes: RunningContainer[] = [];
  let statefulSet = open.object('StatefulSet', statefulSetName);
  const place = (ordinal: number): Partial<PodPlace> => network.place(statefulSet, ordinal);
  const claim = (ordinal: number): string =>
    open.pods.claimPath(`${statefulSetName}-${ordinal}`, 'data');
  const end = async (signal: string, ordinals: readonly number[]): Promise<void> => {
    await Promise.all(
      ordinals.map(
        async (ordinal) => (await nodes[ordinal]!.signal(signal), await nodes[ordinal]!.wait()),
      ),
    );
  };
  return {
    open,
    place,
    node: (ordinal) => nodes[ordinal]!,
    claim: (ordinal) => claim(ordinal),
    lose: (ordinal) => rmSync(claim(ordinal), { recursive: true }),
    start: async (...ordinals) => {
      await Promise.all(
        ordinals.map(
          async (ordinal) => (nodes[ordinal] = await open.pods.start(statefulSet, place(ordinal))),
        ),
      );
    },
    become: async (apps, of) => {
      const { steps } = open.layOut(apps, of);
      for (const job of steps.find(({ id }) => id === 'secrets')!.objects)
        await open.pods.finish(job);
      statefulSet = steps
        .flatMap(({ objects }) => objects)
        .find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === statefulSetName)!;
    },
    stop: (...ordinals) => end('TERM', ordinals),
    kill: (...ordinals) => end('KILL', ordinals),
    close: async () => {
      await network.close();
      await open.close();
    },
  };
}
