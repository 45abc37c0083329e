import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import {
  apiServerArguments,
  awaitApiServer,
  buildPrograms,
  controllersArguments,
  controlPlaneModules,
  etcdArguments,
  createPki,
  schedulerArguments,
  startProgram,
  writeKubeconfig,
  type ControlPlanePlaces,
  type RunningProgram,
} from '#cluster';
import { connectCluster } from '#engines';
import type { Cluster } from '#ports';
import { CLUSTER_CACHE } from './cluster-cache.ts';
import { freePorts } from './free-ports.ts';
import { kwokArguments, KWOK_MODULE } from './kwok.ts';
import { createNodes, stageFiles, writePodLogs } from './kwok-nodes.ts';
import { simulateSecretJob } from './simulate-secret-job.ts';

/**
 * A simulated node renews its lease once a minute: a thousand nodes must not overload the machine.
 */
const PATIENT = '--node-monitor-grace-period=300s';

export interface TestClusterOptions {
  /**
   * Number of simulated nodes. With 0, only etcd and the API server run, without controllers and
   * scheduler.
   */
  readonly nodes?: number;
  /**
   * Minor version such as `1.35`; default: CCP_TEST_KUBERNETES, else the newest of
   * KUBERNETES_MINORS.
   */
  readonly kubernetes?: string | undefined;
  /** Prints a sentence about the current build; default: to standard error. */
  readonly say?: (sentence: string) => void;
}

/** A Kubernetes control plane on 127.0.0.1. */
export interface TestCluster {
  /** Path of an administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly cluster: Cluster;
  /** Folder of logs and data; removed by `stop`. */
  readonly folder: string;
  /** Kills the API server and restarts it with the same data and port. */
  restartApiServer(): Promise<void>;
  /** Suspends the API server for this time: it keeps connections but does not respond. */
  pauseApiServer(milliseconds: number): Promise<void>;
  /** Stops all its programs and removes its folder. */
  stop(): Promise<void>;
}

/**
 * Builds (once per machine) and starts a real control plane within seconds. Its programs stop when
 * this process exits.
 */
export async function startTestCluster({
  nodes = 0,
  kubernetes = process.env['CCP_TEST_KUBERNETES'],
  say = (sentence) => void process.stderr.write(`${sentence}\n`),
}: TestClusterOptions = {}): Promise<TestCluster> {
  const programs = await buildPrograms([...controlPlaneModules(kubernetes), KWOK_MODULE], {
    cache: CLUSTER_CACHE,
    say,
  });
  const folder = await mkdtemp(join(tmpdir(), 'ccp-cluster-'));
  const running: RunningProgram[] = [];
  const ending = new AbortController();
  const stop = async () => {
    ending.abort();
    await Promise.all(running.map(async (program) => await program.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const places = await placesIn(folder);
    const kubeletPort = (await freePorts(1))[0] as number;
    const server = `https://127.0.0.1:${places.apiPort}`;
    await createPki(places, [
      {
        name: 'kubelet',
        subject: '/O=system:nodes/CN=system:node:kwok',
        use: 'serverAuth',
        names: ['IP:127.0.0.1'],
      },
    ]);
    const kubeconfig = await writeKubeconfig(places.pki, {
      user: 'admin',
      server,
      context: 'test',
    });
    const start = (name: string, args: readonly string[]) => {
      const program = startProgram(
        name,
        programs[name] as string,
        args,
        join(folder, `${name}.log`),
      );
      running.push(program);
      return program;
    };
    start('etcd', etcdArguments(places));
    const startApiServer = async () =>
      await awaitApiServer(start('kube-apiserver', apiServerArguments(places)), kubeconfig);
    await startApiServer();
    const connected = await connectCluster({ kubeconfig });
    if (nodes > 0) {
      start('kube-controller-manager', [...controllersArguments(places, kubeconfig), PATIENT]);
      start('kube-scheduler', schedulerArguments(places, kubeconfig));
      start(
        'kwok',
        kwokArguments(places.pki, kubeletPort, kubeconfig, [
          ...stageFiles(programs['stage'] as string),
          await writePodLogs(folder),
        ]),
      );
      await createNodes(connected.cluster, nodes);
      void simulateSecretJob(connected.cluster, ending.signal);
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
      pauseApiServer: async (milliseconds) => {
        const { pid } = running.find(({ name }) => name === 'kube-apiserver')!;
        process.kill(pid, 'SIGSTOP');
        await setTimeout(milliseconds).finally(() => process.kill(pid, 'SIGCONT'));
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
  const [etcdPort, etcdPeerPort, apiPort, controllersPort, schedulerPort] = (await freePorts(
    5,
  )) as [number, number, number, number, number];
  const [pki, data] = [join(folder, 'pki'), join(folder, 'data')];
  await mkdir(data, { mode: 0o700 });
  return {
    pki,
    data,
    address: '127.0.0.1',
    services: '10.96.0.0/16',
    withKubelets: false,
    etcdPort,
    etcdPeerPort,
    apiPort,
    controllersPort,
    schedulerPort,
  };
}
