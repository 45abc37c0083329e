import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, createCertificate } from '#cluster';
import { digestOf } from '#core';
import { readAppSpecs, readSite } from '#definitions/deploy';
import type { KubernetesObject } from '#ports';
import { checkedObjects } from '#site/testing';
import { REPOSITORY } from '../helpers/ccp.ts';
import {
  websocketAccept,
  backendEndpoints,
  startBackend,
  type Backend,
  type ReceivedRequest,
} from '../helpers/cluster/loopback-backend.ts';
import { startTestCluster, type TestCluster } from '../helpers/cluster/start-test-cluster.ts';
import { CLASSES, startTraefik, type Controller } from '../helpers/cluster/traefik.ts';

// A widely used controller serves the Ingresses of the site `cloud`, with one backend in place of
// all pods. Traefik acts as two controllers: itself, and one that supports the https annotations of
// ingress-nginx.
const cloud = readSite(REPOSITORY, 'cloud');
const HOSTS = {
  plain: 'identity.example.org',
  uploads: 'image.example.org',
  websockets: 'console.example.org',
};
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const IMAGE = Buffer.alloc(64 * 1024 * 1024, 'image');
const SILENCE_MS = 3000;

let test: TestCluster;
let controller: Controller;
let backend: Backend;
let authority: string;

beforeAll(async () => {
  [test, backend] = await Promise.all([startTestCluster(), startBackend()]);
  await createAuthority(test.folder);
  await createCertificate(test.folder, {
    name: 'cloud',
    subject: '/CN=cloud',
    use: 'serverAuth',
    names: ['DNS:*.example.org'],
  });
  authority = readFileSync(join(test.folder, 'ca.crt'), 'utf8');
  for (const [name, controllerName] of Object.entries(CLASSES))
    await apply({
      apiVersion: 'networking.k8s.io/v1',
      kind: 'IngressClass',
      metadata: { name },
      spec: { controller: controllerName },
    });
  controller = await startTraefik(test);
});
afterAll(async () => {
  await controller?.program.kill();
  await backend?.close();
  await test?.stop();
});

const apply = async (object: KubernetesObject): Promise<void> =>
  expect(await test.cluster.apply(object, { fieldManager: 'test' })).toMatchObject({
    outcome: 'applied',
  });

/** Creates the site's Ingresses with this class and their Services, without pods. */
async function expose(className: string): Promise<void> {
  const appSpecs = readAppSpecs(REPOSITORY);
  const images = ['openstack-base', ...appSpecs.keys()].map((name) => ({
    name,
    digest: digestOf(name),
  }));
  const objects = checkedObjects({
    site: { ...cloud, expose: { ingress: { class: className } }, tls: { secret: 'cloud-tls' } },
    appSpecs,
    imageSet: { series: cloud.series, images } as never,
  });
  const of = (...kinds: readonly string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const led = new Set(
    of('Ingress').flatMap((ingress) =>
      [...JSON.stringify(ingress['spec']).matchAll(/"service":\{"name":"([^"]+)"/g)].map(
        ([, name]) => name,
      ),
    ),
  );
  const services = of('Service').filter(({ metadata }) => led.has(metadata.name));
  const pem = (file: string): string => readFileSync(join(test.folder, file)).toString('base64');
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: 'kubernetes.io/tls',
    metadata: { name: 'cloud-tls', namespace: cloud.namespace },
    data: { 'tls.crt': pem('cloud.crt'), 'tls.key': pem('cloud.key') },
  };
  for (const object of [
    ...of('Namespace'),
    secret,
    ...services,
    ...services.map((service) => backendEndpoints(service, backend)),
    ...of('Ingress'),
  ])
    await apply(object);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends a request for a host to the controller, by https that trusts only the site's authority, or
 * by http.
 */
async function ask(
  host: string,
  path = '/',
  { body, http = false }: { readonly body?: Buffer; readonly http?: boolean } = {},
): Promise<Answer> {
  const options = {
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { host, ...(body === undefined ? {} : { 'content-length': body.length }) },
    agent: false,
  } as const;
  return await new Promise((resolve, reject) => {
    const sent = http
      ? plainRequest({ ...options, port: controller.http })
      : request({ ...options, port: controller.https, servername: host, ca: authority });
    sent
      .on('error', reject)
      .on('response', (answer) => {
        let text = '';
        answer
          .setEncoding('utf8')
          .on('data', (more: string) => (text += more))
          .on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, text }))
          .on('error', reject);
      })
      .end(body);
  });
}
const received = async (...parameters: Parameters<typeof ask>): Promise<ReceivedRequest> =>
  JSON.parse((await ask(...parameters)).text) as ReceivedRequest;

