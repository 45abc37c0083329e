import { request } from 'node:http';
import type { RegistryLogin } from '#ports';

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** The value of an Authorization header. */
export function basicAuthorization({ user, password }: RegistryLogin): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

/** Sends a request to `HOST:PORT` with an unmodified path; `fetch` would normalise it. */
export function rawRequest(
  address: string,
  method: string,
  path: string,
  { body = '', headers = {} }: { body?: string; headers?: Readonly<Record<string, string>> } = {},
): Promise<RawAnswer> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const call = request({ host, port, method, path, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('error', reject);
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    call.on('error', reject).end(body);
  });
}
