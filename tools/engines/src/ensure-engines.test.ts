import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { startDockerd } from './dockerd.ts';
import { ensureEngines, findEngines, type EnsureEnginesOptions } from './index.ts';
import { isLeftOver, runLabel } from './run-label.ts';
import { withName } from './with-name.ts';

const folder = mkdtempSync(join(tmpdir(), 'ccp-engines-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const options: EnsureEnginesOptions = {
  endpoints: [],
  folder,
  installPackages: async () => {
    throw new Error('not asked for');
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
      'the engine unix:///nowhere/docker.sock does not answer: connect ENOENT /nowhere/docker.sock',
    ],
    [
      { environment: { DOCKER_HOST: 'tcp://127.0.0.1:1' } },
      'engine-unreachable',
      'the engine tcp://127.0.0.1:1 does not answer: connect ECONNREFUSED 127.0.0.1:1',
    ],
    [{ endpoints: ['unix:///nowhere/docker.sock', 'ssh://host'] }, 'endpoint-invalid', '"ssh://host" is not the endpoint of an engine'],
  ])('refuses %j', async (change, code, message) => {
    await expect(ensureEngines({ ...options, ...change })).rejects.toMatchObject({ code, message });
  });

  it('tells a user without root what to do', async () => {
    const getuid = vi.spyOn(process, 'getuid').mockReturnValue(1000);
    await expect(ensureEngines(options)).rejects.toMatchObject({
      code: 'engine-missing',
      message: `no engine answers (the engine unix://${folder}/nothing.sock does not answer: connect ENOENT ${folder}/nothing.sock), and only root can start a private one`,
      hint: 'run as root, or have an engine started and name it with DOCKER_HOST',
    });
    getuid.mockRestore();
  });

  it('takes the default socket where it answers, and names nothing else', async () => {
    const server = createServer((_, response) => response.end('OK'));
    const path = join(folder, 'docker.sock');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await ensureEngines({ ...options, defaultSocket: `unix://${path}` })).toEqual([`unix://${path}`]);
    server.close();
  });
});

describe('findEngines', () => {
  it('names what answers, and of what was named what does not', async () => {
    expect(await findEngines(options)).toEqual({ endpoints: [], silent: [] });
    const server = createServer((_, response) => response.end('OK'));
    const path = join(folder, 'found.sock');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await findEngines({ ...options, defaultSocket: `unix://${path}` })).toEqual({ endpoints: [`unix://${path}`], silent: [] });
    expect(await findEngines({ ...options, endpoints: ['ssh://host', `unix://${path}`] })).toEqual({ endpoints: [`unix://${path}`], silent: ['ssh://host'] });
    server.close();
  });
});

describe('startDockerd', () => {
  it('shows the end of the log where the engine does not start', async () => {
    const program = join(folder, 'dockerd');
    writeFileSync(program, '#!/bin/sh\necho \'time="now" level=fatal msg="no cgroup \\"devices\\""\'\nexit 1\n');
    chmodSync(program, 0o755);
    const path = join(folder, 'private.sock');
    const log = join(folder, 'dockerd.log');
    const started = startDockerd(program, { kind: 'unix', name: `unix://${path}`, path }, { data: join(folder, 'data'), run: folder, log, cgroup: 'ccp-test' });
    await expect(started).rejects.toMatchObject({
      code: 'engine-missing',
      message: 'a private engine could not be started: it ended with exit code 1\n  no cgroup "devices"',
      hint: `its log is ${log}; or name an engine that runs with DOCKER_HOST`,
    });
  });
});

describe('withName', () => {
  it('lets one at a time in, also after a failure', async () => {
    const order: string[] = [];
    const work = (word: string, fails: boolean) => async () => {
      order.push(`${word} in`);
      await delay(20);
      order.push(`${word} out`);
      if (fails) throw new Error(word);
    };
    const name = `ccp-test-${process.pid}`;
    await Promise.allSettled([withName(name, work('a', true)), withName(name, work('b', false))]);
    expect([order.slice(0, 2), order.slice(2)].map(([, out]) => out).sort()).toEqual(['a out', 'b out']);
  });
});

describe('isLeftOver', () => {
  it.each([
    ['of this process', runLabel(), false],
    ['of another process with this number', runLabel().replace(/\d+$/, '1'), true],
    ['of another machine', `elsewhere/${process.pid}/1`, false],
    ['of nobody', '', false],
  ])('says of a label %s: %s -> %s', (_, label, left) => {
    expect(isLeftOver(label)).toBe(left);
  });
});
