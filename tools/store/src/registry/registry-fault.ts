import type { ServerResponse } from 'node:http';

/** An answer of the distribution specification that is not success; `code` is one of its error codes. */
export class RegistryFault extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = 'RegistryFault';
    this.status = status;
    this.code = code;
  }
}

/** Sends a JSON document. */
export function sendJson(response: ServerResponse, status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
  const text = JSON.stringify(body);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text), ...headers });
  response.end(text);
}

/** Sends a fault in the form that clients show to people. */
export function sendFault(response: ServerResponse, fault: RegistryFault): void {
  sendJson(response, fault.status, { errors: [{ code: fault.code, message: fault.message }] });
}
