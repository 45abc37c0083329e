import { Option } from 'commander';
import type { ActionResult } from '#rollout';
import type { CommandDefinition } from '../../../command.ts';
import { refuseUnknownApp } from '../../../compose/deploy/refuse-unknown-app.ts';
import type { ApplyFlags } from '../../../compose/deploy/run-apply.ts';
import { CLUSTER, collect, CONFLICTS, parseCount, JOBS, SET } from '../../../options.ts';
import { EXIT } from '../../../report/exit-codes.ts';

export interface ActionFlags extends ApplyFlags {
  readonly param?: readonly string[];
  readonly revision?: number;
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
    SET,
    JOBS,
    ...CONFLICTS,
    ...CLUSTER,
  ],
  examples: [
    'ccp deploy action run example mariadb backup',
    'ccp deploy action run example mariadb restore --param name=nightly',
    'ccp deploy action run example keystone rotate --param secret=database',
  ],
  run: async (
    context,
    [name = '', app = '', wanted = ''],
    { param = [], revision: wantedRevision, ...flags },
  ) => {
    const { parameterFault, readSite } = await import('#definitions/deploy');
    const { findAction, runAction } = await import('#rollout');
    const { parseParameters } = await import('#site');
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { ROTATE, rotate } = await import('../../../compose/deploy/rotate.ts');
    refuseUnknownApp(readSite(context.root, name), app);
    return await withCluster(context, name, flags, async (running) => {
      if (wanted === 'rotate')
        return await rotate(
          context,
          running,
          app,
          String(
            parseParameters({ ...ROTATE, id: `${app}/rotate` }, param, parameterFault)['secret'],
          ),
          flags,
        );
      const { action, revision } = await findAction(
        running.cluster,
        running.site,
        `${app}/${wanted}`,
        wantedRevision,
      );
      const result = await runAction(
        running.cluster,
        running.site,
        { action, parameters: parseParameters(action, param, parameterFault), revision },
        running.engine,
      );
      context.output.result((await actionLines(result)).join('\n'), result);
      return EXIT_OF_RUN[result.run.state];
    });
  },
};

/** `running`: the wait for the action was cancelled. */
const EXIT_OF_RUN = { good: EXIT.done, running: EXIT.cancelled, failed: EXIT.cluster } as const;

/** The result of an action run: its output, then one line. */
async function actionLines({ run, log, failure }: ActionResult): Promise<string[]> {
  const { failureLines } = await import('#rollout');
  const output = log.split('\n').filter((line) => line !== '');
  if (run.state === 'running')
    return [
      `${run.action} is still running as Job/${run.job}; run the same command again to wait for it`,
    ];
  if (failure !== undefined)
    return [...failureLines(failure, []), `${run.action}: run ${run.run} failed`];
  return [...output, `${run.action}: run ${run.run} is good`];
}
