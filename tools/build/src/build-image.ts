import { CcpError } from '#core';
import { parentArg } from '#inputs';
import type { ContainerRunner, EngineBuildEvent, ImageEngine, ImageIdentity, StoredImage } from '#ports';
import type { PlannedImage } from '#plan';
import type { ImageTold } from './image-told.ts';
import type { TestReport } from './image-tests/types.ts';
import type { BuildOptions, BuildPorts, ParentDigests } from './types.ts';

/** One image, ready to be built: its parents are in the store. */
export interface ImageTask {
  readonly planned: PlannedImage;
  readonly parents: ParentDigests;
  readonly contentKey: string;
  readonly engine: ImageEngine;
  readonly runner: ContainerRunner;
}

/**
 * Builds, pushes, seals, tests and at last names an image. Whatever fails before the end, the image has no name. Raises the
 * errors of the ports, and `image-tests-failed` with all findings.
 */
export async function buildImage(task: ImageTask, ports: BuildPorts, options: BuildOptions, told: ImageTold, signal: AbortSignal): Promise<StoredImage> {
  const { planned, engine, runner } = task;
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
    await told.during('push', () => engine.push(incoming, signal));
    const stored = await told.during('seal', () => store.seal(identity, signal));
    const reference = store.reference(image, stored.digest);
    await told.during('test', async () => {
      await engine.pull(reference, signal);
      const report = await ports.testImage({ planned, stored, reference, runner }, signal);
      told.output('test', reportText(report));
      if (report.findings.length > 0) throw testsFailed(planned, report);
    });
    signal.throwIfAborted();
    await store.publish(stored);
    return stored;
  } finally {
    await engine.untag(incoming).catch(() => undefined);
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

function testsFailed({ image }: PlannedImage, { findings }: TestReport): CcpError {
  return new CcpError({
    code: 'image-tests-failed',
    message: [`${image} was built but its tests found ${findings.length === 1 ? 'a fault' : `${findings.length} faults`}:`, ...findings.map(({ message }) => `- ${message}`)].join('\n'),
    hint: `mend the image, or list the exception under "tests" in its image.yaml; the image is not in the set`,
  });
}

function reportText({ checks, findings }: TestReport): string {
  return [...findings.map(({ check, message }) => `${check}: ${message}`), `${checks.length} checks, ${findings.length} findings`, ''].join('\n');
}
