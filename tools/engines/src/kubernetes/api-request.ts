/**
 * One request to an API server. `path` includes the query and is relative to the server's address.
 */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  /** Text after "cannot" in messages: `apply Deployment web/x`. */
  readonly doing: string;
}

/** A complete response; `text` is UTF-8. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** `path` with a query; members with an undefined or empty value are omitted. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  return parameters.size === 0 ? path : `${path}?${parameters.toString()}`;
}
