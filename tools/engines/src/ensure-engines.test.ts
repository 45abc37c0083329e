import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startDockerd } from './dockerd.ts';
import { ensureEngines, findEngines, type EnsureEnginesOptions } from './index.ts';
import { hasRunEnded, runLabel } from './run-label.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options: EnsureEnginesOptions = {
  endpoints: [],
  folder,
  installPackages: async () => {
    throw new Error('no packages needed');
  },
  say: () => undefined,
  environment: {},
  defaultSocket: `unix://${folder}/nothing.sock`,
};

describe('ensureEngines', () => {
  it.each([
    [
      { endpoints: ['unix:///nowhere/docker.sock'] },
      'engine-unreachable',
      'the engine unix:///nowhere/docker.sock does not respond: connect ENOENT /nowhere/docker.sock',
    ],
    [
      { environment: { DOCKER_HOST: 'tcp://127.0.0.1:1' } },
      'engine-unreachable',
      'the engine tcp://127.0.0.1:1 does not respond: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [
      { endpoints: ['unix:///nowhere/docker.sock', 'ssh://host'] },
      'endpoint-invalid',
      '"ssh://host" is not a valid engine endpoint',
    ],
  ])('refuses %j', async (change, code, message) => {
    await expect(ensureEngines({ ...options, ...change })).rejects.toMatchObject({ code, message });
  });

  it('has a hint for users without root', async () => {
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1000);
    await expect(ensureEngines(options)).rejects.toMatchObject({
      code: 'engine-missing',
      message: `no engine is available (the engine unix://${folder}/nothing.sock does not respond: connect ENOENT ${folder}/nothing.sock), and only root can start a private engine`,
      hint: 'run as root, or set DOCKER_HOST to a running engine',
    });
    getuid.mockRestore();
  });

  it('returns only the default socket if its engine responds', async () => {
    const server = createServer((_, response) => response.end('OK'));
    const path = join(folder, 'docker.sock');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await ensureEngines({ ...options, defaultSocket: `unix://${path}` })).toEqual([
      `unix://${path}`,
    ]);
    server.close();
  });
});

describe('findEngines', () => {
  it('lists engines that respond, and configured ones that do not', async () => {
    expect(await findEngines(options)).toEqual({ endpoints: [], unreachable: [] });
    const server = createServer((_, response) => response.end('OK'));
    const path = join(folder, 'found.sock');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await findEngines({ ...options, defaultSocket: `unix://${path}` })).toEqual({
      endpoints: [`unix://${path}`],
      unreachable: [],
    });
    expect(await findEngines({ ...options, endpoints: ['ssh://host', `unix://${path}`] })).toEqual({
      endpoints: [`unix://${path}`],
      unreachable: ['ssh://host'],
    });
    server.close();
  });
});

describe('startDockerd', () => {
  it('reports the last log lines if the engine does not start', async () => {
    const program = join(folder, 'dockerd');
    writeFileSync(
      program,
      '#!/bin/sh\necho \'time="now" level=fatal msg="no cgroup \\"devices\\""\'\nexit 1\n',
    );
    chmodSync(program, 0o755);
    const path = join(folder, 'private.sock');
    const log = join(folder, 'dockerd.log');
    const started = startDockerd(
      program,
      { kind: 'unix', name: `unix://${path}`, path },
      { data: join(folder, 'data'), run: folder, log, cgroup: 'ccp-test' },
    );
    await expect(started).rejects.toMatchObject({
      code: 'engine-missing',
      message: 'cannot start a private engine: it exited with code 1\n  no cgroup "devices"',
      hint: `read its log ${log}, or set DOCKER_HOST to a running engine`,
    });
  });
});

describe('hasRunEnded', () => {
  it.each([
    ['of this process', runLabel(), false],
    ['of another process with this number', runLabel().replace(/\d+$/, '1'), true],
    ['of another machine', `elsewhere/${process.pid}/1`, false],
    ['without a process', '', false],
  ])('checks a label %s: %s -> %s', (_, label, ended) => {
    expect(hasRunEnded(label)).toBe(ended);
  });
});
