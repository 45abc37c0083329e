import { writeFileSync } from 'node:fs';
import { codeOf } from '#core';
import { processStat, readBounded } from '#host';

/** A process, identified by its id and start time. */
export interface ProcessRef {
  readonly pid: number;
  readonly started: string;
}

/** Resources of a cluster on this machine. Written before they are created. */
export interface ClusterState {
  readonly format: 1;
  readonly slot: number;
  /** The process outside the namespaces that created them; the cluster stops with it. */
  readonly keeper?: ProcessRef;
  /** Empty folders created as mount points for the cluster. */
  readonly made: readonly string[];
}

/** The state in a file; `undefined` if the file is missing or has another format. */
export function readState(file: string): ClusterState | undefined {
  try {
    const state = JSON.parse(readBounded(file, 1 << 20).toString()) as ClusterState;
    return state.format === 1 ? state : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Writes the state to a file that only its owner can read. */
export function writeState(file: string, state: ClusterState): void {
  writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
}

/**
 * A reference to a process. If the process has exited, `isAlive` returns false for the reference.
 */
export function processRef(pid: number): ProcessRef {
  return { pid, started: processStat(pid)?.start ?? '' };
}

/** Whether this process still runs; another process with the same id does not count. */
export function isAlive({ pid, started }: ProcessRef): boolean {
  return started !== '' && processStat(pid)?.start === started;
}
