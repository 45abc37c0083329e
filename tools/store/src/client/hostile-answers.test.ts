import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { digestOf } from '#core';
import type { Registry } from '#ports';
import { connectRegistry } from './connect-registry.ts';

const digest = digestOf('x');
let requests = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown;
let registry: Registry;

beforeAll(async () => {
  const server = createServer((request, response) => {
    requests += 1;
    response.on('error', () => undefined);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  registry = connectRegistry({
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    slowMs: 300,
    sleep: async () => undefined,
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
  });
});
beforeEach(() => {
  requests = 0;
});

/** Answers each request with the same JSON, and a link to a next page if `next` is set. */
const json = (value: unknown, next?: string): void => {
  const text = JSON.stringify(value);
  answer = (_, response) =>
    response.writeHead(200, next === undefined ? {} : { Link: `<${next}>; rel="next"` }).end(text);
};
/** Sends a piece every 50 ms, without an end. */
const drip = (write: (response: ServerResponse) => unknown): void => {
  answer = (_, response) => {
    const timer = setInterval(() => write(response), 50);
    response.on('close', () => clearInterval(timer));
  };
};

describe('a registry that sends too much', () => {
  it.each<[string, () => void, RegExp]>([
    [
      'tags',
      () => json({ tags: Array.from({ length: 200_001 }, (_, index) => index.toString(36)) }),
      /: the list has more than 200000 tags$/,
    ],
    [
      'pages without new tags',
      () => json({ tags: ['a'] }, '/v2/a/tags/list'),
      /: a page that is not the last one has no new tags$/,
    ],
    [
      'tags that are not names',
      () => json({ tags: ['ok', '\u001b[2J\u202e'] }),
      /: "\\u001b\[2J\\u202e" is not a tag$/,
    ],
    ['a long tag', () => json({ tags: ['x'.repeat(4_000_000)] }), /: "x{199,200}"? is not a tag$/],
  ])('is refused for %s', async (_, prepare, message) => {
    prepare();
    await expect(registry.tags('a')).rejects.toMatchObject({
      code: 'registry-invalid',
      message: expect.stringMatching(message),
    });
    expect(requests).toBeLessThanOrEqual(2);
  });

  it('is refused for referrers', async () => {
    const manifests = Array.from({ length: 20_001 }, (_, index) => ({
      mediaType: 'a',
      digest: `sha256:${index.toString(16).padStart(64, '0')}`,
      size: 1,
    }));
    json({ manifests }, `/v2/a/referrers/${digest}`);
    await expect(registry.referrers('a', digest)).rejects.toThrow(
      /: the list has more than 20000 referrers$/,
    );
    expect(requests).toBe(1);
  });
});

describe('a descriptor of a referrer', () => {
  const valid = { mediaType: 'a', digest, size: 1 };
  it.each([
    null,
    { ...valid, size: -1 },
    { ...valid, artifactType: { a: 1 } },
    { ...valid, annotations: 5 },
    { ...valid, annotations: { a: 1 } },
    { ...valid, annotations: null },
  ])('is refused: %j', async (manifest) => {
    json({ manifests: [valid, manifest] });
    await expect(registry.referrers('a', digest)).rejects.toThrow(
      /: its "manifests" list has an invalid descriptor$/,
    );
  });
});

describe('a slow registry', () => {
  const readBlob = async (): Promise<void> => {
    const blob = { mediaType: 'x', digest, size: 1_000_000 };
    for await (const chunk of await registry.readBlob('a', blob)) expect(chunk).toBeDefined();
  };

  it.each<[string, () => void]>([
    ['no headers', () => (answer = () => undefined)],
    ['only early hints', () => drip((response) => response.writeEarlyHints({ link: '</x>' }))],
  ])('is given up after three attempts if it sends %s', async (_, prepare) => {
    prepare();
    await expect(registry.readManifest('a', 'x')).rejects.toMatchObject({
      code: 'registry-unreachable',
      message: `cannot connect to ${registry.host} to read manifest x of a: it sent no response within 0.3 s`,
    });
    expect(requests).toBe(3);
  });

  it('is given up if a body arrives byte by byte', async () => {
    drip((response) => response.write('x'));
    await expect(readBlob()).rejects.toMatchObject({
      code: 'registry-damaged',
      message: expect.stringMatching(/: fewer than 65536 bytes arrived in 0.3 s$/),
    });
    await expect(registry.readManifest('a', 'x')).rejects.toThrow(/0.3 s \(3 attempts\)$/);
  });

  it('is not blamed for a slow reader of its body', async () => {
    const bytes = Buffer.alloc(400_000, 'x');
    answer = (_, response) => response.end(bytes);
    let read = 0;
    const blob = { mediaType: 'x', digest: digestOf(bytes), size: bytes.length };
    for await (const chunk of await registry.readBlob('a', blob)) {
      read += chunk.length;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(read).toBe(bytes.length);
  });
});
