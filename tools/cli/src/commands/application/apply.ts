import { Option } from 'commander';
import type { CommandDefinition } from '../../command.ts';
import type { ApplyStepFlags } from '../../compose/application/apply-steps.ts';
import { OPERATOR_CLUSTER, TRUST } from '../../options.ts';

/** Options of the commands that deploy an application. */
export const APPLY_STEPS = [
  new Option(
    '--images <path>',
    'first load images into the registry of the site: a folder of `ccp export tarball --images`, or a bundle',
  ),
  new Option(
    '--credentials <folder>',
    'folder for openrc and clouds.yaml (default: applications/NAME in the state folder)',
  ),
  new Option('--hook <command>', 'shell command that reads the new identity service as JSON'),
  new Option('--webhook <url>', 'post the same JSON to this URL, signed with --webhook-key'),
  new Option('--webhook-key <file>', 'key for the header x-ccp-signature, HMAC-SHA256'),
  TRUST,
];

/** `ccp application apply NAME`: deploys an uploaded application. */
export const apply: CommandDefinition<ApplyStepFlags> = {
  usage: 'apply <name>',
  description: 'deploy an uploaded application with its overrides, or deploy it again',
  options: [...APPLY_STEPS, ...OPERATOR_CLUSTER],
  examples: [
    'ccp application apply example',
    'ccp application apply example --images example-2026.1-0-images',
  ],
  run: async (context, [name = ''], flags) => {
    const { applyApplication } = await import('#application');
    const { applySteps } = await import('../../compose/application/apply-steps.ts');
    const { printApplied } = await import('../../compose/application/print-applied.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async (engine) => {
      const { steps, files } = applySteps(context, engine, flags);
      const applied = await applyApplication(engine, name, steps);
      return printApplied(context, applied, files(), engine);
    });
  },
};
