import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { request as plainRequest, type IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeAuthority, makeCertificate } from '#cluster';
import { digestOf } from '#core';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { renderSite } from '#deploy';
import type { KubernetesObject } from '#ports';
import { REPOSITORY } from '../support/ccp.ts';
import { acceptOf, endpointsOf, startBackend, type Backend, type Told } from './loopback-backend.ts';
import { startTestCluster, type TestCluster } from './start-test-cluster.ts';
import { CLASSES, startTraefik, type Controller } from './traefik.ts';

// The Ingresses of the site `cloud`, served by a controller that people use, to a backend in the place of all its pods. Traefik is two
// controllers that a site may meet: itself, and one that goes by the annotations of ingress-nginx, of which it knows those about https.
const cloud = readSite(REPOSITORY, 'cloud');
const HOSTS = { plain: 'identity.example.org', uploads: 'image.example.org', websockets: 'console.example.org' };
const KEY = 'dGhlIHNhbXBsZSBub25jZQ==';
const IMAGE = Buffer.alloc(64 * 1024 * 1024, 'image');
const SILENCE_MS = 3000;

let test: TestCluster;
let controller: Controller;
let backend: Backend;
let authority: string;

beforeAll(async () => {
  [test, backend] = await Promise.all([startTestCluster(), startBackend()]);
  await makeAuthority(test.folder);
  await makeCertificate(test.folder, { name: 'cloud', subject: '/CN=cloud', use: 'serverAuth', names: ['DNS:*.example.org'] });
  authority = readFileSync(join(test.folder, 'ca.crt'), 'utf8');
  for (const [name, controllerName] of Object.entries(CLASSES))
    await apply({ apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata: { name }, spec: { controller: controllerName } });
  controller = await startTraefik(test);
});
afterAll(async () => {
  await controller?.program.kill();
  await backend?.close();
  await test?.stop();
});

const apply = async (object: KubernetesObject): Promise<void> =>
  expect(await test.cluster.apply(object, { fieldManager: 'test' })).toMatchObject({ outcome: 'applied' });

/** Has the cluster hold the ways in of the site, by Ingresses of a class, with all that they lead to but pods. */
async function expose(className: string): Promise<void> {
  const appSpecs = readAppSpecs(REPOSITORY);
  const images = ['openstack-base', ...appSpecs.keys()].map((name) => ({ name, digest: digestOf(name) }));
  const objects = renderSite({
    site: { ...cloud, expose: { ingress: { class: className } }, tls: { secret: 'cloud-tls' } },
    appSpecs,
    imageSet: { series: cloud.series, images } as never,
  });
  const of = (...kinds: readonly string[]) => objects.filter(({ kind }) => kinds.includes(kind));
  const led = new Set(
    of('Ingress').flatMap((ingress) => [...JSON.stringify(ingress['spec']).matchAll(/"service":\{"name":"([^"]+)"/g)].map(([, name]) => name)),
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
  for (const object of [...of('Namespace'), secret, ...services, ...services.map((service) => endpointsOf(service, backend)), ...of('Ingress')])
    await apply(object);
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Asks the controller for a host, by https that trusts the site's authority alone, or by http. */
async function ask(host: string, path = '/', { body, http = false }: { readonly body?: Buffer; readonly http?: boolean } = {}): Promise<Answer> {
  const options = {
    host: '127.0.0.1',
    path,
    method: body === undefined ? 'GET' : 'POST',
    headers: { host, ...(body === undefined ? {} : { 'content-length': body.length }) },
    agent: false,
  } as const;
  return await new Promise((resolve, reject) => {
    const sent = http ? plainRequest({ ...options, port: controller.http }) : request({ ...options, port: controller.https, servername: host, ca: authority });
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
const told = async (...question: Parameters<typeof ask>): Promise<Told> => JSON.parse((await ask(...question)).text) as Told;

/** Asks for a websocket, and gives the stream behind it. */
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
    request({ host: '127.0.0.1', port: controller.https, servername: host, ca: authority, path: '/websockify?token=t', headers, agent: false })
      .on('error', reject)
      .on('response', ({ statusCode }) => reject(new Error(`it is answered with ${statusCode}`)))
      .on('upgrade', (answer, socket) =>
        answer.headers['sec-websocket-accept'] === acceptOf(KEY) ? resolve(socket) : reject(new Error('another key is accepted')),
      )
      .end();
  });
}

/** What is answered by http: ingress-nginx is told to send it to https, Traefik does so for its entry points alone. */
const BY_HTTP = { traefik: 404, nginx: 308 } as const satisfies Record<keyof typeof CLASSES, number>;

describe.each(Object.entries(BY_HTTP))('an Ingress controller of the class %s', (className, byHttp) => {
  it('takes up the Ingresses of the site', async () => {
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

  it('serves each host of the site with its certificate, and says that it was https', async () => {
    const hosts = Object.values(cloud.apps)
      .flatMap(({ hosts = {} }) => Object.values(hosts))
      .map((origin) => new URL(origin).host)
      .sort();
    expect(hosts).toHaveLength(6);
    expect(await Promise.all(hosts.map((host) => told(host, '/v3?a=b')))).toEqual(
      hosts.map((host) => expect.objectContaining({ host, scheme: 'https', path: '/v3?a=b' })),
    );
  });

  it('serves nothing by http', async () => {
    const { status, headers } = await ask(HOSTS.plain, '/v3?a=b', { http: true });
    expect([status, headers.location]).toEqual([byHttp, byHttp === 308 ? `https://${HOSTS.plain}/v3?a=b` : undefined]);
  });

  it('takes images of any size', async () => {
    expect(await told(HOSTS.uploads, '/v2/images/1/file', { body: IMAGE })).toMatchObject({
      size: IMAGE.length,
      sha256: createHash('sha256').update(IMAGE).digest('hex'),
    });
  });

  it('keeps the websocket of a console open while nothing moves', async () => {
    const socket = await upgrade(HOSTS.websockets);
    const echoed = async (bytes: Buffer): Promise<Buffer> => {
      const back = new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('close', () => reject(new Error('it was closed'))));
      socket.write(bytes);
      return await back;
    };
    const frame = Buffer.from([0x82, 0x83, 1, 2, 3, 4, 0x52, 0x44, 0x42]);
    expect(await echoed(frame)).toEqual(frame);
    await delay(SILENCE_MS);
    expect(await echoed(frame)).toEqual(frame);
    socket.destroy();
  });
});
