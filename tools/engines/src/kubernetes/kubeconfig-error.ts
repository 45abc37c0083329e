import { CcpError } from '#core';

/** The error for a kubeconfig, or what it points to, that cannot be used. */
export function kubeconfigError(message: string, hint?: string, cause?: unknown): CcpError {
  return new CcpError({ code: 'cluster-config', message, ...(hint === undefined ? {} : { hint }), ...(cause === undefined ? {} : { cause }) });
}
