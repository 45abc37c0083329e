import { readdirSync, readFileSync } from 'node:fs';

const TICKS_PER_SECOND = 100;

/**
 * Processor time of the Docker daemon that listens on a unix socket, in seconds: its own, that of
 * its containerd, and that of the children that either has waited for. Containers count after they
 * end. Undefined if there is no such process on this machine.
 */
export function engineSeconds(endpoint: string): number | undefined {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const daemon = processes.find((pid) => {
    const words = read(`/proc/${pid}/cmdline`).split('\0');
    return words[0]?.endsWith('dockerd') === true && words.some((word) => word.includes(endpoint));
  });
  if (daemon === undefined) return undefined;
  const stats = processes.map((pid) => statOf(pid)).filter((stat) => stat !== undefined);
  const own = stats.filter(
    ({ pid, parent, name }) => pid === daemon || (parent === daemon && name === 'containerd'),
  );
  return own.reduce((sum, { ticks }) => sum + ticks, 0) / TICKS_PER_SECOND;
}

interface Stat {
  readonly pid: string;
  readonly name: string;
  readonly parent: string;
  readonly ticks: number;
}

/** See proc_pid_stat(5): fields 14 to 17 are the times of the process and of its ended children. */
function statOf(pid: string): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  const end = text.lastIndexOf(')');
  if (end < 0) return undefined;
  const fields = text.slice(end + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, name: text.slice(text.indexOf('(') + 1, end), parent: fields[1]!, ticks };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
