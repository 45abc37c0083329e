import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp application delete NAME`: forgets an application that is not deployed. */
export const deleteCommand: CommandDefinition<ClusterFlags> = {
  usage: 'delete <name>',
  description: 'delete the record, the files and the overrides of an application',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application delete example'],
  run: async (context, [name = ''], flags) => {
    const { deleteApplication } = await import('#application');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async (engine) => {
      await deleteApplication(engine, name);
      context.output.result(`${name} is deleted`, { name, deleted: true });
      return 0;
    });
  },
};
