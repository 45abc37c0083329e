import { codeOf, messageOf } from '#core';
import type { ApplyOutcome, InvalidCause, KindRef, ObjectRef } from '../../cluster.ts';

/** A response: the HTTP status and an API object. */
export interface ApiReply {
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

/** A response with a `Status` of failure. */
export function failureReply(
  code: number,
  reason: string,
  message: string,
  causes: readonly InvalidCause[] = [],
): ApiReply {
  return {
    code,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      details: { causes },
      code,
    },
  };
}

/** The response for an error of the fake. */
export function errorReply(thrown: unknown): ApiReply {
  const [code, reason] = CODES[codeOf(thrown) ?? ''] ?? [500, 'InternalError'];
  return failureReply(code, reason, messageOf(thrown).replace(/^cannot [^:]*: /, ''));
}

/** The response to a server-side apply. */
export function applyReply(
  result: ApplyOutcome,
  { apiVersion, kind, name }: KindRef & Pick<ObjectRef, 'name'>,
): ApiReply {
  switch (result.outcome) {
    case 'applied':
      return { code: 200, body: result.object };
    case 'conflict': {
      const causes = result.conflicts.map(({ manager, field }) => ({
        reason: 'FieldManagerConflict',
        message: `conflict with "${manager}" using ${apiVersion}`,
        field,
      }));
      return failureReply(409, 'Conflict', `Apply failed with ${causes.length} conflicts`, causes);
    }
    case 'invalid':
      return failureReply(
        422,
        'Invalid',
        `${kind} "${name}" is invalid: ${result.message}`,
        result.causes,
      );
    case 'stale':
      return staleReply(name);
  }
}

/** Response 409: the object has changed since the version in the request. */
export function staleReply(name: string): ApiReply {
  return failureReply(
    409,
    'Conflict',
    `Operation cannot be fulfilled on "${name}": the object has been modified`,
  );
}

/** Response 404; `object` is in the API's form (`pods "a"`). */
export function missingReply(object: string): ApiReply {
  return failureReply(404, 'NotFound', `${object} not found`);
}
