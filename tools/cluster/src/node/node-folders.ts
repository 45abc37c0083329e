import { join } from 'node:path';

/** Where a cluster keeps what is its own: all of it in one folder. */
export interface NodeFolders {
  readonly root: string;
  /** What the cluster is made of, for the process that hosts it. */
  readonly plan: string;
  /** Which processes it is, and what was made on the machine. */
  readonly state: string;
  /** For whoever uses the cluster. */
  readonly kubeconfig: string;
  readonly pki: string;
  readonly config: string;
  /** What the process that hosts the cluster says, and a folder with a file for each program. */
  readonly log: string;
  readonly logs: string;
  /** Where the logs of a cluster are kept that did not start. */
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
