import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { CommandDefinition } from '../../command.ts';
import type { ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { CHECKS, CLUSTER, CONFLICTS, JOBS, SET } from '../../options.ts';

/**
 * `ccp deploy scale SITE APP.WORKLOAD=NUMBER...`: writes the numbers into the site and applies it.
 * The file is unchanged if the apply is refused: by the app spec (quorum, maximum), a conflict,
 * another run.
 */
export const scale: CommandDefinition<ApplyFlags> = {
  usage: 'scale <site> <workloads...>',
  description: 'set replicas in site.yaml (APP.WORKLOAD=NUMBER) and apply the site',
  options: [SET, CHECKS, JOBS, ...CONFLICTS, ...CLUSTER],
  examples: ['ccp deploy scale example keystone.api=5'],
  run: async (context, [name = '', ...wishes], flags) => {
    const { readSite } = await import('#definitions/deploy');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    const { proposedSite } = await import('../../compose/deploy/proposed-site.ts');
    const { refuseManaged } = await import('../../compose/deploy/refuse-managed.ts');
    const { applyChoices, runApply } = await import('../../compose/deploy/run-apply.ts');
    const { scaledText, wishOf } = await import('../../compose/deploy/scaled-text.ts');
    const { writeAtomically } = await import('../../state/files.ts');
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
    return await withCluster(context, name, flags, async (running) => {
      await refuseManaged(running.cluster, site);
      const all = { ...choices, onReady };
      return await runApply(context, { ...running, site }, rendered, all, flags.checks);
    });
  },
};
