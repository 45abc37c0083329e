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

/** Limits the size of the build cache. */
const CONFIG = { builder: { gc: { enabled: true, defaultKeepStorage: '20GB' } } };

/** Paths and control group of an engine. */
export interface DockerdPlaces {
  /** Images and build cache. */
  readonly data: string;
  /** Socket, pid file and runtime state of containers. A reboot empties this folder. */
  readonly run: string;
  readonly log: string;
  /** Control group that contains all its containers and build steps. */
  readonly cgroup: string;
}

/** Path of the daemon's pid file. */
export function pidFile(places: DockerdPlaces): string {
  return join(places.run, 'dockerd.pid');
}

/** Path of `dockerd`: searched in the folders used by Debian and Docker packages, then in PATH. */
export function findDockerd(): string | undefined {
  const folders = [...PATH, ...(process.env['PATH'] ?? '').split(delimiter)];
  return folders.map((folder) => join(folder, 'dockerd')).find(isExecutable);
}

/**
 * Starts an engine that keeps running after this process exits. Waits until it responds, and
 * resolves with its process id. It uses the existing network interface `bridge` only, and does not
 * read the configuration of the host's engine. Throws `engine-missing` with its last log lines if
 * it exits.
 */
export async function startDockerd(
  program: string,
  endpoint: Endpoint & { readonly kind: 'unix' },
  places: DockerdPlaces,
  bridge = 'none',
): Promise<number> {
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
      `--bridge=${bridge}`,
      '--iptables=false',
      '--ip-masq=false',
      '--ip-forward=false',
      '--log-level=warn',
    ],
    { detached: true, stdio: ['ignore', log, log], cwd: '/', env: { PATH: PATH.join(delimiter) } },
  );
  closeSync(log);
  let exit: string | undefined;
  child.once('error', (error) => {
    exit = error.message;
  });
  child.once('exit', (code, signal) => {
    exit = signal === null ? `it exited with code ${code}` : `it was terminated by ${signal}`;
  });
  const failure = await awaitEngine(endpoint, () => exit);
  if (failure === undefined) {
    child.unref();
    return child.pid!;
  }
  child.kill('SIGTERM');
  throw new CcpError({
    code: 'engine-missing',
    message: `cannot start a private engine: ${failure}\n${endOfLog(places.log)}`.trimEnd(),
    hint: `read its log ${places.log}, or set DOCKER_HOST to a running engine`,
  });
}

/**
 * Waits up to 60 s until an engine responds. Resolves with the reason if it does not. `exitReason`
 * returns a text once its process has exited.
 */
export async function awaitEngine(
  endpoint: Endpoint,
  exitReason: () => string | undefined,
): Promise<string | undefined> {
  const answers = (): Promise<boolean> =>
    pingEngine(endpoint, 1000).then(
      () => true,
      () => false,
    );
  for (const until = Date.now() + START_MS; Date.now() < until; await delay(POLL_MS)) {
    if (await answers()) return undefined;
    const reason = exitReason();
    if (reason !== undefined) return reason;
  }
  return `it did not answer within ${START_MS / 1000} s`;
}

function endOfLog(path: string): string {
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n').slice(-LOG_LINES);
  return lines
    .map((line) => `  ${/msg="((?:[^"\\]|\\.)*)"/.exec(line)?.[1]?.replaceAll('\\"', '"') ?? line}`)
    .join('\n');
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
