import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '#core';
import { connectCluster } from '#engines';
import { awaitApiServer } from '../control-plane/await-api-server.ts';
import { writeKubeconfig } from '../control-plane/certificates.ts';
import { createPki } from '../control-plane/create-pki.ts';
import {
  apiServerArguments,
  controllersArguments,
  etcdArguments,
  schedulerArguments,
  type ControlPlanePlaces,
} from '../control-plane/program-arguments.ts';
import { startProgram, type RunningProgram } from '../running-program.ts';
import { dnsArguments, kubeletArguments, proxyArguments } from './agents.ts';
import { writeContainerdConfig } from './containerd.ts';
import { enforcePolicies, preparePolicies } from './enforce-policies.ts';
import { provideFolderVolumes } from './folder-volumes.ts';
import { nodeFolders, type NodeFolders } from './node-folders.ts';
import { API_PORT, NODE_NAME, nodeNames, type NodeNames } from './node-names.ts';
import { importPauseImage } from './pause-image.ts';
import { prepareMounts, prepareNetwork } from './prepare-namespaces.ts';

/** Input for the process that hosts a cluster. */
export interface ClusterPlan {
  readonly folder: string;
  readonly slot: number;
  /** Absolute paths of programs by name. */
  readonly programs: Readonly<Record<string, string>>;
  /** Absolute path of the OCI layout with the images. */
  readonly store: string;
}

/** Address of the image registry in the cluster's network namespace. */
export const CLUSTER_REGISTRY = { host: '127.0.0.1', port: 5000 } as const;

const RESTART_MS = 1000;

/**
 * Hosts a cluster as process 1 of its own namespaces, which are removed when it exits. Starts every
 * program and restarts programs that exit. Resolves when all are started; restarts continue in the
 * background. `serveImages` serves the image store at REGISTRY.
 */
export async function hostCluster(
  { folder, slot, programs, store }: ClusterPlan,
  serveImages: (store: string) => Promise<unknown>,
): Promise<void> {
  const [folders, names] = [nodeFolders(folder), nodeNames(slot)];
  await Promise.all(
    [folders.config, folders.logs, folders.data, folders.volumes].map(
      async (each) => await mkdir(each, { recursive: true, mode: 0o711 }),
    ),
  );
  await prepareMounts(folders);
  await Promise.all([prepareNetwork(names), serveImages(store)]);
  await preparePolicies();
  const places = placesOf(folders, names);
  const server = `https://${names.node}:${API_PORT}`;
  await createPki(places, nodeCertificates(names));
  const kubeconfig = async (user: string) =>
    await writeKubeconfig(folders.pki, { user, server, context: 'ccp' });
  const [admin, kubelet, proxy] = [
    await kubeconfig('admin'),
    await kubeconfig('kubelet'),
    await kubeconfig('kube-proxy'),
  ];
  const keep = (name: string, args: readonly string[]): RunningProgram =>
    keepRunning(name, programs[name] ?? name, args, folders.logs);

  keep('etcd', etcdArguments(places));
  const apiServer = keep('kube-apiserver', apiServerArguments(places));
  keep('containerd', [
    '--config',
    await writeContainerdConfig(
      folders,
      names,
      `${CLUSTER_REGISTRY.host}:${CLUSTER_REGISTRY.port}`,
    ),
  ]);
  await Promise.all([
    awaitApiServer(apiServer, admin),
    importPauseImage(programs['pause'] as string, folders.data),
  ]);
  const { cluster } = await connectCluster({ kubeconfig: admin });
  void keepWorking('policies', async (signal) => await enforcePolicies(cluster, signal));
  void keepWorking(
    'volumes',
    async (signal) => await provideFolderVolumes(cluster, folders.volumes, signal),
  );
  keep('kube-controller-manager', controllersArguments(places, admin));
  keep('kube-scheduler', schedulerArguments(places, admin));
  keep('dns', await dnsArguments(folders, names, admin));
  keep('kube-proxy', await proxyArguments(folders, names, proxy));
  keep('kubelet', await kubeletArguments(folders, names, kubelet));
  await writeKubeconfig(folders.pki, {
    user: 'admin',
    server,
    context: 'ccp',
    path: folders.kubeconfig,
  });
}

function placesOf({ pki, data }: NodeFolders, { node, services }: NodeNames): ControlPlanePlaces {
  return {
    pki,
    data,
    address: node,
    services,
    withKubelets: true,
    etcdPort: 2379,
    etcdPeerPort: 2380,
    apiPort: API_PORT,
    controllersPort: 10257,
    schedulerPort: 10259,
  };
}

function nodeCertificates({ node }: NodeNames): Parameters<typeof createPki>[1] {
  return [
    {
      name: 'kubelet-server',
      subject: `/O=system:nodes/CN=system:node:${NODE_NAME}`,
      use: 'serverAuth',
      names: [`DNS:${NODE_NAME}`, `IP:${node}`],
    },
    { name: 'kubelet', subject: `/O=system:nodes/CN=system:node:${NODE_NAME}`, use: 'clientAuth' },
    { name: 'kube-proxy', subject: '/CN=system:kube-proxy', use: 'clientAuth' },
  ];
}

/** Starts a program, and restarts it a second after each exit. */
function keepRunning(
  name: string,
  path: string,
  args: readonly string[],
  logs: string,
): RunningProgram {
  const start = (): RunningProgram => startProgram(name, path, args, join(logs, `${name}.log`));
  const first = start();
  void (async () => {
    for (let running = first; ; running = start()) {
      process.stderr.write(`${name}: ${await running.exited}\n`);
      await delay(RESTART_MS);
    }
  })();
  return first;
}

/** Runs `work`, which returns only on an error, and repeats it a second after each error. */
async function keepWorking(
  name: string,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<never> {
  for (;;) {
    const attempt = new AbortController();
    await work(attempt.signal).catch(
      (thrown: unknown) => void process.stderr.write(`${name}: ${messageOf(thrown)}\n`),
    );
    attempt.abort();
    await delay(RESTART_MS);
  }
}
