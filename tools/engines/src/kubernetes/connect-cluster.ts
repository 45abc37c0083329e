import type { Cluster } from '#ports';
import { PATIENCE, patientServer, type Patience } from './ask-server.ts';
import type { Connection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig-connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { kubeconfigFiles, readKubeconfig } from './read-kubeconfig.ts';
import { serviceAccountConnection } from './service-account.ts';
import { httpTransport, TRANSPORT_LIMITS } from './transport.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { WATCH_LIMITS, type WatchLimits } from './watch-objects.ts';

export interface ConnectClusterOptions {
  /** A kubeconfig file; default: those of KUBECONFIG, `~/.kube/config`, and in a pod without any, its service account. */
  readonly kubeconfig?: string;
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  /** Ends every call (with `cancelled`) and every watch. */
  readonly signal?: AbortSignal;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
  readonly patience?: Partial<Patience>;
  readonly watchLimits?: Partial<WatchLimits>;
}

/** A cluster and the connection to it; nothing is asked before the first call. */
export interface ConnectedCluster {
  readonly cluster: Cluster;
  /** Of the context, where it names one. */
  readonly namespace: string | undefined;
  /** Closes connections that are kept; a process ends without it. */
  close(): void;
}

/** Connects to the cluster of a kubeconfig's context. Raises `cluster-config`; see `Cluster` for what calls raise. */
export async function connectCluster(options: ConnectClusterOptions = {}): Promise<ConnectedCluster> {
  const connection = await connectionOf(options);
  const transport = httpTransport(connection, TRANSPORT_LIMITS);
  const server = patientServer(transport, connection.credentials, { ...PATIENCE, ...options.patience }, options.signal);
  return {
    cluster: kubernetesCluster(connection.name, server, { pageSize: options.pageSize ?? 500, watch: { ...WATCH_LIMITS, ...options.watchLimits } }),
    namespace: connection.namespace,
    close: () => transport.close(),
  };
}

async function connectionOf({ kubeconfig, context }: ConnectClusterOptions): Promise<Connection> {
  const files = kubeconfig === undefined ? kubeconfigFiles(process.env) : [kubeconfig];
  const config = await readKubeconfig(files);
  if (config !== undefined) return kubeconfigConnection(config, context === undefined ? {} : { context });
  const inside = kubeconfig === undefined && context === undefined ? serviceAccountConnection(process.env) : undefined;
  if (inside !== undefined) return inside;
  throw kubeconfigError(`there is no kubeconfig: ${files.join(', ')} ${files.length === 1 ? 'does' : 'do'} not exist`, 'name one with KUBECONFIG');
}
