import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Descriptor, Registry } from '#ports';
import { connectRegistry } from './connect-registry.ts';

const LAYER = 'application/vnd.oci.image.layer.v1.tar+gzip';
const CONFIG = 'application/vnd.oci.image.config.v1+json';
const blob = Buffer.from('some bytes of a blob');
const digest = digestOf(blob);
let requests = 0;
let answer: (response: ServerResponse) => unknown;
let registry: Registry;

beforeAll(async () => {
  const server = createServer((_, response) => {
    requests += 1;
    answer(response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  registry = connectRegistry({ host: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
});
beforeEach(() => {
  requests = 0;
});

const read = async (changes: Partial<Descriptor> = {}): Promise<string> => {
  const wanted = { mediaType: LAYER, digest, size: blob.length, ...changes };
  const chunks: Uint8Array[] = [];
  for await (const chunk of await registry.readBlob('a/b', wanted)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
const refusal = (reason: string) => ({
  code: 'registry-invalid',
  message: `${registry.host} sent an invalid response when asked to read blob ${digest} of a/b: ${reason}`,
});
const damage = (reason: string) => ({
  code: 'registry-damaged',
  message: `${registry.host} sent damaged content when asked to read blob ${digest} of a/b: ${reason}`,
});

it('reads the bytes of a descriptor', async () => {
  answer = (response) => response.end(blob);
  expect(await read()).toBe(blob.toString());
});

it.each([
  ['short', 'x', damage, `the response has 1 bytes instead of ${blob.length}`],
  [
    'long',
    'x'.repeat(blob.length + 1),
    refusal,
    `the response is longer than ${blob.length} bytes`,
  ],
  [
    'wrong',
    'x'.repeat(blob.length),
    damage,
    `the response has the digest ${digestOf('x'.repeat(blob.length))}`,
  ],
])('refuses a %s blob', async (_, text, error, reason) => {
  answer = (response) => response.end(text);
  await expect(read()).rejects.toMatchObject(error(reason));
});

it('names a blob whose connection breaks', async () => {
  answer = (response) => {
    response.writeHead(200, { 'Content-Length': String(blob.length) });
    response.write('some', () => response.destroy());
  };
  await expect(read()).rejects.toMatchObject({
    code: 'registry-damaged',
    message: expect.stringMatching(
      new RegExp(`when asked to read blob ${digest} of a/b: the connection broke: `),
    ),
  });
});

it('stops reading an endless blob', async () => {
  const piece = Buffer.alloc(1 << 16);
  const closed = Promise.withResolvers<void>();
  answer = (response) => {
    const send = (): void => {
      while (!response.destroyed && response.write(piece));
    };
    response.on('drain', send).on('close', closed.resolve);
    send();
  };
  await expect(read()).rejects.toMatchObject(
    refusal(`the response is longer than ${blob.length} bytes`),
  );
  await closed.promise;
});

it.each([
  [LAYER, 2 ** 36 + 1, 'has 68719476737 bytes, more than the limit of 68719476736 for an archive'],
  [
    CONFIG,
    2 ** 26 + 1,
    `has 67108865 bytes, more than the limit of 67108864 for a blob of type ${CONFIG}`,
  ],
  [LAYER, -1, 'has the invalid size -1'],
])('refuses a descriptor of type %s with %d bytes', async (mediaType, size, reason) => {
  await expect(read({ mediaType, size })).rejects.toMatchObject(
    refusal(`its descriptor ${reason}`),
  );
  expect(requests).toBe(0);
});
