import { CcpError, errorText } from '#core';

/**
 * Runs `work`. Nx prints only the message of an error, so positions and hints are added to the
 * message.
 */
export function withText<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw thrown instanceof CcpError ? new Error(errorText(thrown), { cause: thrown }) : thrown;
  }
}
