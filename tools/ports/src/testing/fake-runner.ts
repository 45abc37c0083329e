import { setTimeout as delay } from 'node:timers/promises';
import { CcpError } from '#core';
import type {
  ContainerResult,
  ContainerRunner,
  ContainerSpec,
  RunningContainer,
} from '../container-runner.ts';
import { readFakeShell } from './fake-shell.ts';

export interface FakeRunnerOptions {
  /**
   * Result of a container. If it returns nothing, the script of `/bin/sh -c` is interpreted
   * (`readFakeShell`).
   */
  readonly run?: (spec: ContainerSpec) => Partial<ContainerResult> | undefined;
  /** Result of a command in a started container. */
  readonly exec?: (
    spec: ContainerSpec,
    command: readonly string[],
  ) => Partial<ContainerResult> | undefined;
}

/** An in-memory runner that records container specs. */
export interface FakeRunner extends ContainerRunner {
  readonly specs: readonly ContainerSpec[];
}

/** A runner whose containers have the output and exit code that the test defines. */
export function fakeRunner(options: FakeRunnerOptions = {}): FakeRunner {
  const specs: ContainerSpec[] = [];

  const finish = async (spec: ContainerSpec, signal: AbortSignal): Promise<ContainerResult> => {
    const decided = options.run?.(spec);
    if (decided !== undefined) return { ...SILENCE, ...decided };
    return play(
      [...(spec.entrypoint ?? []), ...(spec.command ?? [])],
      spec.stdin,
      signal,
      () => undefined,
    );
  };

  return {
    specs,
    run: async (spec, { timeoutMs, signal } = {}) => {
      const limit = timeoutMs === undefined ? undefined : AbortSignal.timeout(timeoutMs);
      const stop = AbortSignal.any([signal, limit].filter((part) => part !== undefined));
      specs.push(spec);
      try {
        stop.throwIfAborted();
        return await finish(spec, stop);
      } catch (thrown) {
        if (signal?.aborted === true)
          throw new CcpError({ code: 'cancelled', message: `running ${spec.image} was cancelled` });
        if (limit?.aborted === true)
          throw new CcpError({
            code: 'timeout',
            message: `${spec.image} did not finish within ${timeoutMs} ms`,
          });
        throw thrown;
      }
    },
    attach: async (spec) => {
      specs.push(spec);
      return (await finish(spec, new AbortController().signal)).exitCode;
    },
    start: async (spec): Promise<RunningContainer> => {
      specs.push(spec);
      const killed = new AbortController();
      let printed = '';
      const decided = options.run?.(spec);
      const ended =
        decided === undefined
          ? play(
              [...(spec.entrypoint ?? []), ...(spec.command ?? [])],
              undefined,
              killed.signal,
              (text) => {
                printed += text;
              },
            ).catch(() => ({ ...SILENCE, exitCode: KILLED }))
          : Promise.resolve({ ...SILENCE, ...decided });
      return {
        id: `fake-${specs.length}`,
        exec: async (command, { stdin } = {}) => {
          const answer = options.exec?.(spec, command);
          return answer === undefined
            ? play(command, stdin, killed.signal, () => undefined)
            : { ...SILENCE, ...answer };
        },
        logs: async () =>
          decided === undefined ? printed : `${decided.stdout ?? ''}${decided.stderr ?? ''}`,
        wait: async () => (await ended).exitCode,
        signal: async () => killed.abort(),
        remove: async () => killed.abort(),
      };
    },
  };
}

const SILENCE: ContainerResult = { exitCode: 0, stdout: '', stderr: '' };
/** Exit code after SIGKILL: 128 + 9. */
const KILLED = 137;

async function play(
  command: readonly string[],
  stdin: string | undefined,
  signal: AbortSignal,
  onOutput: (text: string) => void,
): Promise<ContainerResult> {
  const result = { ...SILENCE } as { -readonly [K in keyof ContainerResult]: ContainerResult[K] };
  for (const act of readFakeShell(command[1] === '-c' ? (command[2] ?? '') : command.join(' '))) {
    if (act.act === 'wait') await delay(act.ms, undefined, { signal });
    if (act.act === 'exit') return { ...result, exitCode: act.code };
    if (act.act === 'copy') result.stdout += stdin ?? '';
    if (act.act === 'print') {
      result[act.stream] += act.text;
      onOutput(act.text);
    }
  }
  return result;
}
