import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, sha256 } from '#core';
import { findDockerd, startDockerd, type DockerdFolders } from './dockerd.ts';
import type { Endpoint } from './endpoint.ts';
import { pingEngine, readEngine } from './ping-engine.ts';
import { startTimeOf } from './run-label.ts';
import { withName } from './with-name.ts';

const STOP_MS = 30_000;

/** What is remembered of an engine we started. */
interface EngineRecord {
  readonly format: 1;
  readonly pid: number;
  /** See `startTimeOf`: a process of the same number that started at another time is not ours. */
  readonly started: string;
}

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
 * The engine of this folder: the one that runs, or one started now. It outlives this process. Raises `engine-missing` where
 * there is no `dockerd`, this user is not root, or it does not start; nothing is left running then.
 */
export async function startPrivateEngine({ folder, say }: PrivateEngineOptions): Promise<PrivateEngine> {
  if (process.getuid?.() !== 0) throw new CcpError({ code: 'engine-missing', message: 'a private engine needs root', hint: NOT_ROOT });
  const program = findDockerd();
  if (program === undefined) throw new CcpError({ code: 'engine-missing', message: 'there is no dockerd', hint: 'install the Debian package docker.io' });
  const { endpoint, folders } = placesOf(folder);
  return withName(`ccp-engine-${sha256(folder)}`, async () => {
    const running = readRecord(folders);
    if (running !== undefined) {
      await pingEngine(endpoint, STOP_MS);
      return { endpoint: endpoint.name, pid: running.pid, reused: true };
    }
    say(`starting a private engine, data in ${folders.data}`);
    mkdirSync(folders.run, { recursive: true, mode: 0o700 });
    mkdirSync(folders.data, { recursive: true, mode: 0o700 });
    rmSync(join(folders.run, 'dockerd.pid'), { force: true });
    const pid = await startDockerd(program, endpoint, folders);
    const record: EngineRecord = { format: 1, pid, started: startTimeOf(pid) ?? '' };
    writeFileSync(recordFile(folders), JSON.stringify(record), { mode: 0o600 });
    await sayDriver(endpoint, say);
    return { endpoint: endpoint.name, pid, reused: false };
  });
}

/** Ends the engine of this folder if we started it and it runs; resolves with whether it did. Its data stays. */
export async function stopPrivateEngine(folder: string): Promise<boolean> {
  const { folders } = placesOf(folder);
  return withName(`ccp-engine-${sha256(folder)}`, async () => {
    const running = readRecord(folders);
    if (running === undefined) return false;
    process.kill(running.pid, 'SIGTERM');
    const until = Date.now() + STOP_MS;
    while (startTimeOf(running.pid) === running.started) {
      if (Date.now() > until) throw new CcpError({ code: 'engine-failed', message: `the private engine (process ${running.pid}) does not end`, hint: `its log is ${folders.log}` });
      await delay(100);
    }
    rmSync(folders.run, { recursive: true, force: true });
    return true;
  });
}

export const NOT_ROOT = 'run as root, or have an engine started and name it with DOCKER_HOST';

/** The socket lies below /run because its path may have 107 bytes at most, and a folder's may be longer. */
function placesOf(folder: string): { readonly endpoint: Endpoint & { readonly kind: 'unix' }; readonly folders: DockerdFolders } {
  const run = `/run/ccp-engine/${sha256(folder).slice(0, 12)}`;
  const path = join(run, 'docker.sock');
  return { endpoint: { kind: 'unix', name: `unix://${path}`, path }, folders: { data: join(folder, 'data'), run, log: join(folder, 'dockerd.log') } };
}

function recordFile(folders: DockerdFolders): string {
  return join(folders.run, 'engine.json');
}

/** The record of the engine that runs; a record of a process that has ended counts as none. */
function readRecord(folders: DockerdFolders): EngineRecord | undefined {
  try {
    const record: EngineRecord = JSON.parse(readFileSync(recordFile(folders), 'utf8'));
    return record.format === 1 && startTimeOf(record.pid) === record.started ? record : undefined;
  } catch {
    return undefined;
  }
}

async function sayDriver(endpoint: Endpoint, say: (sentence: string) => void): Promise<void> {
  const { Driver: driver } = JSON.parse(await readEngine(endpoint, '/info', STOP_MS)) as { readonly Driver: string };
  if (driver === 'vfs') say('the engine found no overlay file system here and uses vfs: every layer is a whole copy, so builds are slower and need more disk');
}
