import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp application abort NAME`: stops the run that changes an application. */
export const abort: CommandDefinition<ClusterFlags> = {
  usage: 'abort <name>',
  description: 'stop the run that applies, updates or removes an application',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application abort example'],
  run: async (context, [name = ''], flags) => {
    const { abortApplication } = await import('#application');
    const { applicationJson, applicationLines } =
      await import('../../compose/application/application-text.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    return await withApplications(context, flags, async (engine) => {
      const record = await abortApplication(engine, name);
      context.output.result(applicationLines(record).join('\n'), applicationJson(record));
      return 0;
    });
  },
};
