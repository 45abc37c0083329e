import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openGitSources } from './git-sources.ts';

it("ends git's programs while a server is silent", async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ccp-mirrors-'));
  const silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/x`;
  const sources = openGitSources({ folder, env: { ...process.env, no_proxy: '127.0.0.1' } });
  for (const work of [
    (signal: AbortSignal) => sources.resolve(url, 'main', signal).catch(({ code }) => code),
    (signal: AbortSignal) => sources.reachable(url, 60_000, signal),
  ]) {
    const cancel = new AbortController();
    const result = work(cancel.signal);
    const [socket] = (await once(silent, 'connection')) as [Socket];
    const start = performance.now();
    cancel.abort();
    expect(['cancelled', false]).toContain(await result);
    // git's program for HTTP has ended too.
    if (!socket.closed) await once(socket, 'close');
    expect(performance.now() - start).toBeLessThan(5000);
  }
  silent.close();
  rmSync(folder, { recursive: true });
});
