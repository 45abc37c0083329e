import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sha256 } from '#core';
import { openCache } from '../cache/open-cache.ts';
import { fetchFiles } from './fetch-files.ts';

it('trusts the certificates named in the environment, and names the variable for an untrusted one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const pair = '-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem';
  const named = '-days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', `req -x509 ${pair} ${named}`.split(' '), { cwd: folder, stdio: 'pipe' });
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (_, response) =>
    response.end('secure'),
  ).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  try {
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const mirrors = {
      debian: () => ({ debian: [url], 'debian-security': [] }),
      python: () => [],
      go: () => [],
      npm: () => [],
    };
    const file = {
      kind: 'debian',
      archive: 'debian',
      pool: 'a.deb',
      sha256: sha256('secure'),
      size: 6,
    } as const;
    const cache = openCache({ folder });
    await expect(fetchFiles(cache, [file], { mirrors, env: {} })).rejects.toMatchObject({
      code: 'mirror-unreachable',
      hint: 'set SSL_CERT_FILE to a file with the CA certificates of your proxy or mirror',
    });
    expect(
      await fetchFiles(cache, [file], { mirrors, env: { REQUESTS_CA_BUNDLE: cert } }),
    ).toMatchObject({ fetched: 1 });
  } finally {
    await new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    });
  }
});
