import type { RunningContainer } from '#ports';
import { openEngineSite, type EngineSite } from './engine-site.ts';
import { openPodNetwork } from './pod-network.ts';
import type { PodPlace } from './pod-runner.ts';

/** The three pods of an app's StatefulSet on the test's engine, each with its own network and data; none runs yet. */
export interface Replicas {
  readonly open: EngineSite;
  /** Where the pod of this ordinal runs. */
  place(ordinal: number): Partial<PodPlace>;
  /** The pod of this ordinal as it was started last. */
  node(ordinal: number): RunningContainer;
  /** Starts pods at once, each again with its own data; resolves when all are ready. */
  start(...ordinals: readonly number[]): Promise<void>;
  /** Has pods that start from now on be of another form of the site, whose Secrets are made. */
  become(apps: string, series?: string): Promise<void>;
  /** Stops pods at once as Kubernetes does; resolves when all have ended. */
  stop(...ordinals: readonly number[]): Promise<void>;
  /** Kills pods at once; resolves when all have ended. */
  kill(...ordinals: readonly number[]): Promise<void>;
  close(): Promise<void>;
}

/** `name` is that of the image and of the app, and of its StatefulSet where `workload` does not say otherwise; of the first of `series`. */
export async function openReplicas(name: string, workload = name, series?: readonly [string, ...string[]]): Promise<Replicas> {
  const statefulSetName = workload === name ? name : `${name}-${workload}`;
  const open = await openEngineSite([name], `{ ${name}: { replicas: { ${workload}: 3 } } }`, series);
  const network = await openPodNetwork(open.engine, open.objects, open.imageOf('openstack-base'), open.folder).catch(async (thrown: unknown) => {
    await open.close();
    throw thrown;
  });
  const nodes: RunningContainer[] = [];
  let statefulSet = open.object('StatefulSet', statefulSetName);
  const place = (ordinal: number): Partial<PodPlace> => network.place(statefulSet, ordinal);
  const end = async (signal: string, ordinals: readonly number[]): Promise<void> => {
    await Promise.all(ordinals.map(async (ordinal) => (await nodes[ordinal]!.signal(signal), await nodes[ordinal]!.wait())));
  };
  return {
    open,
    place,
    node: (ordinal) => nodes[ordinal]!,
    start: async (...ordinals) => {
      await Promise.all(ordinals.map(async (ordinal) => (nodes[ordinal] = await open.pods.start(statefulSet, place(ordinal)))));
    },
    become: async (apps, of) => {
      const { steps } = open.layOut(apps, of);
      for (const job of steps.find(({ id }) => id === 'secrets')!.objects) await open.pods.finish(job);
      statefulSet = steps.flatMap(({ objects }) => objects).find(({ kind, metadata }) => kind === 'StatefulSet' && metadata.name === statefulSetName)!;
    },
    stop: (...ordinals) => end('TERM', ordinals),
    kill: (...ordinals) => end('KILL', ordinals),
    close: async () => {
      await network.close();
      await open.close();
    },
  };
}
