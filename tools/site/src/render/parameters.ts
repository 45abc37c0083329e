import { CcpError, suggestName } from '#core';
import type { ActionParameter, SpecScalar } from '#definitions';
import type { KubernetesObject } from '#ports';
import type { PodSpec } from '../model/kubernetes.ts';
import type { RenderedAction } from '../model/types.ts';
import { escapeExpansion, parameterVariable } from './env.ts';

/** Values of an action's parameters, by name. */
export type ParameterValues = Readonly<Record<string, SpecScalar>>;

/**
 * Values of an action's parameters from `name=value` texts, defaults filled in, by name. Raises `action-parameter` for one it does
 * not have, one that is missing or given twice, and one that is none of its values.
 */
export function parseParameters(
  { id, parameters }: Pick<RenderedAction, 'id' | 'parameters'>,
  texts: readonly string[],
  faultOf: (parameter: ActionParameter, value: SpecScalar) => string | undefined,
): ParameterValues {
  const refuse = (message: string, hint?: string): CcpError =>
    new CcpError({
      code: 'action-parameter',
      message: `${id}: ${message}`,
      ...(hint === undefined ? {} : { hint }),
    });
  const values = new Map<string, SpecScalar>();
  for (const text of texts) {
    const [, name = '', value] = /^([a-z0-9-]+)=(.*)$/s.exec(text) ?? [];
    if (value === undefined)
      throw refuse(`${JSON.stringify(text)} gives no parameter`, 'write NAME=VALUE');
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined)
      throw refuse(`there is no parameter "${name}"`, suggestName(name, Object.keys(parameters)));
    if (values.has(name)) throw refuse(`"${name}" is given twice`, 'give it once');
    const typed = valueOf(parameter, value);
    const fault = faultOf(parameter, typed);
    if (fault !== undefined) throw refuse(`"${name}" ${fault}, not ${JSON.stringify(value)}`);
    values.set(name, typed);
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (values.has(name)) continue;
    if (parameter.default === undefined)
      throw refuse(`"${name}" must be given: ${parameter.description}`, `--param ${name}=VALUE`);
    values.set(name, parameter.default);
  }
  return Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What an action runs with where nobody gives values. */
export function defaultsOf({ parameters }: Pick<RenderedAction, 'parameters'>): ParameterValues {
  return Object.fromEntries(
    Object.entries(parameters).flatMap(([name, parameter]) =>
      parameter.default === undefined ? [] : [[name, parameter.default]],
    ),
  );
}

/** An action's Job with values in place of its parameters; what is not given has its default. */
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
  const spec = job['spec'] as { readonly template: { readonly spec: PodSpec } };
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

function valueOf({ type }: ActionParameter, text: string): SpecScalar {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'whole-number' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
