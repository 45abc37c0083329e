import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeCluster, startFakeApiServer, type FakeApiServer } from '#ports/testing';

const MAIN = join(import.meta.dirname, 'main.ts');
let folder: string;
let server: FakeApiServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ccp-entrypoint-'));
  server = await startFakeApiServer(fakeCluster());
  writeFileSync(join(folder, 'kubeconfig'), server.kubeconfig);
});
afterEach(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

function entrypoint(...words: readonly string[]): {
  readonly child: ChildProcess;
  readonly ended: Promise<{ readonly code: number | null; readonly output: string }>;
  output(): string;
} {
  const child = spawn(process.execPath, [MAIN, ...words], {
    env: { ...process.env, KUBECONFIG: join(folder, 'kubeconfig') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => (text += more));
  return {
    child,
    output: () => text,
    ended: new Promise((resolve) => child.on('close', (code) => resolve({ code, output: text }))),
  };
}

it('runs the command when all conditions are met, and returns its exit code', async () => {
  const file = join(folder, 'file');
  writeFileSync(file, '');
  const { ended } = entrypoint(
    '--file',
    file,
    '--',
    process.execPath,
    '-e',
    'console.log("ran"); process.exit(7)',
  );
  expect(await ended).toEqual({
    code: 7,
    output: expect.stringMatching(
      /file .*: met\n.*all conditions met after .* s\nran\n$/s,
    ) as string,
  });
  const missing = await entrypoint('--', '/nonexistent/program').ended;
  expect(missing).toEqual({
    code: 1,
    output:
      'entrypoint: program not found: /nonexistent/program\n  -> name a program of this image after --\n',
  });
});

it('forwards signals to the command, and stops waiting on a signal', async () => {
  const running = entrypoint(
    '--',
    process.execPath,
    '-e',
    'process.on("SIGTERM", () => process.exit(3)); setInterval(() => {}, 1000); console.log("up")',
  );
  await expect.poll(running.output, { timeout: 10_000 }).toContain('up');
  running.child.kill('SIGTERM');
  expect((await running.ended).code).toBe(3);

  const waiting = entrypoint('--service', 'mariadb');
  await expect
    .poll(waiting.output, { timeout: 10_000 })
    .toContain('waiting for Service default/mariadb: it has no endpoints');
  waiting.child.kill('SIGTERM');
  expect((await waiting.ended).code).toBe(143);
});

it('reports unmet conditions after the timeout, and usage errors', async () => {
  const { code, output } = await entrypoint('--service', 'mariadb', '--timeout', '1s').ended;
  expect(code).toBe(1);
  expect(output).toContain(
    'conditions not met after 1 s:\n  Service default/mariadb: it has no endpoints\n',
  );
  expect(await entrypoint('--srvice', 'a').ended).toEqual({
    code: 2,
    output:
      "entrypoint: Unknown option '--srvice'\n  -> see entrypoint --help; a command goes after --\n",
  });
});
