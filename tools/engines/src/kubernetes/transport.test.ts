import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { Connection } from './connection.ts';
import { fixedCredentials } from './token-credentials.ts';
import { httpTransport, type TransportLimits } from './transport.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-transport-'));
const file = (name: string) => readFileSync(join(folder, name), 'utf8');
const selfSigned = (name: string, more: readonly string[]) =>
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.crt`,
      '-days',
      '2',
      '-subj',
      `/CN=${name}`,
      ...more,
    ],
    { cwd: folder, stdio: 'pipe' },
  );

const servers: Server[] = [];
const listen = async (server: Server): Promise<number> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};
let server = '';
const tunnels: string[] = [];
let proxyUrl = '';

beforeAll(async () => {
  selfSigned('server', ['-addext', 'subjectAltName=IP:127.0.0.1,DNS:api.example']);
  selfSigned('client', []);
  const port = await listen(
    createTlsServer(
      {
        key: file('server.key'),
        cert: file('server.crt'),
        ca: file('client.crt'),
        requestCert: true,
        rejectUnauthorized: false,
      },
      (request, response) => {
        const socket = request.socket as import('node:tls').TLSSocket;
        if (request.url === '/endless') {
          const more = () => response.write('x'.repeat(65_536));
          response.on('drain', more);
          while (more());
        } else if (request.url === '/stops') response.write('{');
        else if (request.url !== '/silent')
          response.end(
            JSON.stringify({
              who: socket.getPeerCertificate().subject?.CN,
              token: request.headers.authorization,
              user: request.headers['impersonate-user'],
            }),
          );
      },
    ) as Server,
  );
  server = `https://127.0.0.1:${port}`;
  const proxy = createServer();
  proxy.on('connect', ({ url = '' }, socket) => {
    tunnels.push(url);
    const [host, to] = url.split(':');
    const through = connect(Number(to), host, () => socket.write('HTTP/1.1 200 OK\r\n\r\n'));
    through.pipe(socket).on('error', () => through.destroy());
    socket.pipe(through).on('error', () => socket.destroy());
  });
  proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
});
afterAll(async () => {
  for (const each of servers) {
    each.closeAllConnections();
    await new Promise((resolve) => each.close(resolve));
  }
});

const limits: TransportLimits = { answerMs: 1000, idleMs: 1000, answerBytes: 1024 * 1024 };
const ask = async (
  more: Partial<Connection> = {},
  path = '/',
  credentials = {},
): Promise<unknown> => {
  const transport = httpTransport(
    {
      name: 'test',
      server,
      tls: { ca: file('server.crt') },
      credentials: fixedCredentials({}),
      ...more,
    },
    limits,
  );
  try {
    return JSON.parse(
      (await transport.send({ method: 'GET', path, doing: 'ask' }, credentials)).text,
    );
  } finally {
    transport.close();
  }
};

it('sends client certificate, token and impersonation headers', async () => {
  expect(await ask({}, '/', { certificate: file('client.crt'), key: file('client.key') })).toEqual({
    who: 'client',
  });
  expect(await ask({ impersonate: { user: 'jo', groups: [] } }, '/', { token: 'abc' })).toEqual({
    token: 'Bearer abc',
    user: 'jo',
  });
});

it('verifies the issuer and the name of a certificate', async () => {
  await expect(ask({ tls: {} })).rejects.toMatchObject({
    code: 'cluster-untrusted',
    message: `cannot ask: the certificate of ${server} is not trusted: self-signed certificate`,
    hint: 'set its certificate-authority in the kubeconfig; check the name and dates of the certificate',
  });
  await expect(
    ask({ tls: { ca: file('server.crt'), serverName: 'other.example' } }),
  ).rejects.toMatchObject({ code: 'cluster-untrusted' });
  expect(await ask({ tls: { ca: file('server.crt'), serverName: 'api.example' } })).toEqual({});
});

it('verifies certificates also with NODE_TLS_REJECT_UNAUTHORIZED=0', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
  try {
    await expect(ask({ tls: {} })).rejects.toMatchObject({ code: 'cluster-untrusted' });
  } finally {
    vi.unstubAllEnvs();
  }
});

it('opens a tunnel through a proxy', async () => {
  expect(await ask({ proxyUrl })).toEqual({});
  expect(tunnels).toEqual([server.replace('https://', '')]);
});

it('connects directly to subnets in NO_PROXY, and blames the proxy for its failures', async () => {
  const far = { server: 'https://192.0.2.1:6443' };
  try {
    vi.stubEnv('HTTPS_PROXY', 'http://127.0.0.1:1');
    vi.stubEnv('NO_PROXY', '198.51.100.0/24');
    await expect(ask(far)).rejects.toMatchObject({
      code: 'cluster-unreachable',
      message:
        'cannot ask: https://192.0.2.1:6443 does not respond: the proxy 127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1',
      hint: 'check the proxy (proxy-url in the kubeconfig, else HTTPS_PROXY), or add the server to NO_PROXY',
    });
    vi.stubEnv('NO_PROXY', '192.0.2.0/24');
    await expect(ask(far)).rejects.toMatchObject({ message: expect.not.stringContaining('proxy') });
  } finally {
    vi.unstubAllEnvs();
  }
});

it.each([
  ['/silent', 'cluster-unreachable', 'no response within 1 s'],
  ['/stops', 'cluster-unreachable', 'no data received for 1 s'],
  ['/endless', 'cluster-failed', 'the response is larger than 1 MiB'],
])('limits time and size of a response: %s', async (path, code, message) => {
  await expect(ask({}, path)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(message),
  });
});
