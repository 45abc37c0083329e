import { messageOf, registerSecret } from '#core';
import type { ApiCredentials, CredentialSource } from './connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { readPlainFile } from './read-plain-file.ts';

const KEPT_MS = 60_000;

/** Credentials that never change. */
export function fixedCredentials(credentials: ApiCredentials): CredentialSource {
  if (credentials.token !== undefined) registerSecret(credentials.token);
  return { get: async () => credentials };
}

/**
 * A token from a file that is replaced at times. Read every minute, and when the server rejects it.
 */
export function fileCredentials(
  path: string,
  proof: Omit<ApiCredentials, 'token'> = {},
): CredentialSource {
  let kept: { readonly credentials: ApiCredentials; readonly until: number } | undefined;
  return {
    get: async ({ refresh = false } = {}) => {
      if (kept !== undefined && !refresh && Date.now() < kept.until) return kept.credentials;
      const token = readToken(path).trim();
      registerSecret(token);
      kept = { credentials: { ...proof, token }, until: Date.now() + KEPT_MS };
      return kept.credentials;
    },
  };
}

function readToken(path: string): string {
  try {
    return readPlainFile(path);
  } catch (thrown) {
    throw kubeconfigError(`cannot read the token file: ${messageOf(thrown)}`, undefined, thrown);
  }
}
