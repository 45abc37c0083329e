import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, sha256 } from '#core';
import { endProcessesIn } from './cgroup-processes.ts';
import { awaitEngine, findDockerd, pidFile, startDockerd, type DockerdPlaces } from './dockerd.ts';
import { PRIVATE_RUN, type Endpoint } from './endpoint.ts';
import { readEngine } from './ping-engine.ts';
import { releaseMounts } from './release-mounts.ts';
import { signUse, usersOf } from './users-of.ts';
import { withName } from './with-name.ts';

const INFO_MS = 10_000;
const STOP_MS = 30_000;

/** An engine that we started, or had started before. */
export interface PrivateEngine {
  readonly endpoint: string;
  readonly pid: number;
  /** True where it ran already. */
  readonly reused: boolean;
}

export interface PrivateEngineOptions {
  /** Absolute path of the folder for its data; made where it is missing. One folder, one engine. */
  readonly folder: string;
  /** Takes a sentence about what is being done. */
  readonly say: (sentence: string) => void;
}

/**
 * The engine of this folder: the one that runs, or one started now. It outlives this process, and `stopPrivateEngine` leaves it alone
 * until then. Raises `engine-missing` where there is no `dockerd`, this user is not root, or it does not start; nothing is left
 * running then.
 */
export async function startPrivateEngine({ folder, say }: PrivateEngineOptions): Promise<PrivateEngine> {
  if (process.getuid?.() !== 0) throw new CcpError({ code: 'engine-missing', message: 'a private engine needs root', hint: NOT_ROOT });
  const program = findDockerd();
  if (program === undefined) throw new CcpError({ code: 'engine-missing', message: 'there is no dockerd', hint: 'install the Debian package docker.io' });
  const { endpoint, places } = placesOf(folder);
  return withName(nameOf(folder), async () => {
    await signUse(nameOf(folder));
    const running = runningPid(places);
    if (running !== undefined) {
      const silence = await awaitEngine(endpoint, () => (runningPid(places) === running ? undefined : 'it has ended'));
      if (silence === undefined) return { endpoint: endpoint.name, pid: running, reused: true };
      throw new CcpError({
        code: 'engine-unreachable',
        message: `the private engine (process ${running}) does not answer: ${silence}`,
        hint: `its log is ${places.log}`,
      });
    }
    say(`starting a private engine, data in ${places.data}`);
    mkdirSync(places.run, { recursive: true, mode: 0o700 });
    mkdirSync(places.data, { recursive: true, mode: 0o700 });
    rmSync(pidFile(places), { force: true });
    await endProcessesIn(places.cgroup);
    const pid = await startDockerd(program, endpoint, places);
    await sayDriver(endpoint, say);
    return { endpoint: endpoint.name, pid, reused: false };
  });
}

/**
 * Ends the engine of this folder if we started it and it runs; resolves with whether it did. Its data stays unless `drop` is set. Raises
 * `engine-busy` where another process uses it.
 */
export async function stopPrivateEngine(folder: string, { drop = false } = {}): Promise<boolean> {
  return withName(nameOf(folder), async () => {
    const [user] = usersOf(nameOf(folder));
    if (user !== undefined)
      throw new CcpError({
        code: 'engine-busy',
        message: `the private engine is in use by process ${user}, of this workspace or another`,
        hint: 'wait until that run has ended, or end it',
      });
    const ended = await endEngine(folder);
    if (drop) rmSync(folder, { recursive: true, force: true });
    return ended;
  });
}

async function endEngine(folder: string): Promise<boolean> {
  const { places } = placesOf(folder);
  const running = runningPid(places);
  if (running === undefined) {
    releaseMounts(folder);
    return false;
  }
  process.kill(running, 'SIGTERM');
  const until = Date.now() + STOP_MS;
  while (runningPid(places) === running) {
    if (Date.now() > until)
      throw new CcpError({ code: 'engine-failed', message: `the private engine (process ${running}) does not end`, hint: `its log is ${places.log}` });
    await delay(100);
  }
  // The engine leaves build steps that were under way running.
  await endProcessesIn(places.cgroup);
  rmSync(places.run, { recursive: true, force: true });
  releaseMounts(folder);
  return true;
}

/** The endpoint of this folder's engine, if we started it and it runs. */
export function runningEndpoint(folder: string): string | undefined {
  const { endpoint, places } = placesOf(folder);
  return runningPid(places) === undefined ? undefined : endpoint.name;
}

/** What to do where only root could start an engine. */
export const NOT_ROOT = 'run as root, or have an engine started and name it with DOCKER_HOST';

/** What its users hold, one at a time while it starts or ends. */
function nameOf(folder: string): string {
  return `ccp-engine-${sha256(folder)}`;
}

/** The socket lies below /run because its path may have 107 bytes at most, and a folder's may be longer. */
function placesOf(folder: string): { readonly endpoint: Endpoint & { readonly kind: 'unix' }; readonly places: DockerdPlaces } {
  const id = sha256(folder).slice(0, 12);
  const run = `${PRIVATE_RUN}/${id}`;
  const path = join(run, 'docker.sock');
  return {
    endpoint: { kind: 'unix', name: `unix://${path}`, path },
    places: { data: join(folder, 'data'), run, log: join(folder, 'dockerd.log'), cgroup: `ccp-engine-${id}` },
  };
}

/**
 * Process id of this folder's engine, if it runs. The command line is what tells it: a process that got the number of an
 * engine that has ended does not name our pid file.
 */
function runningPid(places: DockerdPlaces): number | undefined {
  try {
    const pid = Number(readFileSync(pidFile(places), 'utf8'));
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words.includes(`--pidfile=${pidFile(places)}`) ? pid : undefined;
  } catch {
    return undefined;
  }
}

async function sayDriver(endpoint: Endpoint, say: (sentence: string) => void): Promise<void> {
  const { Driver: driver } = JSON.parse(await readEngine(endpoint, '/info', INFO_MS)) as { readonly Driver: string };
  if (driver === 'vfs') say('the engine found no overlay file system here and uses vfs: every layer is a whole copy, so builds are slower and need more disk');
}
