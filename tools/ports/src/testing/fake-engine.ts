import { setTimeout as delay } from 'node:timers/promises';
import { CcpError, digestOf, platform, sha256 } from '#core';
import type { EngineBuildRequest, EngineEvents, ImageEngine } from '../image-engine.ts';
import { readFakeDockerfile, type FakeStep } from './fake-dockerfile.ts';
import { textsOfTar } from './tar-of.ts';

/**
 * Content of the loopback registry by reference. Share one between a `fakeEngine` and a `fakeStore`
 * to connect them.
 */
export type FakeRegistry = Map<string, string>;

/** A build defined by the test instead of the context's Dockerfile. */
export interface FakeBuild {
  /** Duration in milliseconds of the fake's clock; default 0. */
  readonly takes?: number;
  /** Error thrown at the end. */
  readonly fails?: CcpError;
  /** Content of the image: equal contents have equal digests. Default: a hash of the request. */
  readonly content?: string;
  /** Name of its only step; default: the reference. */
  readonly step?: string;
  /** Output, one event per text. */
  readonly output?: readonly string[];
}

export interface FakeEngineOptions {
  readonly name?: string;
  readonly registry?: FakeRegistry;
  /** The clock, which throws if the signal is aborted. Default: the real clock. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  /**
   * Defines a build; `attempt` counts from 1 for each reference. If it returns nothing, the
   * Dockerfile is used.
   */
  readonly behave?: (request: EngineBuildRequest, attempt: number) => FakeBuild | undefined;
}

export interface FakeCall {
  readonly call: 'build' | 'push' | 'pull' | 'untag';
  readonly reference: string;
}

/** An in-memory engine that records its calls. */
export interface FakeEngine extends ImageEngine {
  readonly calls: readonly FakeCall[];
  /** Number of running builds, and the highest number so far. */
  readonly running: number;
  readonly peak: number;
  /**
   * Interrupts running builds (`engine-failed`). Later calls throw `engine-unreachable` until
   * `revive`.
   */
  die(): void;
  revive(): void;
}

/**
 * An engine that supports the syntax of `readFakeDockerfile`, has a build cache, and fails on
 * request.
 */
export function fakeEngine(options: FakeEngineOptions = {}): FakeEngine {
  const {
    name = 'fake',
    registry = new Map<string, string>(),
    sleep = (ms, signal) => delay(ms, undefined, { signal }),
  } = options;
  const images = new Map<string, string>();
  const cache = new Set<string>();
  const calls: FakeCall[] = [];
  const attempts = new Map<string, number>();
  let death = new AbortController();
  let running = 0;
  let peak = 0;

  const record = (call: FakeCall['call'], reference: string, signal?: AbortSignal): void => {
    if (signal?.aborted === true) throw cancelled(name);
    if (death.signal.aborted)
      throw new CcpError({
        code: 'engine-unreachable',
        message: `the engine ${name} does not respond`,
      });
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

  const play = async (
    build: FakeBuild,
    request: EngineBuildRequest,
    events: EngineEvents,
    signal: AbortSignal,
  ): Promise<void> => {
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
      if (death.signal.aborted)
        throw new CcpError({
          code: 'engine-unreachable',
          message: `the engine ${name} does not respond`,
        });
      return {
        id: name,
        version: '0',
        platform: platform('linux/amd64'),
        cpus: 4,
        memory: 8 * 2 ** 30,
      };
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
            throw new CcpError({
              code: 'build-invalid',
              message: `cannot build ${request.reference}: failed to read ${request.dockerfile}`,
            });
          await runSteps(
            readFakeDockerfile(dockerfile, `build ${request.reference}`),
            request,
            sha256(context),
            events,
            either,
          );
        } else await play(decided, request, events, either);
        either.throwIfAborted();
        const content =
          decided?.content ??
          sha256(`${sha256(context)} ${JSON.stringify(request.buildArgs)} ${request.platform}`);
        images.set(request.reference, content);
        return { imageId: `sha256:${sha256(content)}` };
      } catch (thrown) {
        if (signal.aborted) throw cancelled(name);
        if (dead.aborted)
          throw new CcpError({
            code: 'engine-failed',
            message: `the engine ${name} interrupted the build of ${request.reference}`,
          });
        throw thrown;
      } finally {
        running -= 1;
      }
    },
    push: async (reference, signal) => {
      record('push', reference, signal);
      const content = images.get(reference);
      if (content === undefined)
        throw new CcpError({
          code: 'push-refused',
          message: `cannot push ${reference}: the engine has no such image`,
        });
      registry.set(reference, content);
      return digestOf(content);
    },
    pull: async (reference, signal) => {
      record('pull', reference, signal);
      const content = registry.get(reference);
      if (content === undefined)
        throw new CcpError({
          code: 'pull-refused',
          message: `cannot pull ${reference}: the registry has no such image`,
        });
      images.set(reference, content);
    },
    untag: async (reference) => {
      record('untag', reference);
      images.delete(reference);
    },
    untagAll: async (prefixes) => {
      for (const reference of [...images.keys()])
        if (prefixes.some((prefix) => reference.startsWith(prefix))) images.delete(reference);
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
