import type { FieldConflict, InvalidCause } from '#ports';
import type { ApiAnswer } from './api-request.ts';
import { plain, type ApiStatus } from './cluster-error.ts';

const MOST_CAUSES = 100;

/** What an answer that is no success says; answers that are no `Status` give their HTTP status and the start of their text. */
export function readStatus({ status: code, text, headers }: ApiAnswer): ApiStatus {
  const body = parsed(text);
  const details = (body['details'] ?? {}) as Record<string, unknown>;
  const causes = Array.isArray(details['causes']) ? details['causes'].slice(0, MOST_CAUSES).map(readCause) : [];
  const told = Number(headers['retry-after'] ?? details['retryAfterSeconds'] ?? Number.NaN);
  return {
    code,
    reason: textOf(body['reason']),
    message: textOf(body['message']) || plain(text.slice(0, 200)) || `HTTP ${code}`,
    causes,
    ...(Number.isFinite(told) && told >= 0 ? { retryAfterSeconds: told } : {}),
  };
}

/** The conflicts of a refused server-side apply; empty where it was refused for something else. */
export function readConflicts({ causes }: ApiStatus): readonly FieldConflict[] {
  return causes
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message, field }) => ({ manager: /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? message, field }));
}

/**
 * Why the server finds an applied object invalid; `undefined` where it was refused for something else. What does not fit the
 * kind's schema is answered as 500 with the finding in the text (kube-apiserver 1.36: `failed to create typed patch object`).
 */
export function readInvalid({ code, message, causes }: ApiStatus): readonly InvalidCause[] | undefined {
  if (code === 422) return causes;
  if (code !== 500 || !/^failed to (create typed patch object|convert new object)/.test(message)) return undefined;
  const [, field = '', finding = message] = /: \.(\S(?:[^:"]|"[^"]*")*): (.*)$/s.exec(message) ?? [];
  return [{ field, reason: 'FieldValueInvalid', message: plain(finding) }];
}

function readCause(cause: unknown): InvalidCause {
  const { field, reason, message } = (typeof cause === 'object' && cause !== null ? cause : {}) as Record<string, unknown>;
  return { field: textOf(field), reason: textOf(reason), message: plain(textOf(message)) };
}

function parsed(text: string): Record<string, unknown> {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null && (body as Record<string, unknown>)['kind'] === 'Status' ? (body as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
