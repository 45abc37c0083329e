import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Time and memory of one run of a command. */
export interface Cost {
  readonly milliseconds: number;
  /** Processor time of the command and of the processes that it waited for. */
  readonly processorSeconds: number;
  /** Largest resident set of the command or a process it waited for, bytes. */
  readonly memory: number;
}

const RUSAGE =
  'import resource,subprocess,sys,time\nt=time.monotonic()\nc=subprocess.run(sys.argv[1:],stdout=subprocess.DEVNULL).returncode\nd=time.monotonic()-t\nr=resource.getrusage(resource.RUSAGE_CHILDREN)\nprint(c,d*1000,r.ru_maxrss*1024,r.ru_utime+r.ru_stime)';

/** Runs a command `times` times after one run that warms caches; throws if a run fails. */
export function measure(
  command: readonly string[],
  cwd: string,
  times: number,
  env: Readonly<Record<string, string>> = {},
): readonly Cost[] {
  measureOnce(command, cwd, env);
  return Array.from({ length: times }, () => measureOnce(command, cwd, env));
}

/** Runs a command once; throws if it fails. */
export function measureOnce(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Cost {
  const { stdout, stderr } = spawnSync('python3', ['-c', RUSAGE, ...command], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, ...env },
  });
  const [code, milliseconds, memory, processorSeconds] = stdout.trim().split(' ').map(Number) as [
    number,
    number,
    number,
    number,
  ];
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}: ${stderr}`);
  return { milliseconds, memory, processorSeconds };
}

/** The middle one of the values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] as number;
}

/** Folder of the recorded figures. */
export const RESULTS = fileURLToPath(new URL('results', import.meta.url));

/** Keeps the figures as JSON in tests/bench/results/`name`.json. */
export function report(name: string, figures: Readonly<Record<string, unknown>>): void {
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(join(RESULTS, `${name}.json`), `${JSON.stringify(figures, undefined, 2)}\n`);
}
