import type { Instance } from '../../model/instance.ts';
import { replicasOf } from '../../model/names.ts';
import type { SiteInput } from '../../model/types.ts';
import type { Parameter, Probe } from './parameter.ts';
import { resourceParameters } from './resource-parameters.ts';
import { withApp } from './with-app.ts';

const CLASS = 'ccp-probe-class';
/**
 * A text that ccp accepts in each kind of file, in the syntax of Go and of JavaScript: one line
 * without control characters, and without blanks at its ends.
 */
const HIDDEN = '\\x00-\\x1f\\x7f-\\x9f\u2028\u2029\ufeff';
const LINE_PATTERN = `^(?:[^ ${HIDDEN}](?:[^${HIDDEN}]*[^ ${HIDDEN}])?)?$`;
/** Kubernetes would expand it in a command or a variable; Helm does not escape it. */
const EXPANDED = { pattern: '\\$\\(' };
const NAME_PATTERN = '^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$';

/**
 * Every value that a chart may be able to change: storage classes, replicas, settings, resources.
 */
export function parametersOf(
  input: SiteInput,
  instances: ReadonlyMap<string, Instance>,
): readonly Parameter[] {
  return [
    ...storageParameters(input),
    ...[...instances.values()].flatMap((instance) => [
      ...replicaParameters(input, instance),
      ...settingParameters(input, instance),
      ...resourceParameters(input, instance),
    ]),
  ];
}

function storageParameters(input: SiteInput): Parameter[] {
  const { storage } = input.site;
  return Object.entries(storage).map(([name, value]) => ({
    path: ['global', 'storage', name],
    value,
    description: `Storage class of claims for "${name}".`,
    schema: { type: 'string', pattern: NAME_PATTERN },
    probes: ['', 'z-'].map((prefix) => ({
      value: `${prefix}${CLASS}`,
      input: {
        ...input,
        site: { ...input.site, storage: { ...storage, [name]: `${prefix}${CLASS}` } },
      },
    })),
  }));
}

function replicaParameters(input: SiteInput, instance: Instance): Parameter[] {
  return Object.entries(instance.spec.workloads).flatMap(([name, workload]): Parameter[] => {
    if (workload.kind === 'DaemonSet') return [];
    const value = replicasOf(instance, name, workload);
    return [
      {
        instance: instance.name,
        path: ['replicas', name],
        value,
        description: `Pods of the workload "${name}".`,
        schema: { type: 'integer', minimum: 0 },
        probes: [2, 3, 1, 4, 5, 7]
          .filter((other) => String(other)[0] !== String(value)[0])
          .map((other) => ({
            value: other,
            input: withApp(input, instance, ({ replicas }) => ({
              replicas: { ...replicas, [name]: other },
            })),
          })),
      },
    ];
  });
}

function settingParameters(input: SiteInput, instance: Instance): Parameter[] {
  return Object.entries(instance.spec.settings ?? {}).flatMap(([name, setting]): Parameter[] => {
    const value = instance.settings.settings?.[name] ?? setting.default;
    if (value === undefined) return [];
    if (typeof value === 'string' && !new RegExp(LINE_PATTERN, 'u').test(value)) return [];
    const { minimum, pattern, choices } = setting;
    const type = typeof value === 'number' ? 'integer' : typeof value;
    return [
      {
        instance: instance.name,
        path: ['settings', name],
        value,
        description: setting.description,
        schema: {
          type,
          ...(minimum === undefined ? {} : { minimum }),
          ...(type !== 'string' ? {} : { pattern: LINE_PATTERN, not: EXPANDED }),
          ...(pattern === undefined ? {} : { allOf: [{ pattern: `^(?:${pattern})$` }] }),
          ...(choices === undefined ? {} : { enum: choices }),
        },
        probes: [
          ...(choices ?? (type === 'string' ? QUOTED_PROBES : [])),
          ...otherValues(value),
        ].flatMap((other): readonly Probe[] => {
          if (!differs(value)(other)) return [];
          return [
            {
              value: other,
              isFinal: QUOTED_PROBES.includes(String(other)),
              input: withApp(input, instance, ({ settings }) => ({
                settings: { ...settings, [name]: other },
              })),
            },
          ];
        }),
      },
    ];
  });
}

/**
 * Values that a YAML file quotes: charts have no value for a setting in such a file, since Helm
 * would not quote it.
 */
const QUOTED_PROBES = ['z: "\\ #', 'y: "\\ #'];

function otherValues(value: string | number | boolean): readonly (string | number | boolean)[] {
  if (typeof value === 'boolean') return [!value];
  const all =
    typeof value === 'number'
      ? [value + 1, value * 2, value * 3, 7, 31, 5, 41, 9, 101, 211]
      : ['ccpprobe', 'zprobe', '7', '31', 'true'];
  return all;
}

/** Whether another value has another first character, by which `findPlaces` finds it. */
function differs(value: string | number | boolean): (other: string | number | boolean) => boolean {
  return (other) => String(other)[0] !== String(value)[0];
}
