import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { generationAge, readGeneration } from '#rollout';
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
    'older-than': {
      type: 'whole-number',
      description:
        'Days. Nothing is done if the current generation is not older, so that a timer can run the action every day.',
      default: 0,
    },
  },
} as const;

const DAY_MS = 86_400_000;

/** Values of the action's parameters. */
export interface Rotation {
  readonly secret: string;
  /** Days. */
  readonly olderThan: number;
}

/**
 * The action `rotate` of every app: writes the next generation of a generated Secret into the site
 * and applies it. The file is unchanged if the apply is refused. The cluster generates the new
 * value, the account is updated, and users of the Secret restart, in the order of the site's steps.
 * A generation that is not in the last good revision is applied first: none is skipped. One that
 * is not older than `olderThan` days stays.
 */
export async function rotate(
  context: CommandContext,
  running: RunningSite,
  app: string,
  { secret, olderThan }: Rotation,
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
  const days = olderThan > 0 ? await daysOf(running, app, secret) : undefined;
  if (days !== undefined && days <= olderThan) {
    const text = `Secret ${secret} of ${app}: generation ${wanted} is ${days} days old, not older than ${olderThan}; nothing was done`;
    context.output.result(text, { app, secret, generation: wanted, days, rotated: false });
    return 0;
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

/** Whole days since the current generation was created; `undefined` if its Secret is missing. */
async function daysOf(
  { cluster, site, engine }: RunningSite,
  app: string,
  secret: string,
): Promise<number | undefined> {
  const age = await generationAge(cluster, site, { app, secret, now: engine.clock.now() });
  return age === undefined ? undefined : Math.floor(age / DAY_MS);
}
