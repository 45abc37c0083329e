import type { ActionParameter } from '#definitions';
import type { CommandDefinition } from '../../../command.ts';
import type { ClusterFlags } from '../../../compose/deploy/open-site.ts';
import { refuseUnknownApp } from '../../../compose/deploy/refuse-unknown-app.ts';
import { CLUSTER } from '../../../options.ts';

/**
 * `ccp deploy action list SITE [APP]`: the actions of the newest revision, with their parameters.
 */
export const list: CommandDefinition<ClusterFlags> = {
  usage: 'list <site> [app]',
  description: 'list the actions of the newest revision, with their parameters',
  options: CLUSTER,
  examples: ['ccp deploy action list example', 'ccp deploy action list example mariadb'],
  run: async (context, [name = '', app], flags) => {
    const { readSite } = await import('#definitions/deploy');
    const { readNewest } = await import('#rollout');
    const { withCluster } = await import('../../../compose/deploy/open-site.ts');
    const { ROTATE } = await import('../../../compose/deploy/rotate.ts');
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
  },
};

function parameterText(
  name: string,
  { description, type, choices, default: value }: ActionParameter,
): string {
  const what = choices === undefined ? type : choices.join('|');
  return `--param ${name}=<${what}>  ${description}${value === undefined ? ' (required)' : ` (${JSON.stringify(value)})`}`;
}
