import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { OPERATOR_CLUSTER } from '../../options.ts';

/** `ccp application upload TARBALL`: records an application in the cluster. */
export const upload: CommandDefinition<ClusterFlags> = {
  usage: 'upload <tarball>',
  description: 'check a tarball and record its application in the cluster',
  options: OPERATOR_CLUSTER,
  examples: ['ccp application upload example-2026.1-0.tgz'],
  run: async (context, [file = ''], flags) => {
    const { uploadApplication } = await import('#application');
    const { applicationJson, applicationLines } =
      await import('../../compose/application/application-text.ts');
    const { readTarball } = await import('../../compose/application/read-tarball.ts');
    const { renderApplication } = await import('../../compose/application/render-application.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    const tarball = await readTarball(file);
    return await withApplications(context, flags, async (engine) => {
      const record = await uploadApplication(engine, tarball, renderApplication);
      context.output.result(applicationLines(record).join('\n'), applicationJson(record));
      return 0;
    });
  },
};
