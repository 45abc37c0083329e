import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, openSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import type { Endpoint } from './endpoint.ts';
import { pingEngine } from './ping-engine.ts';

const PATH = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];
const START_MS = 60_000;
const POLL_MS = 100;
const LOG_LINES = 10;

/** Keeps the build cache below this size by itself. */
const CONFIG = { builder: { gc: { enabled: true, defaultKeepStorage: '20GB' } } };

export interface DockerdFolders {
  /** Images and build cache. */
  readonly data: string;
  /** Socket, pid file, containers' runtime state; emptied by a reboot. */
  readonly run: string;
  readonly log: string;
}

/** Path of the engine's program; it is looked for where Debian and Docker's own packages put it, then on the PATH. */
export function findDockerd(): string | undefined {
  const folders = [...PATH, ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'dockerd')).find(isExecutable);
}

/**
 * Starts an engine that outlives this process and waits until it answers; resolves with its process id. It touches no
 * firewall rule, bridge or routing of the host, and reads no configuration of the host's own engine. Raises `engine-missing`
 * with the end of its log where it ends instead.
 */
export async function startDockerd(program: string, endpoint: Endpoint & { readonly kind: 'unix' }, folders: DockerdFolders): Promise<number> {
  const config = join(folders.run, 'daemon.json');
  writeFileSync(config, JSON.stringify(CONFIG));
  const log = openSync(folders.log, 'w', 0o600);
  const child = spawn(
    program,
    [
      `--host=unix://${endpoint.path}`,
      '--group=root',
      `--data-root=${folders.data}`,
      `--exec-root=${join(folders.run, 'exec')}`,
      `--pidfile=${join(folders.run, 'dockerd.pid')}`,
      `--config-file=${config}`,
      '--bridge=none',
      '--iptables=false',
      '--ip-masq=false',
      '--ip-forward=false',
      '--log-level=warn',
    ],
    { detached: true, stdio: ['ignore', log, log], cwd: '/', env: { PATH: PATH.join(delimiter) } },
  );
  closeSync(log);
  let ended: string | undefined;
  child.once('error', (error) => { ended = error.message; });
  child.once('exit', (code, signal) => { ended = `it ended with ${signal ?? `exit code ${code}`}`; });
  const until = Date.now() + START_MS;
  while (Date.now() < until && ended === undefined) {
    if (await answers(endpoint)) {
      child.unref();
      return child.pid!;
    }
    await delay(POLL_MS);
  }
  child.kill('SIGTERM');
  throw new CcpError({
    code: 'engine-missing',
    message: `a private engine could not be started: ${ended ?? `it did not answer within ${START_MS / 1000} s`}\n${endOfLog(folders.log)}`.trimEnd(),
    hint: `its log is ${folders.log}; or name an engine that runs with DOCKER_HOST`,
  });
}

function answers(endpoint: Endpoint): Promise<boolean> {
  return pingEngine(endpoint, 1000).then(() => true, () => false);
}

function endOfLog(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
  return lines.map((line) => `  ${/msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? line}`).join('\n');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
