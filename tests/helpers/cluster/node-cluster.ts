import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Digest } from '#core';
import { connectCluster } from '#engines';
import type { Cluster, LiveObject } from '#ports';
import { parseImageSet, type ImageSet } from '#release';
import { buildImages } from '../build-images.ts';
import { ccp, type CommandResult } from '../ccp.ts';
import { linkStore } from '../link-store.ts';
import { testWorkspace, type TestWorkspace } from '../workspace.ts';
import { machineLeftovers } from './machine-leftovers.ts';

/** The namespace of sites on this cluster, and that of their node agents. */
export const namespace = 'openstack';
const NAMESPACES = [namespace, `${namespace}-node`];

/**
 * A workspace with the repository's images and sites, and its cluster with one node, started by
 * `ccp up`.
 */
export interface NodeCluster {
  readonly workspace: TestWorkspace;
  /** Folder of the cluster. */
  readonly folder: string;
  readonly images: ImageSet;
  readonly cluster: Cluster;
  /** Result of `machineLeftovers` before the start. */
  readonly before: object;
  command(...args: readonly string[]): Promise<CommandResult>;
  /** Runs a command that must succeed; resolves with its stdout. */
  done(...args: readonly string[]): Promise<string>;
  digest(image: string): Digest;
  /** Pods of an app's permanent workloads. */
  podsOf(app: string): Promise<readonly LiveObject[]>;
  /**
   * Output of a container in a new pod that is not part of a site; `more` is added to the pod's
   * spec.
   */
  inPod(
    container: {
      readonly image: string;
      readonly command: readonly string[];
      readonly env?: readonly object[];
    },
    more?: object,
  ): Promise<string>;
  /** Names of all objects in both namespaces except events, as `Kind/name`. */
  left(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

const RESTRICTED = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ['ALL'] },
  runAsNonRoot: true,
  runAsUser: 42499,
  seccompProfile: { type: 'RuntimeDefault' },
};

async function inPod(cluster: Cluster, container: object, more: object): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Pod', name: `client-${randomUUID()}`, namespace };
  const { name } = ref;
  await cluster.apply(
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: {
        restartPolicy: 'Never',
        containers: [{ name: 'client', securityContext: RESTRICTED, ...container }],
        ...more,
      },
    },
    { fieldManager: 'test' },
  );
  for (const until = Date.now() + 180_000; ; await delay(500)) {
    const { phase } = ((await cluster.get(ref))?.['status'] ?? {}) as { readonly phase?: string };
    if (phase === 'Succeeded' || phase === 'Failed' || Date.now() > until) break;
  }
  const text = (await cluster.logs({ namespace, name })) ?? 'no output';
  await cluster.delete(ref);
  return text;
}

/** A command that prints the places (`HOST/PORT`) to which it can connect. */
export function tryPlaces(...places: readonly string[]): readonly string[] {
  return [
    'bash',
    '-c',
    `for place in ${places.join(' ')}; do { timeout 3 bash -c "exec 3<>/dev/tcp/$place" 2>/dev/null && echo $place; } & done; wait`,
  ];
}

/**
 * Builds images and starts a cluster for a site of the repository, or one that `write` adds to the
 * workspace. Needs root.
 */
export async function startNodeCluster(
  images: readonly string[],
  site: string,
  write: (workspace: TestWorkspace) => void = () => undefined,
  series = '2026.1',
): Promise<NodeCluster> {
  await buildImages(series, ...images);
  const workspace = testWorkspace();
  workspace.take('images', 'deploy-specs');
  linkStore(workspace.root);
  workspace.take('.ccp/sets');
  write(workspace);
  const imageSet = parseImageSet(
    readFileSync(join(workspace.root, '.ccp/sets', `${series}.json`), 'utf8'),
    'the image set',
  );
  const folder = join(workspace.root, '.ccp/cluster');
  const kubeconfig = join(folder, 'kubeconfig');
  const before = machineLeftovers(folder);
  const command = async (...args: readonly string[]): Promise<CommandResult> =>
    await ccp(workspace.root, args, { KUBECONFIG: kubeconfig });
  const done = async (...args: readonly string[]): Promise<string> => {
    const result = await command(...args);
    expect(result, `${result.stdout}\n${result.stderr}`).toMatchObject({ exitCode: 0 });
    return result.stdout;
  };
  const end = async (): Promise<void> => {
    await command('down');
    workspace.remove();
  };
  try {
    expect(await done('up', site, '--yes')).toContain(
      `a single-node cluster is running, prepared for: ${site}`,
    );
    const { cluster, close } = await connectCluster({ kubeconfig });
    return {
      workspace,
      folder,
      images: imageSet,
      cluster,
      before,
      command,
      done,
      digest: (image) => imageSet.images.find(({ name }) => name === image)!.digest,
      podsOf: async (app) => {
        const labelSelector = `app.kubernetes.io/instance=${app}`;
        const lists = await Promise.all(
          NAMESPACES.map((at) =>
            cluster.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace: at, labelSelector }),
          ),
        );
        const items = lists.flatMap((list) => list.items);
        return items.filter(
          ({ metadata }) =>
            metadata.deletionTimestamp === undefined &&
            metadata.ownerReferences?.some(({ kind }) => kind !== 'Job') === true,
        );
      },
      inPod: async (container, more = {}) => await inPod(cluster, container, more),
      left: async () => {
        const kinds = (await cluster.kinds()).filter(
          ({ namespaced, verbs, kind }) =>
            namespaced && verbs.includes('list') && !['Event', 'PodMetrics'].includes(kind),
        );
        const lists = await Promise.all(
          kinds.flatMap((kind) =>
            NAMESPACES.map(async (at) =>
              (await cluster.list(kind, { namespace: at })).items.map(
                ({ metadata }) => `${kind.kind}/${metadata.name}`,
              ),
            ),
          ),
        );
        return [...new Set(lists.flat())].sort();
      },
      stop: async () => {
        close();
        await end();
      },
    };
  } catch (thrown) {
    await end();
    throw thrown;
  }
}
