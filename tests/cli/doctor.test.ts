import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runInProcess } from '../helpers/run-in-process.ts';
import { testWorkspace, type TestWorkspace } from '../helpers/workspace.ts';

let workspace: TestWorkspace;
beforeAll(() => {
  workspace = testWorkspace();
});
afterAll(() => workspace.remove());

interface Answer {
  readonly checks: readonly Readonly<Record<string, string>>[];
}

it('checks the machine with the settings of the workspace', async () => {
  const mirror = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
  await once(mirror, 'listening');
  const url = `http://127.0.0.1:${(mirror.address() as AddressInfo).port}/simple`;
  workspace.write('.ccp.yaml', `origin: archive\nmirrors: { python: ["${url}"] }\n`);
  const { exitCode, stdout } = await runInProcess(workspace.root, ['doctor', '--json'], {
    CCP_CACHE: join(workspace.root, 'cache'),
    DOCKER_HOST: 'unix:///nothing.sock',
    no_proxy: '127.0.0.1',
  });
  mirror.close();
  const { checks } = JSON.parse(stdout) as Answer;
  expect(exitCode).toBe(5);
  expect(checks[0]).toEqual({
    check: 'engine',
    outcome: 'failed',
    detail: 'the configured engine unix:///nothing.sock does not respond',
    hint: 'start the engine, or fix DOCKER_HOST or "engines" in the settings',
  });
  expect([...new Set(checks.map(({ check }) => check))]).toEqual([
    'engine',
    'disk',
    'overlayfs',
    'cgroups',
    'namespaces',
    'ports',
    'addresses',
    'mirrors',
    'clock',
  ]);
  expect(checks.find(({ check }) => check === 'mirrors')).toEqual({
    check: 'mirrors',
    outcome: 'ok',
    detail: `${url} responds`,
  });
  expect(checks.at(-1)).toMatchObject({
    check: 'clock',
    outcome: 'ok',
    detail: expect.stringMatching(/^[\d-]+T[\d:]+Z, as on http/) as string,
  });
});
