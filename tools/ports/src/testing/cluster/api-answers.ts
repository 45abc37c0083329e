import { codeOf, messageOf } from '#core';
import type { ApplyOutcome, InvalidCause, KindRef, ObjectRef } from '../../cluster.ts';

/** An HTTP status, and an object of the API to send with it. */
export interface Reply {
  readonly code: number;
  readonly body: object;
  readonly retryAfterSeconds?: number;
}

const CODES: Readonly<Record<string, readonly [number, string]>> = {
  'cluster-missing': [404, 'NotFound'],
  'cluster-kind-unknown': [404, 'NotFound'],
  'cluster-invalid': [422, 'Invalid'],
  'cluster-denied': [403, 'Forbidden'],
};

/** A `Status` that says no. */
export function refusal(code: number, reason: string, message: string, causes: readonly InvalidCause[] = []): Reply {
  return { code, body: { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', message, reason, details: { causes }, code } };
}

/** The answer to an error of the fake's. */
export function errorReply(thrown: unknown): Reply {
  const [code, reason] = CODES[codeOf(thrown) ?? ''] ?? [500, 'InternalError'];
  return refusal(code, reason, messageOf(thrown).replace(/^cannot [^:]*: /, ''));
}

/** The answer to a server-side apply. */
export function applyReply(result: ApplyOutcome, { apiVersion, kind, name }: KindRef & Pick<ObjectRef, 'name'>): Reply {
  switch (result.outcome) {
    case 'applied':
      return { code: 200, body: result.object };
    case 'conflict': {
      const causes = result.conflicts.map(({ manager, field }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${manager}" using ${apiVersion}`,
        field,
      }));
      return refusal(409, 'Conflict', `Apply failed with ${causes.length} conflicts`, causes);
    }
    case 'invalid':
      return refusal(422, 'Invalid', `${kind} "${name}" is invalid: ${result.message}`, result.causes);
    case 'stale':
      return staleReply(name);
  }
}

/** Answer 409: the object has changed since the version that the request names. */
export function staleReply(name: string): Reply {
  return refusal(409, 'Conflict', `Operation cannot be fulfilled on "${name}": the object has been modified`);
}

/** Answer 404; `what` as the API spells it (`pods "a"`). */
export function missingReply(what: string): Reply {
  return refusal(404, 'NotFound', `${what} not found`);
}
