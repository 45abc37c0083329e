import { Option } from 'commander';
import type { CommandDefinition } from '../../../command.ts';
import { refuseUnknownApp } from '../../../compose/deploy/refuse-unknown-app.ts';
import type { ApplyFlags } from '../../../compose/deploy/run-apply.ts';
import { CLUSTER, collect, CONFLICTS, parseCount, JOBS, SET } from '../../../options.ts';

export interface ActionFlags extends ApplyFlags {
  readonly param?: readonly string[];
  readonly revision?: number;
  readonly stayStopped?: boolean;
}

/**
 * `ccp deploy action run SITE APP ACTION --param NAME=VALUE`: runs it in the cluster with the image
 * and configuration of the running revision, and prints its output.
 */
export const run: CommandDefinition<ActionFlags> = {
  usage: 'run <site> <app> <action>',
  description: 'run an action in the cluster and print its output',
  options: [
    new Option('--param <name=value>', 'set a parameter of the action; repeatable').argParser(
      collect,
    ),
    new Option(
      '--revision <number>',
      'revision that defines the action (default: the newest)',
    ).argParser(parseCount),
    new Option(
      '--stay-stopped',
      'after an action that replaces data: leave the services stopped, for a rollback',
    ),
    SET,
    JOBS,
    ...CONFLICTS,
    ...CLUSTER,
  ],
  examples: [
    'ccp deploy action run example mariadb backup',
    'ccp deploy action run example mariadb restore --param name=nightly',
    'ccp deploy action run example keystone rotate --param secret=database',
    'ccp deploy action run example nova rotate --param secret=bus --param older-than=90',
  ],
  run: async (
    context,
    [name = '', app = '', wanted = ''],
    { param = [], revision: wantedRevision, stayStopped = false, ...flags },
  ) => {
    const { parameterFault, readSite } = await import('#definitions/deploy');
    const { findAction, runAction } = await import('#rollout');
    const { parseParameters } = await import('#site');
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { refuseManaged } = await import('../../../compose/deploy/refuse-managed.ts');
    const { ROTATE, rotate } = await import('../../../compose/deploy/rotate.ts');
    refuseUnknownApp(readSite(context.root, name), app);
    return await withCluster(context, name, flags, async (running) => {
      if (wanted === 'rotate') {
        await refuseManaged(running.cluster, running.site);
        const given = parseParameters({ ...ROTATE, id: `${app}/rotate` }, param, parameterFault);
        const rotation = {
          secret: String(given['secret']),
          olderThan: Number(given['older-than']),
        };
        return await rotate(context, running, app, rotation, flags);
      }
      const { action, revision } = await findAction(
        running.cluster,
        running.site,
        `${app}/${wanted}`,
        wantedRevision,
      );
      const parameters = parseParameters(action, param, parameterFault);
      const request = { action, parameters, revision };
      if (action.replaces !== undefined) {
        await refuseManaged(running.cluster, running.site);
        const { restoreData } = await import('../../../compose/deploy/restore-data.ts');
        return await restoreData(context, running, request, { ...flags, stayStopped });
      }
      const result = await runAction(running.cluster, running.site, request, running.engine);
      const { actionLines, EXIT_OF_RUN } = await import('../../../report/action-lines.ts');
      context.output.result(actionLines(result).join('\n'), result);
      return EXIT_OF_RUN[result.run.state];
    });
  },
};
