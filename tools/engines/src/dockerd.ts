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

/** Where an engine keeps what is its own. */
export interface DockerdPlaces {
  /** Images and build cache. */
  readonly data: string;
  /** Socket, pid file, containers' runtime state; emptied by a reboot. */
  readonly run: string;
  readonly log: string;
  /** Name of the control group that all its containers and build steps are below. */
  readonly cgroup: string;
}

/** Path of the file with the number of the daemon that runs at `places`. */
export function pidFile(places: DockerdPlaces): string {
  return join(places.run, 'dockerd.pid');
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
export async function startDockerd(program: string, endpoint: Endpoint & { readonly kind: 'unix' }, places: DockerdPlaces): Promise<number> {
  const config = join(places.run, 'daemon.json');
  writeFileSync(config, JSON.stringify(CONFIG));
  const log = openSync(places.log, 'w', 0o600);
  const child = spawn(
    program,
    [
      `--host=unix://${endpoint.path}`,
      '--group=root',
      `--data-root=${places.data}`,
      `--exec-root=${join(places.run, 'exec')}`,
      `--pidfile=${pidFile(places)}`,
      `--config-file=${config}`,
      `--cgroup-parent=/${places.cgroup}`,
      '--exec-opt=native.cgroupdriver=cgroupfs',
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
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `exit code ${code}`}`;
  });
  const silence = await awaitEngine(endpoint, () => ended);
  if (silence === undefined) {
    child.unref();
    return child.pid!;
  }
  child.kill('SIGTERM');
  throw new CcpError({
    code: 'engine-missing',
    message: `a private engine could not be started: ${silence}\n${endOfLog(places.log)}`.trimEnd(),
    hint: `its log is ${places.log}; or name an engine that runs with DOCKER_HOST`,
  });
}

/** Waits until an engine answers; resolves with why it does not, at the latest after 60 s. `ended` tells how its process ended. */
export async function awaitEngine(endpoint: Endpoint, ended: () => string | undefined): Promise<string | undefined> {
  const answers = (): Promise<boolean> =>
    pingEngine(endpoint, 1000).then(
      () => true,
      () => false,
    );
  for (const until = Date.now() + START_MS; Date.now() < until; await delay(POLL_MS)) {
    if (await answers()) return undefined;
    const end = ended();
    if (end !== undefined) return end;
  }
  return `it did not answer within ${START_MS / 1000} s`;
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
