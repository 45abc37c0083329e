import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { connectCluster } from '#engines';
import { endOfLog, type RunningProgram } from '../running-program.ts';

const READY_MS = 60_000;

/**
 * Waits until an API server answers and has made its own roles: controllers that are started before end for lack of them.
 * Raises `cluster-failed` with the end of its log where it ends, or is not ready within a minute.
 */
export async function awaitApiServer(program: RunningProgram, kubeconfig: string): Promise<void> {
  const { cluster, close } = await connectCluster({ kubeconfig, patience: { unknownMs: 0, knownMs: 0 } });
  try {
    for (const until = Date.now() + READY_MS; ; await delay(100)) {
      const isReady = await cluster.get({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding', name: 'system:kube-scheduler' }).then(
        (found) => found !== undefined,
        () => false,
      );
      if (isReady) return;
      if (program.ended() !== undefined || Date.now() > until) {
        throw new CcpError({
          code: 'cluster-failed',
          message: `${program.name} is not ready: ${program.ended() ?? 'no answer'}\n${endOfLog(program)}`,
          hint: `its log is ${program.log}`,
        });
      }
    }
  } finally {
    close();
  }
}
