import { CcpError } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';
import { EXIT } from '../../report/exit-codes.ts';

/** `ccp application remove NAME`: deletes the site of an application; it stays uploaded. */
export const remove: CommandDefinition<ClusterFlags> = {
  usage: 'remove <name>',
  description: 'with --yes, delete the site of an application; claims and Secrets are kept',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application remove example --yes'],
  run: async (context, [name = ''], flags) => {
    const { removeApplication } = await import('#application');
    const { applicationJson, applicationLines } =
      await import('../../compose/application/application-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    const { refuseManaged } = await import('../../compose/deploy/refuse-managed.ts');
    if (context.flags.yes !== true)
      throw new CcpError({
        code: 'usage',
        message: `nothing was removed: the removal of ${name} was not confirmed`,
        hint: 'confirm it with --yes',
      });
    return await withApplications(context, flags, async (engine) => {
      const { record, kept } = await removeApplication(engine, name, async ({ site }) => {
        if (site !== undefined) await refuseManaged(engine.cluster, site, 'delete');
      });
      context.output.result(
        [
          ...applicationLines(record),
          ...(kept.length === 0 ? [] : [`  kept: ${kept.join(', ')}`]),
        ].join('\n'),
        { ...applicationJson(record), kept },
      );
      if (engine.signal.aborted) return EXIT.cancelled;
      return record.state === 'uploaded' ? EXIT.done : EXIT.cluster;
    });
  },
};
