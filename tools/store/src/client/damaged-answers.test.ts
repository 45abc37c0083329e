import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Registry } from '#ports';
import { connectRegistry } from './connect-registry.ts';

const TYPE = 'application/vnd.oci.image.manifest.v1+json';
const manifest = Buffer.from('{"schemaVersion":2}');
const digest = digestOf(manifest);
const requests: string[] = [];
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let registry: Registry;

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests.push(request.url!);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  registry = connectRegistry({ host, sleep: async () => undefined });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
});
beforeEach(() => {
  requests.length = 0;
});

const cutOff = (response: ServerResponse): void => {
  response.writeHead(200, { 'Content-Length': String(manifest.length) });
  response.write('{', () => response.destroy());
};

it('reads a manifest again after a broken connection and after other bytes', async () => {
  const faults = [cutOff, (response: ServerResponse) => response.end('{"schemaVersion":3}')];
  answer = (_, response) => {
    const fault = faults.shift();
    if (fault !== undefined) return fault(response);
    return response.writeHead(200, { 'Content-Type': TYPE }).end(manifest);
  };
  const read = await registry.readManifest('a/b', digest);
  expect([read?.bytes.toString(), requests.length]).toEqual([manifest.toString(), 3]);
});

it('names a manifest that has other bytes each time', async () => {
  answer = (_, response) => response.end('{"schemaVersion":3}');
  await expect(registry.readManifest('a/b', digest)).rejects.toMatchObject({
    code: 'registry-damaged',
    message: `${registry.host} sent damaged content when asked to read manifest ${digest} of a/b: the response has the digest ${digestOf('{"schemaVersion":3}')} (3 attempts)`,
    hint: "publish the content again to replace it, or check the registry's storage",
  });
  expect(requests).toHaveLength(3);
});

it('names a fallback tag of referrers that always breaks, after as many attempts', async () => {
  answer = ({ url }, response) =>
    url!.includes('/referrers/') ? response.writeHead(404).end() : cutOff(response);
  await expect(registry.referrers('a/b', digest)).rejects.toThrow(/ \(3 attempts\)$/);
  expect(requests).toHaveLength(4);
});

const referrer = (name: string) => ({ mediaType: TYPE, digest: digestOf(name), size: 1 });

it('reads referrers of all pages', async () => {
  const pages = new Map([
    [`/v2/a/b/referrers/${digest}`, ['one', 'two']],
    [`/v2/a/b/referrers/${digest}?page=2`, ['two', 'three']],
  ]);
  answer = ({ url }, response) => {
    const isLast = url!.endsWith('2');
    const link = `</v2/a/b/referrers/${digest}?page=2>; rel="next"`;
    return response
      .writeHead(200, isLast ? {} : { Link: link })
      .end(JSON.stringify({ schemaVersion: 2, manifests: pages.get(url!)!.map(referrer) }));
  };
  expect(await registry.referrers('a/b', digest)).toEqual(['one', 'two', 'three'].map(referrer));
});

it('refuses endless pages of referrers', async () => {
  answer = (_, response) =>
    response
      .writeHead(200, { Link: '<?again>; rel="next"' })
      .end('{"schemaVersion":2,"manifests":[]}');
  await expect(registry.referrers('a/b', digest)).rejects.toMatchObject({
    code: 'registry-invalid',
    message: `${registry.host} sent an invalid response when asked to list referrers of ${digest} in a/b: the list has more than 100 pages`,
  });
});
