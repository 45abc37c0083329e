import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectCluster } from '#engines';
import type { Cluster } from '#ports';
import { buildPrograms } from './build-programs.ts';
import { makeAuthority, makeCertificate, makeKeyPair, writeKubeconfig } from './certificates.ts';
import { endOfLog, startProgram, type RunningProgram } from './child-process.ts';
import { apiServerArguments, controllersArguments, etcdArguments, kwokArguments, schedulerArguments, type ControlPlanePlaces } from './control-plane.ts';
import { freePorts } from './free-ports.ts';
import { makeNodes, stageFiles, writePodLogs } from './kwok-nodes.ts';

const READY_MS = 60_000;

export interface TestClusterOptions {
  /** Nodes that kwok plays. Without any, only etcd and the API server run: no controllers, no scheduler. */
  readonly nodes?: number;
  /** Minor version, as `1.35`; default: CCP_TEST_KUBERNETES, else the newest of KUBERNETES_MINORS. */
  readonly kubernetes?: string | undefined;
  /** Told what is being built; default: standard error. */
  readonly say?: (sentence: string) => void;
}

/** A Kubernetes control plane of its own on 127.0.0.1. */
export interface TestCluster {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly cluster: Cluster;
  /** Folder of logs and data; gone after `stop`. */
  readonly folder: string;
  /** Kills the API server and starts it again on the same data and port. */
  restartApiServer(): Promise<void>;
  /** Ends every program it started, and removes its folder. */
  stop(): Promise<void>;
}

/** Builds (once on a machine) and starts a real control plane; ready in seconds. Its programs die with this process. */
export async function startTestCluster({ nodes = 0, kubernetes = process.env['CCP_TEST_KUBERNETES'], say = (sentence) => void process.stderr.write(`${sentence}\n`) }: TestClusterOptions = {}): Promise<TestCluster> {
  const { programs, stages } = await buildPrograms(say, kubernetes);
  const folder = await mkdtemp(join(tmpdir(), 'ccp-cluster-'));
  const running: RunningProgram[] = [];
  const stop = async () => {
    await Promise.all(running.map(async (program) => await program.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const places = await placesIn(folder);
    const server = `https://127.0.0.1:${places.apiPort}`;
    const kubeconfig = await makeFiles(places, server);
    const start = (name: string, args: readonly string[]) => {
      const program = startProgram(name, programs[name] as string, args, join(folder, `${name}.log`));
      running.push(program);
      return program;
    };
    start('etcd', etcdArguments(places));
    const startApiServer = async () => await awaitReady(start('kube-apiserver', apiServerArguments(places)), kubeconfig);
    await startApiServer();
    const connected = await connectCluster({ kubeconfig });
    if (nodes > 0) {
      start('kube-controller-manager', controllersArguments(places, kubeconfig));
      start('kube-scheduler', schedulerArguments(places, kubeconfig));
      start('kwok', kwokArguments(places, kubeconfig, [...stageFiles(stages), await writePodLogs(folder)]));
      await makeNodes(connected.cluster, nodes);
    }
    return {
      kubeconfig,
      server,
      cluster: connected.cluster,
      folder,
      restartApiServer: async () => {
        const index = running.findIndex(({ name }) => name === 'kube-apiserver');
        await running.splice(index, 1)[0]?.kill();
        await startApiServer();
      },
      stop: async () => {
        connected.close();
        await stop();
      },
    };
  } catch (thrown) {
    await stop();
    throw thrown;
  }
}

async function placesIn(folder: string): Promise<ControlPlanePlaces> {
  const [etcdPort, etcdPeerPort, apiPort, controllersPort, schedulerPort, kubeletPort] = (await freePorts(6)) as [number, number, number, number, number, number];
  const [pki, data] = [join(folder, 'pki'), join(folder, 'data')];
  await Promise.all([pki, data].map(async (each) => await mkdir(each, { mode: 0o700 })));
  return { pki, data, etcdPort, etcdPeerPort, apiPort, controllersPort, schedulerPort, kubeletPort };
}

async function makeFiles({ pki }: ControlPlanePlaces, server: string): Promise<string> {
  await makeAuthority(pki);
  await Promise.all([
    makeKeyPair(pki, 'accounts'),
    makeCertificate(pki, { name: 'apiserver', subject: '/CN=kube-apiserver', use: 'serverAuth', names: ['DNS:kubernetes.default.svc', 'DNS:localhost', 'IP:127.0.0.1', 'IP:10.96.0.1'] }),
    makeCertificate(pki, { name: 'kubelet', subject: '/O=system:nodes/CN=system:node:kwok', use: 'serverAuth', names: ['IP:127.0.0.1'] }),
    makeCertificate(pki, { name: 'admin', subject: '/O=system:masters/CN=admin', use: 'clientAuth' }),
  ]);
  return await writeKubeconfig(pki, 'admin', server);
}

/** Controllers started before the API server is ready end for lack of the roles that it makes. */
async function awaitReady(program: RunningProgram, kubeconfig: string): Promise<void> {
  const { cluster, close } = await connectCluster({ kubeconfig, patience: { unknownMs: 0, knownMs: 0 } });
  try {
    for (const until = Date.now() + READY_MS; ; await delay(100)) {
      const isReady = await cluster.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'system:kube-scheduler' }).then((found) => found !== undefined, () => false);
      if (isReady) return;
      if (program.ended() !== undefined || Date.now() > until) throw new Error(`${program.name} is not ready: ${program.ended() ?? 'no answer'}\n${endOfLog(program)}`);
    }
  } finally {
    close();
  }
}
