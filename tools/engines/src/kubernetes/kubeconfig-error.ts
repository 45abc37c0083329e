import { CcpError, omitUndefined } from '#core';

/** The error for an invalid kubeconfig or an invalid file that it refers to. */
export function kubeconfigError(message: string, hint?: string, cause?: unknown): CcpError {
  return new CcpError({
    code: 'cluster-config',
    message,
    ...omitUndefined({ hint }),
    ...omitUndefined({ cause }),
  });
}
