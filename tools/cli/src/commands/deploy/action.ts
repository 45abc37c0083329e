import type { ActionParameter } from '#definitions';
import { parameterFault, readSite } from '#definitions/deploy';
import { failureLines, findAction, readNewest, runAction, type ActionResult } from '#rollout';
import { parseParameters } from '#site';
import type { CommandContext } from '../../command.ts';
import { withCluster, type ClusterFlags } from '../../compose/deploy/open-site.ts';
import { refuseUnknownApp } from '../../compose/deploy/refuse-unknown-app.ts';
import { rotate } from '../../compose/deploy/rotate.ts';
import type { ApplyFlags } from '../../compose/deploy/run-apply.ts';
import { EXIT } from '../../report/exit-codes.ts';

/** The action of every app with generated Secrets. It changes the site, so it is not a Job. */
const ROTATE = {
  id: 'APP/rotate',
  description:
    'Creates a new generation of a generated Secret and restarts the workloads that use it.',
  parameters: {
    secret: {
      type: 'text',
      description: "Name of an entry in the app's `secrets`, or of a requirement with an account.",
    },
  },
} as const;

export interface ActionFlags extends ApplyFlags {
  readonly param?: readonly string[];
  readonly revision?: number;
}

/** `ccp deploy action list SITE [APP]`: the actions of what runs, with their parameters. */
export async function actionList(
  context: CommandContext,
  [name = '', app]: readonly string[],
  flags: ClusterFlags,
): Promise<number> {
  if (app !== undefined) refuseUnknownApp(readSite(context.root, name), app);
  return await withCluster(context, name, flags, async (running) => {
    const { actions } = (await readNewest(running.cluster, running.site)).rendered;
    const wanted = actions.filter(
      ({ id, kind }) => kind === 'action' && (app === undefined || id.startsWith(`${app}/`)),
    );
    const lines = [...wanted, ROTATE].flatMap(({ id, description, parameters }) => [
      `${id.replace('/', ' ')}: ${description}`,
      ...Object.entries(parameters).map(
        ([key, parameter]) => `    ${parameterText(key, parameter)}`,
      ),
    ]);
    context.output.result(
      lines.join('\n'),
      [...wanted, ROTATE].map(({ id, description, parameters }) => ({
        id,
        description,
        parameters,
      })),
    );
    return 0;
  });
}

/**
 * `ccp deploy action run SITE APP ACTION --param NAME=VALUE`: runs it in the cluster with the image
 * and configuration of what runs, and prints its output.
 */
export async function actionRun(
  context: CommandContext,
  [name = '', app = '', wanted = '']: readonly string[],
  { param = [], revision: wantedRevision, ...flags }: ActionFlags,
): Promise<number> {
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
    context.output.result(actionLines(result).join('\n'), result);
    return EXIT_OF_RUN[result.run.state];
  });
}

/** `running`: the wait for the action was cancelled. */
const EXIT_OF_RUN = { good: EXIT.done, running: EXIT.cancelled, failed: EXIT.cluster } as const;

/** The result of an action run: its output, then one line. */
function actionLines({ run, log, failure }: ActionResult): string[] {
  const output = log.split('\n').filter((line) => line !== '');
  if (run.state === 'running')
    return [
      `${run.action} is still running as Job/${run.job}; run the same command again to wait for it`,
    ];
  if (failure !== undefined)
    return [...failureLines(failure, []), `${run.action}: run ${run.run} failed`];
  return [...output, `${run.action}: run ${run.run} is good`];
}

function parameterText(
  name: string,
  { description, type, choices, default: value }: ActionParameter,
): string {
  const what = choices === undefined ? type : choices.join('|');
  return `--param ${name}=<${what}>  ${description}${value === undefined ? ' (required)' : ` (${JSON.stringify(value)})`}`;
}
