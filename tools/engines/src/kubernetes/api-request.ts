/** One request to an API server; `path` with its query, from the server's address on. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: object;
  /** Default `application/json`. */
  readonly contentType?: string;
  readonly accept?: string;
  /** A clause for messages: `apply Deployment web/x`. */
  readonly doing: string;
}

/** A whole answer; `text` is UTF-8. */
export interface ApiAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

/** `path` with a query; members without a value are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | number | boolean | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined && value !== '') given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
