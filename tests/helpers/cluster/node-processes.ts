import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Programs and rules inside the namespaces of a cluster that `ccp up` started in `folder`. */
export interface NodeProcesses {
  /** The first process of each container of a pod. */
  of(pod: string): readonly number[];
  /** Kills the first process of a pod's container with SIGKILL, which ends the whole container. */
  kill(pod: string): void;
  /** Runs a program in the mount and network namespaces of the node; its output. */
  run(program: string, ...args: readonly string[]): string;
}

/** Needs root, and a running cluster. */
export function nodeProcesses(folder: string): NodeProcesses {
  const { keeper } = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8')) as {
    readonly keeper: { readonly pid: number };
  };
  // `unshare --fork` stays outside; its child is process 1 of the cluster.
  const [first] = readFileSync(`/proc/${keeper.pid}/task/${keeper.pid}/children`, 'utf8').split(
    ' ',
  );
  const node = first === undefined || first === '' ? String(keeper.pid) : first;
  const ofCluster = (pid: string): boolean => {
    for (let each = pid; each !== '0' && each !== ''; each = parentOf(each))
      if (each === node) return true;
    return false;
  };
  const of = (pod: string): readonly number[] =>
    readdirSync('/proc')
      .filter(
        (pid) =>
          /^\d+$/.test(pid) &&
          read(`/proc/${pid}/environ`).split('\0').includes(`HOSTNAME=${pod}`) &&
          read(`/proc/${pid}/comm`) !== 'pause\n' &&
          /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`)) &&
          ofCluster(pid),
      )
      .map(Number);
  return {
    of,
    kill: (pod) => {
      for (const pid of of(pod)) process.kill(pid, 'SIGKILL');
    },
    run: (program, ...args) =>
      execFileSync('nsenter', ['--target', node, '--mount', '--net', '--pid', program, ...args], {
        encoding: 'utf8',
      }),
  };
}

const parentOf = (pid: string): string =>
  /^PPid:\t(\d+)$/m.exec(read(`/proc/${pid}/status`))?.[1] ?? '';

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
