import type { Resources } from '#definitions';
import type { Instance } from '../../model/instance.ts';
import type { SiteInput } from '../../model/types.ts';
import type { Parameter } from './parameter.ts';
import { withApp } from './with-app.ts';

const QUANTITY = '^[0-9]+(\\.[0-9]+)?(m|k|Ki|M|Mi|G|Gi)?$';

/** Requests and limits of the containers of an instance's workloads. */
export function resourceParameters(input: SiteInput, instance: Instance): Parameter[] {
  const { spec, settings, onNodes } = instance;
  return Object.entries(spec.workloads).flatMap(([workload, { containers }]) => {
    if (onNodes.has(workload)) return [];
    return Object.entries(containers).flatMap(([container, template]) => {
      const own = settings.resources?.[workload]?.[container];
      return (['requests', 'limits'] as const).flatMap((kind) =>
        (['cpu', 'memory'] as const).flatMap((unit): Parameter[] => {
          const value = own?.[kind]?.[unit] ?? template.resources[kind]?.[unit];
          if (value === undefined) return [];
          const probes = (unit === 'cpu' ? ['907m', '31m'] : ['9007Mi', '31Mi', '70001Mi'])
            .filter((other) => other[0] !== value[0])
            .map((other) => ({
              value: other,
              input: withApp(input, instance, ({ resources }) => ({
                resources: {
                  ...resources,
                  [workload]: {
                    ...resources?.[workload],
                    [container]: changed(own, kind, { [unit]: other }),
                  },
                },
              })),
            }));
          return [
            {
              instance: instance.name,
              path: ['resources', workload, container, kind, unit],
              value,
              description: '',
              schema: { type: 'string', pattern: QUANTITY },
              probes,
            },
          ];
        }),
      );
    });
  });
}

function changed(
  own: Resources | undefined,
  kind: keyof Resources,
  more: Readonly<Record<string, string>>,
): Resources {
  return { ...own, [kind]: { ...own?.[kind], ...more } };
}
