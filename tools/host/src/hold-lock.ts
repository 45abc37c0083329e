import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, codeOf, escapeControls, sha256 } from '#core';
import { isRunning } from './is-running.ts';
import { processStat } from './process-stat.ts';
import { readBounded } from './read-bounded.ts';

const MAX_LOCK_BYTES = 4096;
const POLL_MS = 100;
const SAY_AFTER_MS = 1000;
const MAX_COMMAND = 80;
/** Errors of file systems without hard links, such as exFAT. */
const WITHOUT_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/** The process that has a lock. */
export interface LockOwner {
  readonly pid: number;
  /** Its command line in at most 80 characters; empty if the system does not show it. */
  readonly command: string;
  readonly since: Date;
}

export type LockAttempt =
  | { readonly held: true; readonly release: () => void }
  | { readonly held: false; readonly owner: LockOwner };

/**
 * Takes the lock at `path` for this process, or returns its owner. The lock of a process that has
 * ended is taken over. The folder must exist, and only trusted users can be allowed to write to it.
 */
export function tryLock(path: string): LockAttempt {
  const mine = `${process.pid} ${bootAndStartOf(process.pid) ?? ''}\n`;
  const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    writeFileSync(draft, mine, { mode: 0o644 });
    while (!tryLink(draft, path)) {
      const found = readLock(path);
      if (found === undefined) continue;
      const owner = evict(path, found, draft);
      if (owner !== undefined) return { held: false, owner: ownerOf(owner) };
    }
  } finally {
    rmSync(draft, { force: true });
  }
  return {
    held: true,
    release: () => {
      if (readLock(path)?.text === mine) rmSync(path, { force: true });
    },
  };
}

export interface LockWait {
  /** Subject of the sentence about the wait, such as `the private engine`. */
  readonly what: string;
  /** Called with that sentence after a second, at most once. */
  readonly say?: (sentence: string) => void;
}

/**
 * Runs `work` while this process has the lock at `path`. Waits for another owner, and reports it.
 */
export async function withLock<T>(
  path: string,
  { what, say = () => undefined }: LockWait,
  work: () => Promise<T>,
): Promise<T> {
  const start = Date.now();
  let attempt = tryLock(path);
  for (let reported = false; !attempt.held; attempt = tryLock(path)) {
    if (!reported && Date.now() - start >= SAY_AFTER_MS) {
      say(`${what} is locked by ${ownerText(attempt.owner)}; waiting`);
      reported = true;
    }
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    attempt.release();
  }
}

/** A lock's owner for messages: `process 7 (ccp build) since 2026-01-31 10:00:00 UTC`. */
export function ownerText({ pid, command, since }: LockOwner): string {
  const time = `${since.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  return `process ${pid}${command === '' ? '' : ` (${command})`} since ${time}`;
}

interface FoundLock {
  readonly text: string;
  readonly since: Date;
}

/** The content of the lock; `undefined` if it was released in the meantime. */
function readLock(path: string): FoundLock | undefined {
  try {
    return { text: readBounded(path, MAX_LOCK_BYTES).toString(), since: statSync(path).mtime };
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function ownerOf({ text, since }: FoundLock): LockOwner {
  const pid = Number.parseInt(text, 10);
  return { pid, command: commandOf(pid), since };
}

/** The internal command line of `ccp` before its arguments. */
const OWN_PROGRAM = /^.*\/cli\/src\/main\.ts /;

function commandOf(pid: number): string {
  try {
    const words = readBounded(`/proc/${pid}/cmdline`, 1 << 20)
      .toString()
      .split('\0');
    const line = escapeControls(words.join(' ').trim()).replace(OWN_PROGRAM, 'ccp ');
    return line.length > MAX_COMMAND ? `${line.slice(0, MAX_COMMAND - 1)}…` : line;
  } catch {
    return '';
  }
}

/**
 * Removes an abandoned lock. Only one process at a time may remove the lock of an owner: the one
 * that has a second lock, named for that owner. No process writes that owner's text again, so the
 * removed lock cannot be the one of a process that took it over in the meantime. Returns the lock
 * of a running process that is in the way.
 */
function evict(path: string, found: FoundLock, draft: string): FoundLock | undefined {
  if (isAlive(found.text)) return found;
  const second = `${path}.${sha256(found.text).slice(0, 16)}`;
  if (!tryLink(draft, second)) {
    const other = readLock(second);
    return other === undefined ? undefined : evict(second, other, draft);
  }
  try {
    if (readLock(path)?.text === found.text) rmSync(path, { force: true });
    return undefined;
  } finally {
    rmSync(second, { force: true });
  }
}

/** True if `to` is a new name of the file `from` now. */
function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return isSameFile(from, to);
    if (!WITHOUT_LINKS.has(codeOf(thrown) ?? '')) throw thrown;
    throw new CcpError({
      code: 'machine-rights',
      message: `cannot lock ${to}: its file system has no hard links (${codeOf(thrown)})`,
      hint: 'move the folder to another file system, such as ext4, XFS or NFS',
      cause: thrown,
    });
  }
}

/** NFS can report an existing name if it repeats a request that was carried out. */
function isSameFile(from: string, to: string): boolean {
  const [a, b] = [from, to].map((each) => statSync(each, { throwIfNoEntry: false }));
  return a !== undefined && a.ino === b?.ino && a.dev === b.dev;
}

/**
 * True if the process that wrote the lock still runs: it has the same number and, if known, the
 * same start time.
 */
function isAlive(held: string): boolean {
  const [pid = '', started = ''] = held.trim().split(' ');
  if (!/^[1-9]\d{0,9}$/.test(pid)) return false;
  return isRunning(Number(pid)) && (started === '' || bootAndStartOf(Number(pid)) === started);
}

/**
 * Boot id and start of a process in clock ticks; undefined if it has ended or /proc does not show
 * it.
 */
function bootAndStartOf(pid: number): string | undefined {
  const stat = processStat(pid);
  if (stat === undefined || stat.state === 'Z') return undefined;
  try {
    return `${readBounded('/proc/sys/kernel/random/boot_id').toString().trim()}/${stat.start}`;
  } catch {
    return undefined;
  }
}
