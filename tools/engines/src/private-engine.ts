import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, omitUndefined, sha256 } from '#core';
import { readBounded, requirePrivate, withLock } from '#host';
import { endProcessesIn } from './cgroup-processes.ts';
import { awaitEngine, findDockerd, pidFile, startDockerd, type DockerdPlaces } from './dockerd.ts';
import { PRIVATE_RUN, type Endpoint } from './endpoint.ts';
import { readEngine } from './ping-engine.ts';
import { bridgeIn, createBridge, removeBridge } from './private-bridge.ts';
import { releaseMounts } from './release-mounts.ts';
import { recordUse, findUsers } from './engine-users.ts';

const INFO_MS = 10_000;
const STOP_MS = 30_000;

/** A running engine that ccp started. */
export interface PrivateEngine {
  readonly endpoint: string;
  readonly pid: number;
  /** Whether it was running before. */
  readonly reused: boolean;
}

export interface PrivateEngineOptions {
  /** Absolute path of its data folder, created if missing. Each folder has one engine. */
  readonly folder: string;
  /** Prints a sentence about the current operation. */
  readonly say: (sentence: string) => void;
  /** Absolute path of `dockerd`; default: the installed one. */
  readonly program?: string;
}

/**
 * Returns the engine of this folder, and starts it if needed. It keeps running after this process
 * exits. `stopPrivateEngine` refuses to stop it until then. Throws `engine-missing` if `dockerd` is
 * not installed, this user is not root, or it does not start; no process is left running then.
 */
export async function startPrivateEngine({
  folder,
  say,
  program = findDockerd(),
}: PrivateEngineOptions): Promise<PrivateEngine> {
  if (process.getuid?.() !== 0)
    throw new CcpError({
      code: 'engine-missing',
      message: 'only root can start a private engine',
      hint: NOT_ROOT_HINT,
    });
  if (program === undefined)
    throw new CcpError({
      code: 'engine-missing',
      message: 'the program dockerd is not installed',
      hint: 'install the Debian package docker.io',
    });
  requirePrivate(folder, 'the data of the private engine');
  const { endpoint, places, lock, users } = placesOf(folder);
  createRunFolder();
  return withLock(lock, { what: 'the private engine', say }, async () => {
    recordUse(users);
    const running = runningPid(places);
    if (running !== undefined) {
      const failure = await awaitEngine(endpoint, () =>
        runningPid(places) === running ? undefined : 'it has exited',
      );
      if (failure === undefined) return { endpoint: endpoint.name, pid: running, reused: true };
      throw new CcpError({
        code: 'engine-unreachable',
        message: `the private engine (process ${running}) does not respond: ${failure}`,
        hint: `read its log ${places.log}`,
      });
    }
    say(`starting a private engine, data in ${places.data}`);
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    mkdirSync(places.data, { recursive: true, mode: 0o700 });
    rmSync(pidFile(places), { force: true });
    await endProcessesIn(places.cgroup);
    const bridge = bridgeIn(places.run);
    const pid = await startDockerd(
      program,
      endpoint,
      places,
      createBridge(bridge) ? bridge.name : 'none',
    );
    await warnAboutDriver(endpoint, say);
    return { endpoint: endpoint.name, pid, reused: false };
  });
}

export interface StopEngineOptions {
  /** Removes the engine's data too. */
  readonly drop?: boolean;
  /** Prints a sentence about a wait for another process. */
  readonly say?: (sentence: string) => void;
}

/**
 * Stops the private engine of this folder. Resolves with whether it was running. Keeps its data
 * unless `drop` is set. Throws `engine-busy` if another process uses it.
 */
