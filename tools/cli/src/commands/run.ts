import { Option } from 'commander';
import { CcpError, omitUndefined, withWord } from '#core';
import type { CommandDefinition } from '../command.ts';
import { CANCELLING, interruptSignal } from '../compose/interrupt.ts';

export interface RunFlags {
  readonly user?: string;
  readonly engine?: string;
}

/**
 * `ccp run IMAGE -- COMMAND`: runs a command in a built image without network and exits with its
 * code. With `--json` the output is captured.
 */
export const run: CommandDefinition<RunFlags> = {
  usage: 'run <image> [command...]',
  description: 'run a command in a built image, without network access',
  options: [
    new Option('--user <user>', 'user to run the command as'),
    new Option('--engine <endpoint>', 'container engine to run it on'),
  ],
  examples: ['ccp run keystone -- keystone-manage --version'],
  run: async (context, [name = '', ...command], { user, engine: endpoint }) => {
    const { hasWork } = await import('#plan');
    const { forgetAddresses, recordAddress, serveStore } = await import('#store');
    const { builtImage } = await import('../compose/built-image.ts');
    const { openEngines } = await import('../compose/engines.ts');
    const { output, flags } = context;
    const { project, planned } = await builtImage(context, name, 'all');
    if (hasWork(planned)) output.warn(`${name} has not passed its current tests`);
    const { engines } = await openEngines({
      settings: project.settings,
      output,
      yes: flags.yes === true,
      ...(endpoint === undefined ? {} : { endpoints: [endpoint] }),
    });
    const engine = engines[0];
    if (engine === undefined)
      throw new CcpError({ code: 'engine-unreachable', message: 'no container engine responds' });
    const store = await serveStore({ folder: project.paths.store });
    try {
      const image = store.reference(planned.image, planned.digest);
      // Errors name the image as the user did, not the temporary reference.
      const ofImage = <T>(work: Promise<T>): Promise<T> =>
        work.catch((thrown: unknown) => {
          throw withWord(thrown, image, name);
        });
      recordAddress(project.paths.store, store.address);
      await ofImage(engine.pull(image, new AbortController().signal));
      const spec = {
        image,
        network: 'none',
        ...(command.length === 0
          ? {}
          : { entrypoint: [command[0] as string], command: command.slice(1) }),
        ...omitUndefined({ user }),
      };
      try {
        if (!output.json)
          return await ofImage(
            engine.attach(
              { ...spec, tty: process.stdin.isTTY === true && process.stdout.isTTY === true },
              { onSlow: () => output.warn(CANCELLING) },
            ),
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
  },
};
