import type { KubernetesObject } from '#ports';
import { escapeExpansion, parameterVariable } from '../model/expansion.ts';
import { podOwnerSpec } from '../model/pods-of.ts';
import type { ParameterValues, RenderedAction } from '../model/types.ts';

/** Default values of an action's parameters. */
export function defaultsOf({ parameters }: Pick<RenderedAction, 'parameters'>): ParameterValues {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      parameter.default === undefined ? [] : [[name, parameter.default]],
    ),
  );
}

/** An action's Job with the values of its parameters; others have their defaults. */
export function withValues(
  job: KubernetesObject,
  parameters: RenderedAction['parameters'],
  values: ParameterValues,
): KubernetesObject {
  const texts = new Map(
    Object.entries(parameters).map(([name, parameter]) => [
      parameterVariable(name),
      String(values[name] ?? parameter.default ?? ''),
    ]),
  );
  const spec = podOwnerSpec(job);
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    env: container.env.map((variable) =>
      texts.has(variable.name)
        ? { name: variable.name, value: escapeExpansion(texts.get(variable.name)!) }
        : variable,
    ),
  }));
  return {
    ...job,
    spec: { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } },
  };
}