export async function stopPrivateEngine(
  folder: string,
  { drop = false, say }: StopEngineOptions = {},
): Promise<boolean> {
  // Only root starts an engine, and only root can write the lock.
  if (process.getuid?.() !== 0) {
    if (drop) rmSync(folder, { recursive: true, force: true });
    return false;
  }
  const { lock, users } = placesOf(folder);
  createRunFolder();
  return withLock(lock, { what: 'the private engine', ...omitUndefined({ say }) }, async () => {
    const [user] = findUsers(users);
    if (user !== undefined)
      throw new CcpError({
        code: 'engine-busy',
        message: `the private engine is in use by process ${user} of this or another workspace`,
        hint: 'wait until that process has finished, or stop it',
      });
    const wasRunning = await terminateEngine(folder);
    rmSync(users, { recursive: true, force: true });
    if (drop) rmSync(folder, { recursive: true, force: true });
    return wasRunning;
  });
}

async function terminateEngine(folder: string): Promise<boolean> {
  const { places } = placesOf(folder);
  const running = runningPid(places);
  if (running === undefined) {
    removeBridge(bridgeIn(places.run));
    releaseMounts(folder);
    return false;
  }
  process.kill(running, 'SIGTERM');
  const until = Date.now() + STOP_MS;
  while (runningPid(places) === running) {
    if (Date.now() > until)
      throw new CcpError({
        code: 'engine-failed',
        message: `the private engine (process ${running}) did not stop within ${STOP_MS / 1000} s`,
        hint: `read its log ${places.log}`,
      });
    await delay(100);
  }
  // The engine does not stop running build steps.
  await endProcessesIn(places.cgroup);
  removeBridge(bridgeIn(places.run));
  rmSync(places.run, { recursive: true, force: true });
  releaseMounts(folder);
  return true;
}

/** The endpoint of this folder's private engine; undefined if it does not run. */
export function runningEndpoint(folder: string): string | undefined {
  const { endpoint, places } = placesOf(folder);
  return runningPid(places) === undefined ? undefined : endpoint.name;
}

/** Hint for users without root. */
export const NOT_ROOT_HINT = 'run as root, or set DOCKER_HOST to a running engine';

/**
 * Creates the folder of locks and sockets. Throws `machine-rights` if other users can write there.
 */
function createRunFolder(): void {
  mkdirSync(PRIVATE_RUN, { recursive: true, mode: 0o700 });
  requirePrivate(PRIVATE_RUN, 'the folder of the private engines');
}

/**
 * The socket is below /run: the path of a socket has at most 107 bytes, and `folder` may be longer.
 */
function placesOf(folder: string): {
  readonly endpoint: Endpoint & { readonly kind: 'unix' };
  readonly places: DockerdPlaces;
  /** Locked while the engine starts or stops. */
  readonly lock: string;
  /** Folder with one file for each process that uses the engine. */
  readonly users: string;
} {
  const id = sha256(folder).slice(0, 12);
  const run = `${PRIVATE_RUN}/${id}`;
  const path = join(run, 'docker.sock');
  return {
    endpoint: { kind: 'unix', name: `unix://${path}`, path },
    places: {
      data: join(folder, 'data'),
      run,
      log: join(folder, 'dockerd.log'),
      cgroup: `ccp-engine-${id}`,
    },
    lock: `${run}.lock`,
    users: `${run}.users`,
  };
}

/**
 * Process id of this folder's engine, if it runs. The command line is checked because the process
 * id may have been reused: another process does not have our pid file in its arguments.
 */
function runningPid(places: DockerdPlaces): number | undefined {
  try {
    const pid = Number(readBounded(pidFile(places), 64).toString());
    const words = readBounded(`/proc/${pid}/cmdline`).toString().split('\0');
    return words.includes(`--pidfile=${pidFile(places)}`) ? pid : undefined;
  } catch {
    return undefined;
  }
}

async function warnAboutDriver(endpoint: Endpoint, say: (sentence: string) => void): Promise<void> {
  const { Driver: driver } = JSON.parse(await readEngine(endpoint, '/info', INFO_MS)) as {
    readonly Driver: string;
  };
  if (driver === 'vfs')
    say(
      'the engine cannot use overlayfs here and uses vfs: every layer is a full copy, so builds are slower and need more disk space',
    );
}
