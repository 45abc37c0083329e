import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import { connectCluster } from '#engines';
import { lastLogLines, type RunningProgram } from '../running-program.ts';

const READY_MS = 60_000;

/**
 * Waits until an API server responds and has created its roles: controllers started earlier exit
 * because the roles are missing. Throws `cluster-failed` with its last log lines if it exits or is
 * not ready within a minute.
 */
export async function awaitApiServer(program: RunningProgram, kubeconfig: string): Promise<void> {
  const { cluster, close } = await connectCluster({
    kubeconfig,
    retry: { unknownMs: 0, knownMs: 0 },
  });
  try {
    for (const until = Date.now() + READY_MS; ; await delay(100)) {
      const isReady = await cluster
        .get({
          apiVersion: 'rbac.authorization.k8s.io/v1',
          kind: 'ClusterRoleBinding',
          name: 'system:kube-scheduler',
        })
        .then(
          (found) => found !== undefined,
          () => false,
        );
      if (isReady) return;
      if (program.exitReason() !== undefined || Date.now() > until) {
        throw new CcpError({
          code: 'cluster-failed',
          message: `${program.name} is not ready: ${program.exitReason() ?? `no response within ${READY_MS / 1000} s`}\n${lastLogLines(program)}`,
          hint: `read its log ${program.log}`,
        });
      }
    }
  } finally {
    close();
  }
}
