import { join } from 'node:path';

/** Files and folders of a cluster. */
export interface NodeFolders {
  readonly root: string;
  /** `ClusterPlan` for the process that hosts the cluster. */
  readonly plan: string;
  /** `ClusterState`: its process and resources on the machine. */
  readonly state: string;
  /** Kubeconfig for users of the cluster. */
  readonly kubeconfig: string;
  readonly pki: string;
  readonly config: string;
  /** Log of the host process, and a folder with one log file per program. */
  readonly log: string;
  readonly logs: string;
  /** Logs of a cluster that failed to start. */
  readonly failed: string;
  readonly data: string;
  /** Persistent volumes. */
  readonly volumes: string;
}

/** The folders of the cluster in `root`, an absolute path. */
export function nodeFolders(root: string): NodeFolders {
  return {
    root,
    plan: join(root, 'plan.json'),
    state: join(root, 'state.json'),
    kubeconfig: join(root, 'kubeconfig'),
    pki: join(root, 'pki'),
    config: join(root, 'config'),
    log: join(root, 'cluster.log'),
    logs: join(root, 'logs'),
    failed: `${root}-failed`,
    data: join(root, 'data'),
    volumes: join(root, 'volumes'),
  };
}
