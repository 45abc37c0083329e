import { codeOf } from '#core';

const TRANSIENT: ReadonlySet<unknown> = new Set([
  'cluster-unreachable',
  'cluster-busy',
  'cluster-failed',
  'registry-unreachable',
  'registry-failed',
  'cancelled',
  'deploy-lock-lost',
  'deploy-lock-silent',
]);

/** Whether a retry may help without a change by a person: a server did not answer. */
export function isTransient(thrown: unknown): boolean {
  return TRANSIENT.has(codeOf(thrown));
}
