import type { FieldConflict, InvalidCause } from '#ports';
import type { ApiResponse } from './api-request.ts';
import { cleanMessage, type ApiStatus } from './cluster-error.ts';

const MOST_CAUSES = 100;

/**
 * The `Status` of a failed request. For other responses: the HTTP status and the start of the text.
 */
export function readStatus({ status: code, text, headers }: ApiResponse): ApiStatus {
  const body = parsed(text);
  const details = (body['details'] ?? {}) as Record<string, unknown>;
  const causes = Array.isArray(details['causes'])
    ? details['causes'].slice(0, MOST_CAUSES).map(readCause)
    : [];
  const retryAfter = Number(headers['retry-after'] ?? details['retryAfterSeconds'] ?? Number.NaN);
  return {
    code,
    reason: textOf(body['reason']),
    message: textOf(body['message']) || cleanMessage(text.slice(0, 200)) || `HTTP ${code}`,
    causes,
    ...(Number.isFinite(retryAfter) && retryAfter >= 0 ? { retryAfterSeconds: retryAfter } : {}),
  };
}

/** The field ownership conflicts of a rejected server-side apply; empty for other rejections. */
export function readConflicts({ causes }: ApiStatus): readonly FieldConflict[] {
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message, field }) => ({
      manager: /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message,
      field,
    }));
}

/**
 * Why an applied object is invalid; `undefined` for other rejections. If the object does not match
 * its kind's schema, the status is 500 and the cause is in the text (kube-apiserver 1.36: `failed
 * to create typed patch object`).
 */
export function readInvalid({
  code,
  message,
  causes,
}: ApiStatus): readonly InvalidCause[] | undefined {
  if (code === 422) return causes;
  if (code !== 500 || !/^failed to (create typed patch object|convert new object)/.test(message))
    return undefined;
  const [, field = '', finding = message] =
    /: \.(\S(?:[^:"]|"[^"]*")*): (.*)$/s.exec(message) ?? [];
  return [{ field, reason: 'FieldValueInvalid', message: cleanMessage(finding) }];
}

function readCause(cause: unknown): InvalidCause {
  const { field, reason, message } = (
    typeof cause === 'object' && cause !== null ? cause : {}
  ) as Record<string, unknown>;
  return { field: textOf(field), reason: textOf(reason), message: cleanMessage(textOf(message)) };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' &&
      body !== null &&
      (body as Record<string, unknown>)['kind'] === 'Status'
      ? (body as Record<string, unknown>)
      : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
