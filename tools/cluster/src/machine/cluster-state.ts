import { readFileSync, writeFileSync } from 'node:fs';
import { codeOf } from '#core';
import { processStat } from '#host';

/** A process that its number and start name for good. */
export interface ProcessRef {
  readonly pid: number;
  readonly started: string;
}

/** What was made on the machine for a cluster, written before it is made. */
export interface ClusterState {
  readonly format: 1;
  readonly slot: number;
  /** The process that made the namespaces, outside of them; the cluster ends with it. */
  readonly keeper?: ProcessRef;
  /** Empty folders that mounts inside the cluster needed. */
  readonly made: readonly string[];
}

/** The state in a file; `undefined` where there is none, or one of another format. */
export function readState(file: string): ClusterState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as ClusterState;
    return state.format === 1 ? state : undefined;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/** Writes the state, which only its owner may read. */
export function writeState(file: string, state: ClusterState): void {
  writeFileSync(file, JSON.stringify(state), { mode: 0o600 });
}

/** A process by its number; raises nothing where it has ended: then nothing is alive of it. */
export function processRef(pid: number): ProcessRef {
  return { pid, started: processStat(pid)?.start ?? '' };
}

/** True while this very process runs, not a later one of its number. */
export function isAlive({ pid, started }: ProcessRef): boolean {
  return started !== '' && processStat(pid)?.start === started;
}
