import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeGeneration } from '#deploy';
import type { CommandContext } from '../../program.ts';
import { setInYaml } from '../../set-in-yaml.ts';
import { writeAtomically } from '../../state/files.ts';
import { applyChoices, runApply, type ApplyFlags } from './apply.ts';
import { renderedSite, type RunningSite } from './open-site.ts';
import { proposedSite } from './proposed-site.ts';
import { refuseUnknownApp } from './refuse-unknown-app.ts';

/**
 * The action `rotate` of every app: writes the next generation of a generated Secret into the site, all else in it kept, and applies
 * it. The file is left as it is where anything refuses that. The cluster makes the new value, what keeps accounts sets it, and users
 * roll after that, in the order of the site's steps. A generation that the last good revision does not have is applied first: none is skipped.
 */
export async function rotate(context: CommandContext, running: RunningSite, app: string, secret: string, flags: ApplyFlags): Promise<number> {
  const before = running.site;
  refuseUnknownApp(before, app);
  const present = renderedSite(context, before, flags);
  const { wanted, made } = await madeGeneration(running.cluster, before, present, app, secret);
  if (made !== wanted) {
    context.output.warn(
      `the site has generation ${wanted} of ${app}'s ${secret}, and the last good revision does not: that is applied now; for the next one rotate again`,
    );
    return await runApply(context, running, present, applyChoices(flags, before));
  }
  const file = join(context.root, 'deploy-specs', before.name, 'site.yaml');
  const path = ['apps', app, 'generations', secret];
  const text = setInYaml(readFileSync(file, 'utf8'), path, wanted + 1);
  const { site, rendered } = proposedSite(context, before, text, [{ argument: `--param secret=${secret}`, path }], flags);
  const onReady = (): void => writeAtomically(file, text);
  return await runApply(context, { ...running, site }, rendered, { ...applyChoices(flags, site), onReady });
}
