import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSite, type Site } from '#definitions';
import type { CommandContext } from '../../program.ts';
import { setInYaml } from '../../set-in-yaml.ts';
import { writeAtomically } from '../../state/files.ts';
import { applyChoices, runApply, type ApplyFlags } from './apply.ts';
import { renderedSite, type RunningSite } from './open-site.ts';
import { refuseUnknownApp } from './refuse-unknown-app.ts';

/**
 * The action `rotate` of every app: writes the next generation of a generated Secret into the site, all else in it kept, and applies
 * it. The file is left as it is where anything refuses that. The cluster makes the new value, what keeps accounts sets it, and users
 * roll after that, in the order of the site's steps.
 */
export async function rotate(context: CommandContext, running: RunningSite, app: string, secret: string, flags: ApplyFlags): Promise<number> {
  const path = `deploy-specs/${running.site.name}/site.yaml`;
  const file = join(context.root, path);
  const text = rotatedText(readFileSync(file, 'utf8'), running.site, app, secret);
  const site = parseSite(text, path, running.site.name);
  const rendered = renderedSite(context, site, flags);
  const onReady = (): void => writeAtomically(file, text);
  return await runApply(context, { ...running, site }, rendered, { ...applyChoices(flags, site), onReady });
}

/** The text of a site with the next generation of an app's Secret. Raises `usage` where the site has no such app. */
function rotatedText(text: string, { name, apps }: Pick<Site, 'name' | 'apps'>, app: string, secret: string): string {
  refuseUnknownApp({ name, apps }, app);
  return setInYaml(text, ['apps', app, 'generations', secret], (apps[app]!.generations?.[secret] ?? 1) + 1);
}
