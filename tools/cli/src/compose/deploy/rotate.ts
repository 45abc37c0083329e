import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readGeneration } from '#rollout';
import type { CommandContext } from '../../command.ts';
import { writeAtomically } from '../../state/files.ts';
import { renderedSite, type RunningSite } from './open-site.ts';
import { proposedSite } from './proposed-site.ts';
import { refuseUnknownApp } from './refuse-unknown-app.ts';
import { applyChoices, runApply, type ApplyFlags } from './run-apply.ts';
import { setInYaml } from './set-in-yaml.ts';

/** The action of every app with generated Secrets. It changes the site, so it is not a Job. */
export const ROTATE = {
  id: 'APP/rotate',
  description:
    'Creates a new generation of a generated Secret and restarts the workloads that use it.',
  parameters: {
    secret: {
      type: 'text',
      description: "Name of an entry in the app's `secrets`, or of a requirement with an account.",
    },
  },
} as const;

/**
 * The action `rotate` of every app: writes the next generation of a generated Secret into the site
 * and applies it. The file is unchanged if the apply is refused. The cluster generates the new
 * value, the account is updated, and users of the Secret restart, in the order of the site's steps.
 * A generation that is not in the last good revision is applied first: none is skipped.
 */
export async function rotate(
  context: CommandContext,
  running: RunningSite,
  app: string,
  secret: string,
  flags: ApplyFlags,
): Promise<number> {
  const before = running.site;
  refuseUnknownApp(before, app);
  const present = renderedSite(context, before, flags);
  const { wanted, made } = await readGeneration(running.cluster, before, present, app, secret);
  if (made !== wanted) {
    context.output.warn(
      `generation ${wanted} of Secret ${secret} of ${app} is in the site but not in the last good revision: applying it now; rotate again for another generation`,
    );
    return await runApply(context, running, present, applyChoices(flags, before));
  }
  const file = join(context.root, 'deploy-specs', before.name, 'site.yaml');
  const path = ['apps', app, 'generations', secret];
  const text = setInYaml(readFileSync(file, 'utf8'), path, wanted + 1);
  const { site, rendered } = proposedSite(
    context,
    before,
    text,
    [{ argument: `--param secret=${secret}`, path }],
    flags,
  );
  const onReady = (): void => writeAtomically(file, text);
  return await runApply(context, { ...running, site }, rendered, {
    ...applyChoices(flags, site),
    onReady,
  });
}