/** Opens a websocket and resolves with its stream. */
async function upgrade(host: string): Promise<Duplex> {
  const headers = {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': KEY,
    'sec-websocket-protocol': 'binary',
  };
  return await new Promise((resolve, reject) => {
    request({
      host: '127.0.0.1',
      port: controller.https,
      servername: host,
      ca: authority,
      path: '/websockify?token=t',
      headers,
      agent: false,
    })
      .on('error', reject)
      .on('response', ({ statusCode }) =>
        reject(new Error(`the response has status ${statusCode}`)),
      )
      .on('upgrade', (answer, socket) =>
        answer.headers['sec-websocket-accept'] === websocketAccept(KEY)
          ? resolve(socket)
          : reject(new Error('the response accepts another key')),
      )
      .end();
  });
}

/**
 * Status of http requests: an annotation makes ingress-nginx redirect them; Traefik redirects only
 * per entry point.
 */
const BY_HTTP = { traefik: 404, nginx: 308 } as const satisfies Record<
  keyof typeof CLASSES,
  number
>;

describe.each(Object.entries(BY_HTTP))(
  'an Ingress controller of the class %s',
  (className, byHttp) => {
    it('serves the Ingresses of the site', async () => {
      await expose(className);
      const statuses = async () =>
        await Promise.all(
          [{ http: false }, { http: true }].map(
            async (way) =>
              await ask(HOSTS.plain, '/v3', way).then(
                ({ status }) => status,
                ({ message }: Error) => message,
              ),
          ),
        );
      await expect.poll(statuses, { timeout: 60_000 }).toEqual([200, byHttp]);
    });

    it('serves each host of the site with its certificate, and forwards the scheme https', async () => {
      const hosts = Object.values(cloud.apps)
        .flatMap(({ hosts = {} }) => Object.values(hosts))
        .map((origin) => new URL(origin).host)
        .sort();
      expect(hosts).toHaveLength(6);
      expect(await Promise.all(hosts.map((host) => received(host, '/v3?a=b')))).toEqual(
        hosts.map((host) => expect.objectContaining({ host, scheme: 'https', path: '/v3?a=b' })),
      );
    });

    it('serves nothing by http', async () => {
      const { status, headers } = await ask(HOSTS.plain, '/v3?a=b', { http: true });
      expect([status, headers.location]).toEqual([
        byHttp,
        byHttp === 308 ? `https://${HOSTS.plain}/v3?a=b` : undefined,
      ]);
    });

    it('accepts images of any size', async () => {
      expect(await received(HOSTS.uploads, '/v2/images/1/file', { body: IMAGE })).toMatchObject({
        size: IMAGE.length,
        sha256: createHash('sha256').update(IMAGE).digest('hex'),
      });
    });

    it('keeps an idle console websocket open', async () => {
      const socket = await upgrade(HOSTS.websockets);
      const echoed = async (bytes: Buffer): Promise<Buffer> => {
        const back = new Promise<Buffer>((resolve, reject) =>
          socket.once('data', resolve).once('close', () => reject(new Error('it was closed'))),
        );
        socket.write(bytes);
        return await back;
      };
      const frame = Buffer.from([0x82, 0x83, 1, 2, 3, 4, 0x52, 0x44, 0x42]);
      expect(await echoed(frame)).toEqual(frame);
      await delay(SILENCE_MS);
      expect(await echoed(frame)).toEqual(frame);
      socket.destroy();
    });
  },
);
