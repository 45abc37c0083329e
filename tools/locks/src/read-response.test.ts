import { describe, expect, it } from 'vitest';
import { openNpmResolver } from './npm/npm-resolver.ts';
import { openPythonIndex } from './python/index-client.ts';

/** A response without an end. */
const endless = (): Response =>
  new Response(
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(8 << 20)) }),
  );
const downgraded = (): Response =>
  Object.defineProperty(new Response('{"files":[]}'), 'url', { value: 'http://r.test/x' });
const packages = [{ path: 'node_modules/a', name: 'a', version: '1.0.0' }];

describe.each([
  ['without an end', endless, / is longer than \d+ bytes$/],
  ['that was redirected to plain HTTP', downgraded, / was redirected from HTTPS to plain HTTP$/],
])('a response %s', (_, answer, message) => {
  const fetch = async (): Promise<Response> => answer();

  it('of an npm registry is refused', async () => {
    const resolver = openNpmResolver({ registries: () => ['https://r.test/'], fetch });
    await expect(resolver.resolve({ packages, keep: [] })).rejects.toMatchObject({
      code: 'npm-unreachable',
      message: expect.stringMatching(message),
    });
  });

  it('of a Python index is refused', async () => {
    const index = openPythonIndex({ urls: () => ['https://r.test/simple/'], fetch });
    await expect(index.files('a')).rejects.toMatchObject({
      code: 'python-index-failed',
      message: expect.stringMatching(message),
    });
  });
});

it('is read from the next npm registry after a refused one', async () => {
  const resolver = openNpmResolver({
    registries: () => ['https://bad.test/', 'https://good.test/'],
    fetch: async (url) => (url.startsWith('https://bad') ? downgraded() : new Response('body')),
  });
  expect(await resolver.resolve({ packages, keep: [] })).toMatchObject([{ size: 4 }]);
});
