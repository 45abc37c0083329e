import { omitUndefined, type ImageName } from '#core';
import { contentKey, type BuildPlan, type PlannedImage } from '#plan';
import type { ImageEngine } from '#ports';
import { attemptImage } from './attempt-image.ts';
import type { ImageTask } from './image-task.ts';
import { knownImage } from './known-image.ts';
import { blockedOutcome, faultOf, isStored, outcomeOf } from './outcome.ts';
import { secondsLeft, type RunningImage } from './progress.ts';
import { followDependencies, type Dependencies } from './schedule/dependencies.ts';
import { readyQueue, type ReadyQueue } from './schedule/ready-queue.ts';
import { slotsOf, type Slots } from './schedule/slots.ts';
import { remainingPaths, type Task } from './schedule/task.ts';
import type {
  BuildFault,
  BuildOptions,
  BuildPorts,
  EmitBuildEvent,
  Outcome,
  ParentDigests,
} from './types.ts';
import { NO_ENGINE_HINT } from './no-engine-hint.ts';

/** Milliseconds to wait for engines that remove image names at the end of a run. */
const UNTAG_MS = 400;

/** One run of a plan: waiting and running images, their engines, and the outcomes. */
export class BuildRun {
  readonly outcomes = new Map<ImageName, Outcome>();
  readonly #planned: ReadonlyMap<ImageName, PlannedImage>;
  readonly #running = new Map<ImageName, RunningImage>();
  /** Index of the engine that built an image in this run; the preferred engine for its children. */
  readonly #builtOn = new Map<ImageName, number>();
  /** Outcomes of stored images that must only be tested, since their tests changed. */
  readonly #untested = new Map<ImageName, NonNullable<ImageTask['known']>>();
  /** References that engines keep until the end of the run, since children are built on them. */
  readonly #kept: { readonly engine: ImageEngine; readonly reference: string }[] = [];
  readonly #parents: ReadonlySet<ImageName>;
  readonly #dependencies: Dependencies<ImageName>;
  readonly #queue: ReadyQueue<ImageName>;
  readonly #slots: Slots;
  /** Number of images whose parents are done and that are neither settled nor queued yet. */
  #admitting = 0;
  readonly #finished = Promise.withResolvers<void>();
  /** The fault of images that cannot be built because no engine is left. */
  #noEngine: BuildFault = {
    code: 'no-engine',
    message: 'no engine is available',
    hint: NO_ENGINE_HINT,
  };
  readonly #tasks: readonly Task<ImageName>[];
  readonly #slotCount: number;
  readonly #ports: BuildPorts;
  readonly #options: BuildOptions;
  readonly #emit: EmitBuildEvent;
  readonly #signal: AbortSignal;

  constructor(
    plan: BuildPlan,
    tasks: readonly Task<ImageName>[],
    slotCount: number,
    ports: BuildPorts,
    options: BuildOptions,
    emit: EmitBuildEvent,
    signal: AbortSignal,
  ) {
    this.#planned = new Map(plan.images.map((image) => [image.image, image]));
    this.#tasks = tasks;
    this.#parents = new Set(tasks.flatMap(({ parents }) => parents));
    this.#slotCount = slotCount;
    this.#ports = ports;
    this.#options = options;
    this.#emit = emit;
    this.#signal = signal;
    this.#dependencies = followDependencies(tasks);
    const paths = remainingPaths(tasks);
    this.#queue = readyQueue((image) => paths.get(image)!);
    this.#slots = slotsOf(
      ports.engines.map(({ slots }) => slots),
      Math.max(options.jobs ?? Infinity, 1),
    );
  }

  /** Resolves when every image has an outcome. */
  async toTheEnd(): Promise<void> {
    const stop = (): void => this.#cancelWaiting();
    this.#signal.addEventListener('abort', stop, { once: true });
    try {
      if (this.#tasks.length === 0) return;
      for (const image of this.#dependencies.roots()) void this.#admit(image);
      if (this.#signal.aborted) stop();
      await this.#finished.promise;
    } finally {
      this.#signal.removeEventListener('abort', stop);
      await this.#untagKept();
    }
  }

  /** Handles an image whose parents are all stored: settles it if it is stored, else queues it. */
  async #admit(image: ImageName): Promise<void> {
    this.#admitting += 1;
    const isUnknown = await this.#settleKnown(this.#planned.get(image)!);
    this.#admitting -= 1;
    if (isUnknown && !this.outcomes.has(image)) this.#queue.push(image);
    this.#startReady();
  }

  /** Settles an image that is stored or whose check fails. True if it must be built or tested. */
  async #settleKnown(planned: PlannedImage): Promise<boolean> {
    const { store } = this.#ports;
    try {
      const rebuild = this.#options.rebuild === true && planned.action === 'build';
      const known = rebuild
        ? undefined
        : await knownImage(
            planned,
            contentKey(planned.record, this.#parentDigests(planned)),
            store,
          );
      const isTested = known !== undefined && this.#ports.hasPassed(planned, known.stored);
      if (isTested) this.#settle(known);
      else if (known !== undefined) this.#untested.set(planned.image, known);
      return !isTested;
    } catch (thrown) {
      this.#fail(planned, faultOf(thrown));
      return false;
    }
  }

  /**
   * Starts queued images in free slots. Waits until all images that can start now are in the queue,
   * so that the one with the longest path is first, as in a simulation.
   */
  #startReady(): void {
    if (this.#admitting > 0) return;
    if (this.#slots.engines === 0) return this.#failQueued();
    while (this.#queue.size > 0 && !this.#signal.aborted) {
      const image = this.#queue.take()!;
      const planned = this.#planned.get(image)!;
      const base = planned.parents['base'];
      const engine = this.#slots.take(base === undefined ? undefined : this.#builtOn.get(base));
      if (engine === undefined) return this.#queue.push(image);
      void this.#build(planned, engine);
    }
  }

  async #build(planned: PlannedImage, index: number): Promise<void> {
    const { image } = planned;
    const { engine, runner } = this.#ports.engines[index]!;
    const parents = this.#parentDigests(planned);
    const known = this.#untested.get(image);
    const pulled = new Set<string>();
    const onPulled = (reference: string): void => void pulled.add(reference);
    let hasSlot = true;
    const releaseSlot = (): void => {
      if (hasSlot) this.#slots.release(index);
      hasSlot = false;
    };
    const onEngineDone = (): void => {
      // Wait for the image's children: their paths can be longer than those of the ready images.
      if (this.#parents.has(image)) return;
      releaseSlot();
      this.#startReady();
    };
    const task: ImageTask = {
      planned,
      parents,
      contentKey: contentKey(planned.record, parents),
      engine,
      runner,
      onPulled,
      onEngineDone,
      ...omitUndefined({ known }),
    };
    const since = this.#ports.clock.now();
    const onStep = (step: string): void => {
      this.#running.set(image, { step, since });
      this.#progress();
    };
    this.#running.set(image, { step: 'start', since });
    const outcome = await attemptImage(
      task,
      this.#ports,
      this.#options,
      this.#emit,
      onStep,
      this.#signal,
    );
    this.#running.delete(image);
    for (const reference of pulled) {
      if (isStored(outcome) && this.#parents.has(image)) this.#kept.push({ engine, reference });
      else void engine.untag(reference).catch(() => undefined);
    }
    releaseSlot();
    if (outcome.type === 'failed' && outcome.fault.code === 'engine-unreachable')
      this.#loseEngine(index, outcome);
    else {
      if (outcome.type === 'built') {
        this.#builtOn.set(image, index);
        this.#ports.durations.record(image, outcome.seconds);
      }
      this.#settle(outcome);
    }
    this.#startReady();
  }

  /** Untags images that were pulled for tests; best effort, within the time of a cancelled run. */
  async #untagKept(): Promise<void> {
    const { clock } = this.#ports;
    const finished = new AbortController();
    const untagged = Promise.allSettled(
      this.#kept.map(({ engine, reference }) => engine.untag(reference)),
    );
    await Promise.race([untagged, clock.sleep(UNTAG_MS, finished.signal)]);
    finished.abort();
  }

  /** Stops using an unreachable engine; its image is built on another engine if there is one. */
  #loseEngine(index: number, outcome: Extract<Outcome, { type: 'failed' }>): void {
    this.#slots.retire(index);
    if (this.#slots.engines > 0) return this.#queue.push(outcome.image);
    this.#noEngine = outcome.fault;
    this.#settle(outcome);
  }

  #failQueued(): void {
    for (let image = this.#queue.take(); image !== undefined; image = this.#queue.take())
      this.#fail(this.#planned.get(image)!, this.#noEngine);
  }

  #fail(planned: PlannedImage, fault: BuildFault): void {
    this.#settle({ ...outcomeOf(planned), type: 'failed', fault, lastLines: [] });
  }

  /** Keeps an outcome, then blocks or admits the images whose last parent it was. */
  #settle(outcome: Outcome): void {
    const settled = [outcome];
    for (const each of settled) {
      if (this.outcomes.has(each.image)) continue;
      this.outcomes.set(each.image, each);
      // Progress first, so that no reporter shows a finished image as running.
      this.#progress();
      this.#emit({ type: 'image-finished', at: this.#ports.clock.now(), outcome: each });
      if (each.type === 'cancelled') continue;
      for (const child of this.#dependencies.finish(each.image)) {
        if (this.outcomes.has(child)) continue;
        const blocked = blockedOutcome(this.#planned.get(child)!, this.outcomes);
        if (blocked === undefined) void this.#admit(child);
        else settled.push(blocked);
      }
    }
    if (this.outcomes.size === this.#tasks.length) this.#finished.resolve();
  }

  #cancelWaiting(): void {
    for (const [image, planned] of this.#planned) {
      if (this.#running.has(image)) continue;
      const blocked = blockedOutcome(planned, this.outcomes);
      this.#settle(blocked ?? { ...outcomeOf(planned), type: 'cancelled' });
    }
  }

  #progress(): void {
    const at = this.#ports.clock.now();
    this.#emit({
      type: 'progress',
      at,
      done: this.outcomes.size,
      total: this.#tasks.length,
      running: [...this.#running].map(([image, running]) => ({ image, ...running })),
      eta: secondsLeft(this.#tasks, this.outcomes, this.#running, this.#slotCount, at),
    });
  }

  #parentDigests({ parents }: PlannedImage): ParentDigests {
    const digestOf = (image: ImageName) => {
      const outcome = this.outcomes.get(image);
      if (outcome === undefined || !isStored(outcome))
        throw new Error(`${image} is not stored, so its children cannot start`);
      return outcome.stored.digest;
    };
    return Object.fromEntries(
      Object.entries(parents).map(([role, image]) => [role, digestOf(image)]),
    );
  }
}
