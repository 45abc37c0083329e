import { Option } from 'commander';
import { CcpError, nearest } from '#core';
import type { CommandDefinition } from '../../command.ts';
import type { ClusterFlags } from '../../compose/deploy/open-site.ts';
import { CLUSTER, parseCount } from '../../options.ts';

export interface LogsFlags extends ClusterFlags {
  readonly tail?: number;
  readonly previous?: boolean;
}

/**
 * `ccp deploy logs SITE STEP`: the output of every container of a step's pods, each line with its
 * pod and container.
 */
export const logs: CommandDefinition<LogsFlags> = {
  usage: 'logs <site> <step>',
  description: 'print the pod logs of a step, like keystone/workload/api',
  options: [
    new Option(
      '--tail <lines>',
      'number of last lines to print for each container (default: 100)',
    ).argParser(parseCount),
    new Option('--previous', 'print the logs of the previous run of each container'),
    ...CLUSTER,
  ],
  examples: ['ccp deploy logs example keystone/workload/api --tail 50'],
  run: async (context, [name = '', step = ''], { tail = 100, previous = false, ...flags }) => {
    const { openStatus } = await import('#rollout');
    const { keyOf } = await import('#site');
    const { withCluster } = await import('../../compose/deploy/open-site.ts');
    return await withCluster(context, name, flags, async ({ site, cluster, engine }) => {
      const open = await openStatus(cluster, site, engine.clock);
      try {
        const found = open.rendered.steps.find(({ id }) => id === step);
        if (found === undefined) {
          const meant = nearest(
            step,
            open.rendered.steps.map(({ id }) => id),
          );
          throw new CcpError({
            code: 'usage',
            message: `unknown step: ${step}`,
            hint:
              meant === undefined
                ? `list the steps with \`ccp deploy status ${name}\``
                : `did you mean "${meant}"?`,
          });
        }
        const workloads = found.objects.flatMap(
          (object) => open.watch.object(keyOf(object, site)) ?? [],
        );
        const containers = workloads
          .flatMap((workload) => open.watch.podsOf(workload, 'all'))
          .flatMap((pod) =>
            (pod.spec.containers ?? []).map((container) => ({
              pod: pod.metadata.name,
              namespace: pod.metadata.namespace ?? site.namespace,
              container: container.name,
            })),
          );
        const texts = await Promise.all(
          containers.map(async ({ namespace, ...of }) => ({
            ...of,
            text: await cluster.logs(
              { namespace, name: of.pod },
              { container: of.container, tail, previous },
            ),
          })),
        );
        const lines = texts.flatMap(({ pod, container, text }) =>
          (text ?? '')
            .split('\n')
            .filter((line) => line !== '')
            .map((line) => `${pod}/${container}: ${line}`),
        );
        const silence = previous
          ? 'its containers have no previous run'
          : 'its containers printed nothing';
        const why = containers.length === 0 ? 'it has no pods now' : silence;
        context.output.result(
          lines.length === 0 ? `${step} has no output: ${why}` : lines.join('\n'),
          texts,
          'verbatim',
        );
        return 0;
      } finally {
        await open.close();
      }
    });
  },
};
