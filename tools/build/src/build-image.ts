import { parentArg } from '#context';
import { CcpError, formatPosition, omitUndefined, type Digest } from '#core';
import type { EngineBuildEvent, ImageIdentity, ImageStore, StoredImage } from '#ports';
import type { ImageReporter } from './image-reporter.ts';
import type { ImageTask } from './image-task.ts';
import { shortStep } from './short-step.ts';
import { testStored } from './test-stored.ts';
import type { BuildOptions, BuildPorts, ImageContext } from './types.ts';

/** Characters of a step's name that every error message of an `ImageEngine` contains. */
const NAME_LENGTH = 150;

/**
 * Builds, pushes, seals, tests and finally names an image. If a step fails, the image has no name.
 * Throws the ports' errors, and `image-tests-failed` with all findings.
 */
export async function buildImage(
  task: ImageTask,
  ports: BuildPorts,
  options: BuildOptions,
  reporter: ImageReporter,
  signal: AbortSignal,
): Promise<StoredImage> {
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
  const context = await reporter.during('gather inputs', () => ports.openContext(planned, signal));
  signal.throwIfAborted();
  try {
    const request = {
      context: context.open,
      dockerfile: 'Dockerfile',
      buildArgs: parentArguments(task, ports),
      platform: record.platform,
      network: record.unlocked ? (record.network ?? 'bridge') : 'none',
      reference: incoming,
      noCache: options.noCache ?? false,
    } as const;
    const failed: string[] = [];
    await engine.build(request, reportSteps(reporter, failed), signal).catch((thrown: unknown) => {
      throw ofTemplate(thrown, incoming, failed, context);
    });
    const pushed = await reporter.during('push', () => push(task, incoming, store, signal));
    const stored = await reporter.during('seal', () => store.seal(identity, pushed, signal));
    await testStored(task, stored, ports, reporter, signal);
    signal.throwIfAborted();
    task.onEngineDone();
    await store.publish(stored);
    return stored;
  } finally {
    // Not awaited: if it fails, the next run removes the name.
    void engine.untag(incoming).catch(() => undefined);
  }
}

/**
 * Pushes the image; resolves with its digest. Throws the store's own error if it refused the push.
 */
async function push(
  { engine, planned }: ImageTask,
  incoming: string,
  store: ImageStore,
  signal: AbortSignal,
): Promise<Digest> {
  try {
    return await engine.push(incoming, signal, store.login);
  } catch (thrown) {
    throw store.refusal(planned) ?? thrown;
  }
}

/** Build arguments for the template's FROM instructions: each parent's reference by digest. */
function parentArguments(
  { planned, parents }: ImageTask,
  { store }: BuildPorts,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(planned.parents).map(([role, parent]) => [
      parentArg(role),
      store.reference(parent, parents[role]!),
    ]),
  );
}

/**
 * Replaces a failed step's error by its cause in the definition, or prefixes it with the position
 * in the template. Removes this run's temporary reference from the message.
 */
function ofTemplate(
  thrown: unknown,
  incoming: string,
  failed: readonly string[],
  { locate, explain }: ImageContext,
): unknown {
  if (!(thrown instanceof CcpError) || !thrown.code.startsWith('build-')) return thrown;
  const fault = explain?.(thrown.message);
  if (fault !== undefined)
    return new CcpError({
      code: thrown.code,
      message: `${formatPosition(fault.at)}: ${fault.message}`,
      hint: fault.hint,
      cause: thrown,
    });
  const message = thrown.message.replace(`cannot build ${incoming}: `, '');
  const at = failed
    .filter((step) => message.includes(`"${step.replaceAll(/\s+/g, ' ').slice(0, NAME_LENGTH)}`))
    .map((step) => locate?.(step))[0];
  return new CcpError({
    code: thrown.code,
    message: at === undefined ? message : `${formatPosition(at)}: ${message}`,
    ...omitUndefined({ hint: thrown.hint }),
    cause: thrown,
  });
}

/** Reports steps and output under short names; collects full names of failed steps in `failed`. */
function reportSteps(reporter: ImageReporter, failed: string[]): (event: EngineBuildEvent) => void {
  const names = new Map<string, string>();
  return (event) => {
    if (event.type === 'step') {
      const name = shortStep(event.name);
      names.set(event.id, name);
      if (event.state === 'failed') failed.push(event.name);
      reporter.step(name, event.state);
    } else reporter.output(names.get(event.id) ?? 'build', event.text);
  };
}
