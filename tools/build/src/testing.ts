import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { imageName, platform, series, sha256, type Fingerprint } from '#core';
import { fingerprintOf, inputRecord, versionOf, type BuildPlan, type PlannedImage } from '#plan';
import {
  type FakeBuild,
  fakeEngine,
  type FakeEngine,
  type FakeRegistry,
  fakeRunner,
  fakeStore,
  virtualClock,
} from '#ports/testing';
import type { EngineBuildRequest, ImageStore } from '#ports';
import { openDurations } from './durations.ts';
import { runBuild } from './run-build.ts';
import type { BuildEvent, BuildOptions, BuildPorts, BuildResult } from './types.ts';

const SERIES = series('2026.1');
const PLATFORM = platform('linux/amd64');

/**
 * A plan that builds the given images: `name -> parents`, parents first; the first parent is the
 * base. `salt` replaces the inputs of an image.
 */
export function planOf(
  images: Readonly<Record<string, readonly string[]>>,
  salt: Readonly<Record<string, string>> = {},
): BuildPlan {
  const fingerprints = new Map<string, Fingerprint>();
  const planned = Object.entries(images).map(([name, names]): PlannedImage => {
    const image = imageName(name);
    const parents = Object.fromEntries(
      names.map((parent, index) => [index === 0 ? 'base' : `extra-${index}`, imageName(parent)]),
    );
    const record = inputRecord(
      {
        image,
        series: SERIES,
        platform: PLATFORM,
        dockerfile: sha256(salt[name] ?? name),
        files: [],
        debian: {},
        python: { runtime: sha256(''), build: sha256('') },
        sources: {},
        args: {},
        labels: { title: name },
        unlocked: false,
      },
      Object.fromEntries(
        Object.entries(parents).map(([role, parent]) => [role, fingerprints.get(parent)!]),
      ),
    );
    const fingerprint = fingerprintOf(record);
    fingerprints.set(name, fingerprint);
    return {
      image,
      fingerprint,
      version: versionOf(SERIES, fingerprint),
      record,
      parents,
      action: 'build',
      reasons: [{ kind: 'not-built' }],
    };
  });
  return { format: 1, series: SERIES, platform: PLATFORM, origin: 'git', images: planned };
}

/** Controls how an image builds; `attempt` is counted from 1. */
export type FakeBuildBehaviour = (
  image: string,
  attempt: number,
  request: EngineBuildRequest,
) => FakeBuild | undefined;

export interface FakeRunOptions extends Partial<BuildOptions> {
  readonly behave?: FakeBuildBehaviour;
  /** Slots of each engine. */
  readonly slots?: readonly number[];
  readonly store?: ImageStore;
  readonly registry?: FakeRegistry;
  /** Images whose tests fail. */
  readonly unfit?: readonly string[];
  /** Images whose tests changed since they were stored. */
  readonly untested?: readonly string[];
  readonly ports?: Partial<BuildPorts>;
  /** Called for each event; can abort the run. */
  readonly onEvent?: (
    event: BuildEvent,
    control: { readonly abort: () => void; readonly engines: readonly FakeEngine[] },
  ) => void;
}

export interface FakeRun {
  readonly result: BuildResult;
  readonly events: readonly BuildEvent[];
  readonly engines: readonly FakeEngine[];
  readonly store: ImageStore;
  /** Folder of the logs. */
  readonly logs: string;
  /** `image: outcome` for each image. */
  readonly summary: readonly string[];
}

/**
 * Runs a plan with engines and a store in memory and a virtual clock. An image takes 10 s unless
 * `behave` returns another time.
 */
export async function fakeRun(plan: BuildPlan, options: FakeRunOptions = {}): Promise<FakeRun> {
  const {
    behave = () => undefined,
    slots = [2],
    unfit = [],
    untested = [],
    onEvent = () => undefined,
    ports: replaced,
    ...buildOptions
  } = options;
  const registry = options.registry ?? new Map<string, string>();
  const store = options.store ?? fakeStore(registry);
  const clock = virtualClock(0);
  const control = new AbortController();
  const engines = slots.map((_, index) =>
    fakeEngine({
      name: `engine-${index + 1}`,
      registry,
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        signal.throwIfAborted();
      },
      behave: (request, attempt) => ({
        takes: 10_000,
        ...behave(imageInReference(request.reference), attempt, request),
      }),
    }),
  );
  const logs = mkdtempSync(join(tmpdir(), 'ccp-build-'));
  const ports: BuildPorts = {
    engines: engines.map((engine, index) => ({
      engine,
      runner: fakeRunner(),
      slots: slots[index]!,
    })),
    store,
    openContext: async ({ image }) => ({
      open: async function* () {
        yield Buffer.from(image);
      },
    }),
    testImage: async ({ planned: { image }, reference, runner }) => {
      await runner.run({ image: reference, network: 'none' });
      return {
        checks: ['setuid'],
        findings: unfit.includes(image) ? [{ check: 'setuid', message: '/bin/x is setuid' }] : [],
      };
    },
    hasPassed: ({ image }) => !untested.includes(image),
    durations: await openDurations(join(logs, 'durations.json'), 'test'),
    clock,
    ...replaced,
  };
  const events: BuildEvent[] = [];
  const emit = (event: BuildEvent): void => {
    events.push(event);
    onEvent(event, { abort: () => control.abort(), engines });
  };
  const result = await runBuild(plan, ports, { logs, ...buildOptions }, emit, control.signal);
  return {
    result,
    events,
    engines,
    store,
    logs,
    summary: result.outcomes.map(({ image, type }) => `${image}: ${type}`),
  };
}

/** The image name in a fake store's incoming reference. */
export function imageInReference(reference: string): string {
  return reference.replace(/^.*\//, '').replace(/:.*$/, '');
}
