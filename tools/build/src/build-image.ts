import { parentArg } from '#inputs';
import type { ContainerRunner, EngineBuildEvent, ImageEngine, ImageIdentity, ImageStore, StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { ImageTold } from './image-told.ts';
import { testStored } from './test-stored.ts';
import type { BuildOptions, BuildPorts, Outcome, ParentDigests } from './types.ts';

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
    await engine.build(request, stepTeller(told), signal);
    await told.during('push', () => push(task, incoming, store, signal));
    const stored = await told.during('seal', () => store.seal(identity, signal));
    await testStored(task, stored, ports, told, signal);
    signal.throwIfAborted();
    await store.publish(stored);
    return stored;
  } finally {
    await engine.untag(incoming).catch(() => undefined);
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
  return Object.fromEntries(
    Object.entries(planned.parents).map(([role, parent]) => [
      parentArg(role),
      store.reference(parent, parents[role]!),
    ]),
  );
}

function stepTeller(told: ImageTold): (event: EngineBuildEvent) => void {
  const names = new Map<string, string>();
  return (event) => {
    if (event.type === 'step') {
      names.set(event.id, event.name);
      told.step(event.name, event.state);
    } else told.output(names.get(event.id) ?? 'build', event.text);
  };
}
