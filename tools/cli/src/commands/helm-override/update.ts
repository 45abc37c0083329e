import { Option } from 'commander';
import { omitUndefined } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { collect, OPERATOR_CLUSTER } from '../../options.ts';

export interface OverrideFlags extends ClusterFlags {
  readonly values?: readonly string[];
  readonly set?: readonly string[];
  readonly resetValues?: boolean;
  readonly host?: string;
}

/** `ccp helm-override update NAME CHART`: changes the user overrides of a chart. */
export const update: CommandDefinition<OverrideFlags> = {
  usage: 'update <name> <chart>',
  description: 'change the user overrides of a chart; the next apply uses them',
  options: [
    new Option('--values <file>', 'YAML with values; repeatable').argParser(collect),
    new Option('--set <value>', 'PATH=VALUE, like settings.processes=4; repeatable').argParser(
      collect,
    ),
    new Option('--reset-values', 'drop the user overrides before'),
    new Option('--host <name>', 'for this host alone: config and resources of its DaemonSets'),
    ...OPERATOR_CLUSTER,
  ],
  examples: [
    'ccp helm-override update example keystone --set replicas.api=2',
    'ccp helm-override update example neutron --values agent.yaml --host compute-0',
  ],
  run: async (
    context,
    [name = '', chart = ''],
    { values: files, set, resetValues: reset = false, host, ...flags },
  ) => {
    const { updateOverrides } = await import('#application');
    const { givenValues } = await import('../../compose/application/given-values.ts');
    const { overrideText } = await import('../../compose/application/override-text.ts');
    const { renderApplication } = await import('../../compose/application/render-application.ts');
    const { withApplications } = await import('../../compose/application/with-application.ts');
    const change = { chart, values: givenValues(files, set), reset, ...omitUndefined({ host }) };
    return await withApplications(context, flags, async (engine) => {
      const found = await updateOverrides(engine, name, change, renderApplication);
      context.output.result(overrideText(found), { application: name, ...found });
      return 0;
    });
  },
};
