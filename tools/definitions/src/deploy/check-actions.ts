import { cronFault, rulesFault, textFault } from '#core';
import type { ActionParameter, AppSpec } from './app-spec.ts';
import type { SpecScalar } from './config-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

/** What contradicts itself in parameters of actions, and schedules of what is not there. */
export function checkActions(spec: AppSpec, { refuse, known }: SpecFindings): void {
  for (const [name, { parameters = {} }] of Object.entries(spec.actions ?? {})) {
    if (name === 'rotate') refuse(['actions', name], 'every app has an action "rotate" already');
    if (Object.hasOwn(spec.checks ?? {}, name)) refuse(['checks', name], `"${name}" is an action and a check`);
    for (const [key, parameter] of Object.entries(parameters)) {
      const path = ['actions', name, 'parameters', key];
      if (parameter.type !== 'text' && (parameter.pattern !== undefined || parameter.choices !== undefined))
        refuse(path, `only a text has a pattern or choices, and "${key}" is a ${parameter.type}`);
      const broken = rulesFault(parameter);
      if (broken !== undefined) refuse([...path, 'pattern'], broken);
      const wrong = parameter.default === undefined ? undefined : parameterFault(parameter, parameter.default);
      if (wrong !== undefined) refuse([...path, 'default'], `the default of "${key}" ${wrong}`);
    }
  }
  for (const [name, { action, cron, parameters = {} }] of Object.entries(spec.schedule ?? {})) {
    const fault = cronFault(cron);
    if (fault !== undefined) refuse(['schedule', name, 'cron'], `"${cron}" is no time of a schedule: ${fault}`);
    known(['schedule', name, 'action'], 'action', action, Object.keys(spec.actions ?? {}));
    if (!Object.hasOwn(spec.actions ?? {}, action)) continue;
    const taken = spec.actions![action]!.parameters ?? {};
    for (const [key, value] of Object.entries(parameters)) {
      const wrong = taken[key] === undefined ? 'is no parameter of it' : parameterFault(taken[key], value);
      if (wrong !== undefined) refuse(['schedule', name, 'parameters', key], `"${key}" ${wrong}`);
    }
    const missing = Object.entries(taken)
      .filter(([key, parameter]) => parameter.default === undefined && parameters[key] === undefined)
      .map(([key]) => key);
    if (missing.length > 0) refuse(['schedule', name], `"${action}" needs ${missing.join(', ')}`);
  }
}

/** Why a value is not one of a parameter's, as a clause after its name; `undefined` where it is one. */
export function parameterFault({ type, ...rules }: ActionParameter, value: SpecScalar): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'whole-number') return typeof value === 'number' && Number.isSafeInteger(value) ? undefined : 'must be a whole number';
  if (typeof value !== 'string') return 'must be text';
  if (/\p{Cc}/u.test(value)) return 'must not have line ends or other control characters';
  return textFault(rules, value);
}
