import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, platform, sha256 } from '#core';
import type { EngineBuildRequest, EngineEvents, ImageEngine } from '../image-engine.ts';
import { readFakeDockerfile, type FakeStep } from './fake-dockerfile.ts';
import { textsOfTar } from './tar-of.ts';

/** What the loopback registry holds: reference -> content. Shared by a `fakeEngine` and a `fakeStore`, it joins them. */
export type FakeRegistry = Map<string, string>;

/** One build, decided by the test instead of by the context's Dockerfile. */
export interface FakeBuild {
  /** Milliseconds of the fake's clock; none where absent. */
  readonly takes?: number;
  /** Raised when the time is over. */
  readonly fails?: CcpError;
  /** What is in the image: equal contents, equal digests. By default a hash of the whole request. */
  readonly content?: string;
  /** Its one step, the reference where absent. */
  readonly step?: string;
  /** One event of output each. */
  readonly output?: readonly string[];
}

export interface FakeEngineOptions {
  readonly name?: string;
  readonly registry?: FakeRegistry;
  /** The clock; raises where the signal is aborted. By default the real one. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /** Decides a build; `attempt` counts from 1 for each reference. Where it gives nothing, the Dockerfile is read. */
  readonly behave?: (request: EngineBuildRequest, attempt: number) => FakeBuild | undefined;
}

export interface FakeCall {
  readonly call: 'build' | 'push' | 'pull' | 'untag';
  readonly reference: string;
}

/** An engine in memory that tells what was asked of it. */
export interface FakeEngine extends ImageEngine {
  readonly calls: readonly FakeCall[];
  /** Builds under way, and the most there ever were at once. */
  readonly running: number;
  readonly peak: number;
  /** Cuts every build under way (`engine-failed`); all later calls raise `engine-unreachable`, until `revive`. */
  die(): void;
  revive(): void;
}

/** An engine that understands what `readFakeDockerfile` does, keeps a build cache, and fails as its test says. */
export function fakeEngine(options: FakeEngineOptions = {}): FakeEngine {
  const { name = 'fake', registry = new Map<string, string>(), sleep = (ms, signal) => delay(ms, undefined, { signal }) } = options;
  const images = new Map<string, string>();
  const cache = new Set<string>();
  const calls: FakeCall[] = [];
  const attempts = new Map<string, number>();
  let death = new AbortController();
  let running = 0;
  let peak = 0;

  const record = (call: FakeCall['call'], reference: string, signal?: AbortSignal): void => {
    if (signal?.aborted === true) throw cancelled(name);
    if (death.signal.aborted) throw new CcpError({ code: 'engine-unreachable', message: `the engine ${name} does not answer` });
    calls.push({ call, reference });
  };

  const runSteps = async (
    steps: readonly FakeStep[],
    request: EngineBuildRequest,
    context: string,
    events: EngineEvents,
    signal: AbortSignal,
  ): Promise<void> => {
    let chain = context;
    for (const step of steps) {
      chain = sha256(`${chain}\n${step.instruction}`);
      const id = `sha256:${chain}`;
      events({ type: 'step', id, name: step.name, state: 'started' });
      if (cache.has(chain) && !request.noCache) {
        events({ type: 'step', id, name: step.name, state: 'cached' });
        continue;
      }
      const printed: string[] = [];
      for (const act of step.acts) {
        if (act.act === 'wait') await sleep(act.ms, signal);
        if (act.act === 'print') {
          printed.push(act.text);
          events({ type: 'output', id, text: act.text });
        }
        if (act.act === 'exit' && act.code !== 0) {
          events({ type: 'step', id, name: step.name, state: 'failed' });
          const lines =
            printed.length === 0
              ? ''
              : `; its last lines:\n${printed
                  .map((line) => `  ${line}`)
                  .join('')
                  .trimEnd()}`;
          throw new CcpError({
            code: 'build-failed',
            message: `cannot build ${request.reference}: step "${step.name}" failed with exit code ${act.code}${lines}`,
          });
        }
      }
      cache.add(chain);
      events({ type: 'step', id, name: step.name, state: 'done' });
    }
  };

  const play = async (build: FakeBuild, request: EngineBuildRequest, events: EngineEvents, signal: AbortSignal): Promise<void> => {
    const id = `sha256:${sha256(request.reference)}`;
    const step = { type: 'step', id, name: `[1/1] ${build.step ?? request.reference}` } as const;
    events({ ...step, state: 'started' });
    if (build.takes !== undefined) await sleep(build.takes, signal);
    for (const text of build.output ?? []) events({ type: 'output', id, text });
    events({ ...step, state: build.fails === undefined ? 'done' : 'failed' });
    if (build.fails !== undefined) throw build.fails;
  };

  return {
    name,
    calls,
    get running() {
      return running;
    },
    get peak() {
      return peak;
    },
    die: () => death.abort(),
    revive: () => {
      death = new AbortController();
    },
    info: async (signal) => {
      if (signal?.aborted === true) throw cancelled(name);
      if (death.signal.aborted) throw new CcpError({ code: 'engine-unreachable', message: `the engine ${name} does not answer` });
      return { id: name, version: '0', platform: platform('linux/amd64'), cpus: 4, memory: 8 * 2 ** 30 };
    },
    build: async (request, events, signal) => {
      record('build', request.reference, signal);
      const attempt = (attempts.get(request.reference) ?? 0) + 1;
      attempts.set(request.reference, attempt);
      const dead = death.signal;
      const either = AbortSignal.any([signal, dead]);
      peak = Math.max(peak, (running += 1));
      try {
        const context = await readAll(request.context());
        const decided = options.behave?.(request, attempt);
        if (decided === undefined) {
          const dockerfile = (await textsOfTar(context)).get(request.dockerfile);
          if (dockerfile === undefined)
            throw new CcpError({ code: 'build-invalid', message: `cannot build ${request.reference}: failed to read ${request.dockerfile}` });
          await runSteps(readFakeDockerfile(dockerfile, `build ${request.reference}`), request, sha256(context), events, either);
        } else await play(decided, request, events, either);
        either.throwIfAborted();
        const content = decided?.content ?? sha256(`${sha256(context)} ${JSON.stringify(request.buildArgs)} ${request.platform}`);
        images.set(request.reference, content);
        return { imageId: `sha256:${sha256(content)}` };
      } catch (thrown) {
        if (signal.aborted) throw cancelled(name);
        if (dead.aborted) throw new CcpError({ code: 'engine-failed', message: `the engine ${name} cut the build of ${request.reference}` });
        throw thrown;
      } finally {
        running -= 1;
      }
    },
    push: async (reference, signal) => {
      record('push', reference, signal);
      const content = images.get(reference);
      if (content === undefined) throw new CcpError({ code: 'push-refused', message: `cannot push ${reference}: the engine has no such image` });
      registry.set(reference, content);
    },
    pull: async (reference, signal) => {
      record('pull', reference, signal);
      const content = registry.get(reference);
      if (content === undefined) throw new CcpError({ code: 'pull-refused', message: `cannot pull ${reference}: the registry has no such image` });
      images.set(reference, content);
    },
    untag: async (reference) => {
      record('untag', reference);
      images.delete(reference);
    },
    untagAll: async (prefixes) => {
      for (const reference of [...images.keys()]) if (prefixes.some((prefix) => reference.startsWith(prefix))) images.delete(reference);
    },
    prune: async () => {
      const freed = cache.size;
      cache.clear();
      return freed;
    },
  };
}

function cancelled(name: string): CcpError {
  return new CcpError({ code: 'cancelled', message: `the build on ${name} was cancelled` });
}

async function readAll(source: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}
