import { messageOf, registerSecret } from '#core';
import type { Credentials, CredentialSource } from './connection.ts';
import { kubeconfigError } from './kubeconfig-error.ts';
import { readPlainFile } from './read-plain-file.ts';

const KEPT_MS = 60_000;

/** Credentials that stay what they are. */
export function fixedCredentials(credentials: Credentials): CredentialSource {
  if (credentials.token !== undefined) registerSecret(credentials.token);
  return { get: async () => credentials };
}

/** A token from a file that is written anew from time to time; read again each minute, and when the server refuses it. */
export function fileCredentials(path: string, proof: Omit<Credentials, 'token'> = {}): CredentialSource {
  let kept: { readonly credentials: Credentials; readonly until: number } | undefined;
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
