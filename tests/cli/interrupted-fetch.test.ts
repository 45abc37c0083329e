import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { REPOSITORY } from '../helpers/ccp.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
/** Accepts connections and never answers. */
let silent: Server;
let address: string;
beforeEach(async () => {
  silent = createServer((socket) => void socket.on('error', () => undefined).resume());
  await once(silent.listen(0, '127.0.0.1'), 'listening');
  address = `127.0.0.1:${(silent.address() as AddressInfo).port}`;
  workspace = testWorkspace('git');
});
afterEach(() => {
  silent.close();
  workspace.remove();
});

/** Interrupts a command, but not the programs it started, once it waits for the server. */
async function interrupted(...args: readonly string[]) {
  const env = {
    ...process.env,
    PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    no_proxy: '127.0.0.1',
    CCP_CACHE: join(workspace.root, 'cache'),
  };
  const child = spawn(`${REPOSITORY}/ccp`, ['-C', workspace.root, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const [socket] = (await once(silent, 'connection')) as [Socket];
  const closed = once(socket, 'close');
  const start = performance.now();
  child.kill('SIGINT');
  const [exitCode] = await once(child, 'close');
  await closed;
  return { exitCode, stderr, ms: performance.now() - start };
}

it('ends `ccp lock --outdated` and git while a git host is silent', async () => {
  workspace.write(
    'images/app/image.yaml',
    `title: App\ndescription: An image.\nroot: a test\nsources:\n  app: { repository: "http://${address}/app", refs: { "2026.1": main } }\n`,
  );
  workspace.write('images/app/Dockerfile.njk', 'FROM scratch\n');
  expect(await interrupted('lock', '--outdated')).toEqual({
    exitCode: 130,
    stderr: `app: resolving source app
cancelling; interrupt again to stop immediately
ccp: locking was cancelled
  -> run the command again; locks that are already written are kept
`,
    ms: expect.toSatisfy((ms: number) => ms < 5000) as number,
  });
});

it('ends `ccp release bundle` while a registry is silent', async () => {
  const file = join(workspace.root, 'release.tar');
  const from = ['--from', `${address}/ccp`, '--trust', join(workspace.root, 'key.pub')];
  workspace.write(
    'key.pub',
    '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n',
  );
  expect(await interrupted('release', 'bundle', '2026.1.0', ...from, '-o', file)).toEqual({
    exitCode: 130,
    stderr: `cancelling; interrupt again to stop immediately\nccp: ${file} was not written\n`,
    ms: expect.toSatisfy((ms: number) => ms < 5000) as number,
  });
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(workspace.root).filter((name) => name.startsWith('.ccp-bundle'))).toEqual([]);
});
