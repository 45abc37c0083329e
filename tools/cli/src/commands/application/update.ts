import { Option } from 'commander';
import { omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ApplyStepFlags } from '../../compose/application/apply-steps.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';
import { APPLY_STEPS } from './apply.ts';

export interface UpdateFlags extends ApplyStepFlags {
  readonly reuseUserOverrides?: boolean;
}

/** `ccp application update TARBALL`: replaces an applied application by another version. */
export const update: CommandDefinition<UpdateFlags> = {
  usage: 'update <tarball>',
  description: 'replace an applied application by another version, and roll a failure back',
  options: [
    new Option(
      '--reuse-user-overrides',
      'keep the overrides of users (default: as metadata.yaml of the tarball says)',
    ),
    new Option('--no-reuse-user-overrides', 'drop the overrides of users'),
    ...APPLY_STEPS,
    ...OPERATOR_CLUSTER,
  ],
  examples: ['ccp application update example-2026.1-1.tgz'],
  run: async (context, [file = ''], { reuseUserOverrides: reuseOverrides, ...flags }) => {
    const { updateApplication } = await import('#application');
    const { applySteps } = await import('../../compose/application/apply-steps.ts');
    const { printApplied } = await import('../../compose/application/print-applied.ts');
    const { readTarball } = await import('../../compose/application/read-tarball.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    const tarball = await readTarball(file);
    return await withApplications(context, flags, async (engine) => {
      const { steps, files } = applySteps(context, engine, flags);
      const how = { ...steps, ...omitUndefined({ reuseOverrides }) };
      const updated = await updateApplication(engine, tarball, how);
      const { signal } = engine;
      return printApplied(context, updated, files(), { wanted: tarball.version, signal });
    });
  },
};
