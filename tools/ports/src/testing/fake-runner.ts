import { CcpError } from '#core';
import type { ContainerResult, ContainerRunner, ContainerSpec, RunningContainer } from '../container-runner.ts';

export interface FakeRunnerOptions {
  /** What a container prints and how it ends; by default nothing, with exit code 0. */
  readonly run?: (spec: ContainerSpec) => Partial<ContainerResult>;
  /** The same for a command executed in a started container. */
  readonly exec?: (spec: ContainerSpec, command: readonly string[]) => Partial<ContainerResult>;
}

/** A runner in memory that keeps the specs it was given. */
export interface FakeRunner extends ContainerRunner {
  readonly specs: readonly ContainerSpec[];
}

/** Containers that end at once, with what the test says. */
export function fakeRunner(options: FakeRunnerOptions = {}): FakeRunner {
  const specs: ContainerSpec[] = [];
  const finish = (spec: ContainerSpec): ContainerResult => {
    specs.push(spec);
    return { exitCode: 0, stdout: '', stderr: '', ...options.run?.(spec) };
  };
  return {
    specs,
    run: async (spec, { signal } = {}) => {
      if (signal?.aborted === true) throw new CcpError({ code: 'cancelled', message: `running ${spec.image} was cancelled` });
      return finish(spec);
    },
    attach: async (spec) => finish(spec).exitCode,
    createNetwork: async () => ({ remove: async () => undefined }),
    start: async (spec): Promise<RunningContainer> => {
      const { exitCode, stdout, stderr } = finish(spec);
      return {
        id: `fake-${specs.length}`,
        address: async () => '127.0.0.1',
        exec: async (command) => ({ exitCode: 0, stdout: '', stderr: '', ...options.exec?.(spec, command) }),
        logs: async () => stdout + stderr,
        wait: async () => exitCode,
        signal: async () => undefined,
        remove: async () => undefined,
      };
    },
  };
}
