import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { sha256 } from '#core';
import type { Cache } from '../cache/cache.ts';
import { openCache } from '../cache/open-cache.ts';
import { mirrorServer, type MirrorServer } from '../testing/mirror-server.ts';
import type { FetchReport } from './fetch.ts';
import { fetchFiles } from './fetch-files.ts';

const BODY = 'x'.repeat(1000);
let cache: Cache;
let mirror: MirrorServer;
afterEach(() => mirror.close());

/** Fetches one package from `mirror`. */
function fetchDeb(env: NodeJS.ProcessEnv = {}): Promise<FetchReport> {
  cache = openCache({ folder: mkdtempSync(join(tmpdir(), 'ccp-cache-')) });
  const urls = () => ({ debian: [mirror.url], 'debian-security': [] });
  return fetchFiles(
    cache,
    [
      {
        kind: 'debian',
        archive: 'debian',
        pool: 'pool/a.deb',
        sha256: sha256(BODY),
        size: BODY.length,
      },
    ],
    {
      mirrors: { debian: urls, python: () => [], go: () => [], npm: () => [] },
      retry: { attempts: 3, firstMs: 1 },
      env,
    },
  );
}

it('sends no request past an unusable proxy', async () => {
  mirror = await mirrorServer({ '/pool/a.deb': BODY });
  await expect(fetchDeb({ http_proxy: 'socks5://127.0.0.1:1' })).rejects.toThrow(
    expect.objectContaining({ code: 'proxy-invalid' }),
  );
  expect(mirror.requests).toEqual([]);
});

it.each([
  ['with its length', { 'content-length': 25 }],
  ['in chunks', {}],
])('does not retry a complete page received instead of the file, %s', async (_, headers) => {
  mirror = await mirrorServer(
    {},
    (_request, response) => (
      response
        .writeHead(200, { 'content-type': 'text/html', ...headers })
        .write('<html>log in here'),
      response.end('</html> '),
      true
    ),
  );
  await expect(fetchDeb()).rejects.toMatchObject({
    code: 'mirror-refused',
    message: `the mirror sent a different file for ${mirror.url}/pool/a.deb (text/html, 25 bytes): a.deb has ${BODY.length} bytes`,
  });
  expect([mirror.requests.length, readdirSync(cache.partialFolder)]).toEqual([1, []]);
});
