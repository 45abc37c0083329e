import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { messageOf } from '#core';
import { hooksOf, type HookFlags } from './call-hooks.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-hooks-'));
const key = join(folder, 'key');
writeFileSync(key, 'a key with enough bytes\n');
afterAll(() => rmSync(folder, { recursive: true }));

const call = async (flags: HookFlags): Promise<string> => {
  try {
    await hooksOf(flags)({
      ...{ application: 'cloud', version: '1', site: 'cloud', namespace: 'openstack' },
      identity: {
        authUrl: 'https://identity.example.org/v3',
        region: 'RegionOne',
        secret: { namespace: 'openstack', name: 'keystone-admin' },
      },
    });
    return 'called';
  } catch (thrown) {
    return messageOf(thrown);
  }
};

it('runs a command with JSON on its standard input', async () => {
  const file = join(folder, 'out');
  expect(await call({ hook: `cat > '${file}'` })).toBe('called');
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ format: 1, application: 'cloud' });
  expect(await call({ hook: 'true' })).toBe('called');
});

it('reports hooks that fail', async () => {
  expect(await call({ hook: 'exit 3' })).toBe('the hook command failed: exit code 3');
  const server = createServer((_, response) => void response.writeHead(403).end());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const flags = { webhook: `http://127.0.0.1:${port}/`, webhookKey: key };
  expect(await call(flags)).toBe('the webhook answered 403');
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  expect(await call(flags)).toMatch(/^the webhook failed: /);
});

it('refuses a webhook without a key, and a short key', async () => {
  const webhook = 'http://127.0.0.1:9/';
  expect(await call({ webhook })).toBe('--webhook and --webhook-key are used together');
  expect(await call({ webhookKey: key })).toBe('--webhook and --webhook-key are used together');
  const short = join(folder, 'short');
  writeFileSync(short, 'short\n');
  expect(await call({ webhook, webhookKey: short })).toBe(`${short} has fewer than 16 bytes`);
});
