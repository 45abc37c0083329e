import type { ServerResponse } from 'node:http';

/** An error response of the distribution specification; `code` is one of its error codes. */
export class RegistryFault extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    code: string,
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'RegistryFault';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Sends a response with a JSON document. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}

/** Sends a fault in the specification's format, which clients print. */
export function sendFault(response: ServerResponse, fault: RegistryFault): void {
  const { status, code, message, headers } = fault;
  sendJson(response, status, { errors: [{ code, message }] }, headers);
}
