import { CcpError, withWord } from '#core';
import { hasWork } from '#plan';
import { forgetAddresses, noteAddress, serveStore } from '#store';
import { builtImage } from '../built-image.ts';
import { openEngines } from '../compose-engines.ts';
import { CANCELLING, interruptSignal } from '../interrupt.ts';
import type { CommandContext } from '../program.ts';

export interface RunFlags {
  readonly user?: string;
  readonly engine?: string;
}

/**
 * `ccp run IMAGE -- COMMAND`: runs a command in a built image without network; its exit code is the command's. For JSON its
 * output is caught, else it goes to this process's own.
 */
export async function run(context: CommandContext, [name = '', ...command]: readonly string[], { user, engine: endpoint }: RunFlags): Promise<number> {
  const { output, flags } = context;
  const { project, planned } = await builtImage(context, name, 'all');
  if (hasWork(planned)) output.warn(`${name} has not passed its tests as they are now`);
  const { engines } = await openEngines({
    settings: project.settings,
    output,
    yes: flags.yes === true,
    ...(endpoint === undefined ? {} : { endpoints: [endpoint] }),
  });
  const engine = engines[0];
  if (engine === undefined) throw new CcpError({ code: 'engine-unreachable', message: 'no engine answers' });
  const store = await serveStore({ folder: project.paths.store });
  try {
    const image = store.reference(planned.image, planned.digest);
    // What a person named is the image; the reference is this run's own.
    const ofImage = <T>(work: Promise<T>): Promise<T> =>
      work.catch((thrown: unknown) => {
        throw withWord(thrown, image, name);
      });
    noteAddress(project.paths.store, store.address);
    await ofImage(engine.pull(image, new AbortController().signal));
    const spec = {
      image,
      network: 'none',
      ...(command.length === 0 ? {} : { entrypoint: [command[0] as string], command: command.slice(1) }),
      ...(user === undefined ? {} : { user }),
    };
    try {
      if (!output.json)
        return await ofImage(
          engine.attach({ ...spec, tty: process.stdin.isTTY === true && process.stdout.isTTY === true }, { onSlow: () => output.warn(CANCELLING) }),
        );
      const { signal, done } = interruptSignal(output.warn);
      const result = await ofImage(engine.run(spec, { signal })).finally(done);
      output.result('', { image: name, digest: planned.digest, ...result });
      return result.exitCode;
    } finally {
      await engine.untag(image).then(
        () => forgetAddresses(project.paths.store, [store.address]),
        () => undefined,
      );
    }
  } finally {
    await store.close();
  }
}
