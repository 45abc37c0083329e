import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import type { Site } from '#definitions';
import { readSite } from '#definitions/deploy';
import type { CommandContext } from '../../command.ts';
import { withCluster } from '../../compose/deploy/open-site.ts';
import { proposedSite } from '../../compose/deploy/proposed-site.ts';
import { refuseUnknownApp } from '../../compose/deploy/refuse-unknown-app.ts';
import { applyChoices, runApply, type ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { setInYaml } from '../../compose/deploy/set-in-yaml.ts';
import { writeAtomically } from '../../state/files.ts';

/**
 * `ccp deploy scale SITE APP.WORKLOAD=NUMBER...`: writes the numbers into the site and applies it. The
 * file is unchanged if the apply is refused: by the app spec (quorum, maximum), a conflict, another run.
 */
export async function scale(
  context: CommandContext,
  [name = '', ...wishes]: readonly string[],
  flags: ApplyFlags,
): Promise<number> {
  const before = readSite(context.root, name);
  const file = join(context.root, 'deploy-specs', name, 'site.yaml');
  const text = scaledText(readFileSync(file, 'utf8'), before, wishes);
  const changes = wishes.map((argument) => {
    const { app, workload } = wishOf(argument);
    return { argument, path: ['apps', app, 'replicas', workload] };
  });
  const { site, rendered } = proposedSite(context, before, text, changes, flags);
  const choices = applyChoices(flags, site);
  const onReady = (): void => writeAtomically(file, text);
  return await withCluster(context, name, flags, (running) =>
    runApply(context, { ...running, site }, rendered, { ...choices, onReady }, flags.checks),
  );
}

/**
 * The text of a site with other numbers of replicas. Throws `usage` for an invalid argument or an
 * unknown app.
 */
export function scaledText(
  text: string,
  site: Pick<Site, 'name' | 'apps'>,
  wishes: readonly string[],
): string {
  let changed = text;
  for (const wish of wishes) {
    const { app, workload, replicas } = wishOf(wish);
    refuseUnknownApp(site, app);
    changed = setInYaml(changed, ['apps', app, 'replicas', workload], replicas);
  }
  return changed;
}

function wishOf(wish: string): {
  readonly app: string;
  readonly workload: string;
  readonly replicas: number;
} {
  const [, app = '', workload = '', replicas] =
    /^([a-z0-9-]+)\.([a-z0-9-]+)=(\d{1,4})$/.exec(wish) ?? [];
  if (replicas === undefined)
    throw new CcpError({
      code: 'usage',
      message: `${JSON.stringify(wish)} is not a number of replicas`,
      hint: 'use APP.WORKLOAD=NUMBER, like keystone.api=3',
    });
  return { app, workload, replicas: Number(replicas) };
}
