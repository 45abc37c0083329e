import { Option } from 'commander';
import { CcpError, omitUndefined } from '#core';
import type { CommandDefinition } from '../command.ts';
import { interruptSignal } from '../compose/interrupt.ts';
import type { TrustFlags } from '../compose/registry-place.ts';
import { collect, parseCount, FROM, TRUST } from '../options.ts';
import { EXIT } from '../report/exit-codes.ts';

export interface BuildFlags extends TrustFlags {
  readonly from?: string;
  readonly engine?: readonly string[];
  readonly jobs?: number;
  readonly cache: boolean;
  readonly rebuild?: boolean;
  readonly retest?: boolean;
  readonly offline?: boolean;
  readonly all?: boolean;
}

/** `ccp build`: builds images from their locks or a plan file, and writes the image set. */
export const build: CommandDefinition<BuildFlags> = {
  usage: 'build [images...]',
  description: 'build images from their lock files, or from a plan file',
  options: [
    new Option(
      '--engine <endpoint>',
      'container engine to build on (unix:// or tcp://); repeatable, to build on several engines',
    ).argParser(collect),
    new Option('-j, --jobs <number>', 'number of images to build in parallel').argParser(
      parseCount,
    ),
    new Option('--no-cache', "build without the engine's build cache"),
    new Option('--rebuild', 'also build images that are already in the store'),
    new Option('--retest', 'test images again that have passed; all images if none is named'),
    new Option('--offline', 'use only cached inputs; fail if one is missing'),
    new Option('--all', 'build every image of the series (the default)'),
    FROM,
    TRUST,
  ],
  examples: [
    'ccp build',
    'ccp build keystone --series 2025.2',
    'ccp build keystone --retest',
    'ccp build plan.json',
  ],
  series: 'each',
  run: async (context, names, flags) => {
    const { output } = context;
    if (flags.all === true && names.length > 0)
      throw new CcpError({ code: 'usage', message: '--all cannot be used with image names' });
    for (const flag of ['rebuild', 'offline'] as const)
      if (flags.from !== undefined && flags[flag] === true)
        throw new CcpError({ code: 'usage', message: `--${flag} cannot be used with --from` });
    if (flags.engine !== undefined) (await import('#engines')).checkEndpoints(flags.engine);
    const { planToBuild } = await import('../compose/plan-to-build.ts');
    const { project, plan } = await planToBuild(context, names, flags);
    const { upToDate } = await import('../compose/up-to-date.ts');
    const nothing = await upToDate(project, plan);
    if (nothing !== undefined) {
      const { wasKilled } = await import('#store');
      if (wasKilled(project.paths.store)) {
        const { cleanKilledRun } = await import('../compose/clean-killed-run.ts');
        await cleanKilledRun(project, output);
      }
      output.result(nothing.text, { images: nothing.images, imageSet: nothing.imageSet });
      return EXIT.done;
    }
    const { buildPlan } = await import('../compose/build.ts');
    const { exitCodeOfBuild } = await import('../report/build-exit-code.ts');
    const { buildTable } = await import('../report/build-table.ts');
    const { colourOutcome } = await import('../report/colour.ts');
    const { plainReporter } = await import('../report/plain.ts');
    const { terminalReporter } = await import('../report/terminal.ts');
    const { signal, done } = interruptSignal(output.warn);
    try {
      const built = await buildPlan(project, plan, {
        output,
        emit: output.terminal ? terminalReporter(output) : plainReporter(output),
        signal,
        yes: context.flags.yes === true,
        noCache: !flags.cache,
        rebuild: flags.rebuild === true,
        offline: flags.offline === true,
        ...omitUndefined({ jobs: flags.jobs, endpoints: flags.engine }),
      });
      output.result(buildTable(built), built, colourOutcome);
      return exitCodeOfBuild(built);
    } finally {
      done();
    }
  },
};
