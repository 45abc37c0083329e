import type { Cluster, PodExec } from '#ports';
import { RETRY_LIMITS, retryingServer, type RetryLimits } from './retrying-server.ts';
import type { Connection } from './connection.ts';
import { kubeconfigConnection } from './kubeconfig-connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { kubeconfigFiles, readKubeconfig } from './read-kubeconfig.ts';
import { serviceAccountConnection } from './service-account.ts';
import { httpTransport, TRANSPORT_LIMITS } from './transport.ts';
import { podExec } from './pod-exec.ts';
import { kubernetesCluster } from './kubernetes-cluster.ts';
import { WATCH_LIMITS, type WatchLimits } from './watch-objects.ts';

export interface ConnectClusterOptions {
  /**
   * Kubeconfig file. Default: the files in KUBECONFIG, `~/.kube/config`, the pod's service account.
   */
  readonly kubeconfig?: string;
  /** Default: the kubeconfig's current context. */
  readonly context?: string;
  /** Ends every call (with `cancelled`) and every watch. */
  readonly signal?: AbortSignal;
  /** Objects per page of a list; default 500. */
  readonly pageSize?: number;
  readonly retry?: Partial<RetryLimits>;
  readonly watchLimits?: Partial<WatchLimits>;
}

/** A cluster and the connection to it. No request is sent before the first call. */
export interface ConnectedCluster {
  readonly cluster: Cluster;
  readonly exec: PodExec;
  /** Namespace of the context. */
  readonly namespace: string | undefined;
  /** Closes idle connections. They do not keep a process running. */
  close(): void;
}

/**
 * Connects to the cluster of a kubeconfig's context. Throws `cluster-config`; for calls see
 * `Cluster`.
 */
export async function connectCluster(
  options: ConnectClusterOptions = {},
): Promise<ConnectedCluster> {
  const connection = await connectionOf(options);
  const transport = httpTransport(connection, TRANSPORT_LIMITS);
  const server = retryingServer(
    transport,
    connection.credentials,
    { ...RETRY_LIMITS, ...options.retry },
    options.signal,
  );
  return {
    cluster: kubernetesCluster(connection.name, server, {
      pageSize: options.pageSize ?? 500,
      watch: { ...WATCH_LIMITS, ...options.watchLimits },
    }),
    exec: podExec(server),
    namespace: connection.namespace,
    close: () => transport.close(),
  };
}

async function connectionOf({ kubeconfig, context }: ConnectClusterOptions): Promise<Connection> {
  const files = kubeconfig === undefined ? kubeconfigFiles(process.env) : [kubeconfig];
  const config = await readKubeconfig(files);
  if (config !== undefined)
    return kubeconfigConnection(config, context === undefined ? {} : { context });
  const inCluster =
    kubeconfig === undefined && context === undefined
      ? serviceAccountConnection(process.env)
      : undefined;
  if (inCluster !== undefined) return inCluster;
  throw kubeconfigError(
    `kubeconfig not found: ${files.join(', ')}`,
    kubeconfig === undefined
      ? 'set KUBECONFIG to the path of a kubeconfig file, or name one with --kubeconfig'
      : 'check the path after --kubeconfig',
  );
}
