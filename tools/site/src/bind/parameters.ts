import { CcpError, omitUndefined, suggestName } from '#core';
import type { ActionParameter, SpecScalar } from '#definitions';
import type { ParameterValues, RenderedAction } from '../model/types.ts';

/**
 * Parses `name=value` texts to the values of an action's parameters, with defaults. Throws
 * `action-parameter` for an unknown, missing or repeated parameter, and for an invalid value.
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
      ...omitUndefined({ hint }),
    });
  const values = new Map<string, SpecScalar>();
  for (const text of texts) {
    const [, name = '', value] = /^([a-z0-9-]+)=(.*)$/s.exec(text) ?? [];
    if (value === undefined)
      throw refuse(`${JSON.stringify(text)} is not a parameter`, 'write NAME=VALUE');
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined)
      throw refuse(`unknown parameter "${name}"`, suggestName(name, Object.keys(parameters)));
    if (values.has(name)) throw refuse(`"${name}" is set twice`, 'set it once');
    const typed = valueOf(parameter, value);
    const fault = faultOf(parameter, typed);
    if (fault !== undefined) throw refuse(`"${name}" ${fault}, not ${JSON.stringify(value)}`);
    values.set(name, typed);
  }
  for (const [name, parameter] of Object.entries(parameters)) {
    if (values.has(name)) continue;
    if (parameter.default === undefined)
      throw refuse(`"${name}" is required: ${parameter.description}`, `--param ${name}=VALUE`);
    values.set(name, parameter.default);
  }
  return Object.fromEntries([...values].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function valueOf({ type }: ActionParameter, text: string): SpecScalar {
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  return type === 'whole-number' && /^-?\d{1,15}$/.test(text) ? Number(text) : text;
}
