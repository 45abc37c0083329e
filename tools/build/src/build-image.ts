import { CcpError, formatPosition } from '#core';
import { parentArg } from '#inputs';
import type { ContainerRunner, EngineBuildEvent, ImageEngine, ImageIdentity, ImageStore, StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { ImageTold } from './image-told.ts';
import { shortStep } from './short-step.ts';
import { testStored } from './test-stored.ts';
import type { BuildOptions, BuildPorts, ImageContext, Outcome, ParentDigests } from './types.ts';

/** As much of a step's name as the messages of an `ImageEngine` show at least. */
const NAME_LENGTH = 150;

/** One image, ready to be built: its parents are in the store. */
export interface ImageTask {
  readonly planned: PlannedImage;
  readonly parents: ParentDigests;
  readonly contentKey: string;
  readonly engine: ImageEngine;
  readonly runner: ContainerRunner;
  /** What the store has of it already: it is only tested. */
  readonly known?: Extract<Outcome, { readonly type: 'reused' | 'aliased' }>;
  /** Hears of each reference that the engine got for the tests; whoever runs the task has it forgotten. */
  readonly onPulled: (reference: string) => void;
  /** Called once the engine has built and tested the image: only the store has still to name it. */
  readonly onEngineDone: () => void;
}

/**
 * Builds, pushes, seals, tests and at last names an image. Whatever fails before the end, the image has no name. Raises the
 * errors of the ports, and `image-tests-failed` with all findings.
 */
export async function buildImage(task: ImageTask, ports: BuildPorts, options: BuildOptions, told: ImageTold, signal: AbortSignal): Promise<StoredImage> {
  const { planned, engine } = task;
  const { store } = ports;
  const { image, fingerprint, record } = planned;
  const identity: ImageIdentity = {
    image,
    fingerprint,
    series: record.series,
    platform: record.platform,
    contentKey: task.contentKey,
    labels: record.labels,
    ...(task.parents['base'] === undefined ? {} : { base: task.parents['base'] }),
  };
  const incoming = store.incoming(identity);
  const context = await told.during('gather inputs', () => ports.openContext(planned, signal));
  signal.throwIfAborted();
  try {
    const request = {
      context: context.open,
      dockerfile: 'Dockerfile',
      buildArgs: parentArguments(task, ports),
      platform: record.platform,
      network: record.unlocked ? 'host' : 'none',
      reference: incoming,
      noCache: options.noCache ?? false,
    } as const;
    const failed: string[] = [];
    await engine.build(request, stepTeller(told, failed), signal).catch((thrown: unknown) => {
      throw ofTemplate(thrown, incoming, failed, context);
    });
    await told.during('push', () => push(task, incoming, store, signal));
    const stored = await told.during('seal', () => store.seal(identity, signal));
    await testStored(task, stored, ports, told, signal);
    signal.throwIfAborted();
    task.onEngineDone();
    await store.publish(stored);
    return stored;
  } finally {
    // Nothing waits for it; what a run could not have forgotten the next one does.
    void engine.untag(incoming).catch(() => undefined);
  }
}

/** Raises what the store says itself where it refused the push. */
async function push({ engine, planned }: ImageTask, incoming: string, store: ImageStore, signal: AbortSignal): Promise<void> {
  try {
    await engine.push(incoming, signal);
  } catch (thrown) {
    throw store.refusal(planned) ?? thrown;
  }
}

/** The build argument of each parent: the reference by digest that the template's FROM names. */
function parentArguments({ planned, parents }: ImageTask, { store }: BuildPorts): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(planned.parents).map(([role, parent]) => [parentArg(role), store.reference(parent, parents[role]!)]));
}

/** A fault of a step by what of the definition it means, or by the line of the template that wrote it, without the reference that only this run knows. */
function ofTemplate(thrown: unknown, incoming: string, failed: readonly string[], { locate, explain }: ImageContext): unknown {
  if (!(thrown instanceof CcpError) || !thrown.code.startsWith('build-')) return thrown;
  const fault = explain?.(thrown.message);
  if (fault !== undefined)
    return new CcpError({ code: thrown.code, message: `${formatPosition(fault.at)}: ${fault.message}`, hint: fault.hint, cause: thrown });
  const message = thrown.message.replace(`cannot build ${incoming}: `, '');
  const at = failed.filter((step) => message.includes(`"${step.replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH)}`)).map((step) => locate?.(step))[0];
  return new CcpError({
    code: thrown.code,
    message: at === undefined ? message : `${formatPosition(at)}: ${message}`,
    ...(thrown.hint === undefined ? {} : { hint: thrown.hint }),
    cause: thrown,
  });
}

/** Tells steps and output by short names; `failed` gets the whole names of the steps that fail. */
function stepTeller(told: ImageTold, failed: string[]): (event: EngineBuildEvent) => void {
  const names = new Map<string, string>();
  return (event) => {
    if (event.type === 'step') {
      const name = shortStep(event.name);
      names.set(event.id, name);
      if (event.state === 'failed') failed.push(event.name);
      told.step(name, event.state);
    } else told.output(names.get(event.id) ?? 'build', event.text);
  };
}
