import { cronFault, rulesFault, textFault } from '#formats';
import type { Action, ActionParameter, AppSpec } from './app-spec.ts';
import type { SpecScalar } from './config-spec.ts';
import type { SpecFindings } from './spec-findings.ts';

/** Checks parameters of actions, the workloads whose data they replace, and schedules. */
export function checkActions(spec: AppSpec, { refuse, known }: SpecFindings): void {
  const keepers = Object.entries(spec.workloads).filter(([, { kind }]) => kind === 'StatefulSet');
  const fernetKeys = Object.entries(spec.secrets ?? {}).flatMap(([secret, { generate }]) =>
    generate === 'fernet-keys' ? [secret] : [],
  );
  for (const [name, action] of Object.entries(spec.actions ?? {})) {
    const { parameters = {}, replaces } = action;
    if (replaces !== undefined)
      known(
        ['actions', name, 'replaces'],
        'StatefulSet',
        replaces,
        keepers.map(([workload]) => workload),
      );
    checkPrecheck(spec, name, action, { refuse, known });
    if (action.rotates !== undefined)
      known(['actions', name, 'rotates'], 'Secret of Fernet keys', action.rotates, fernetKeys);
    if (name === 'rotate')
      refuse(['actions', name], 'the action name "rotate" is reserved: every app has this action');
    if (Object.hasOwn(spec.checks ?? {}, name))
      refuse(['checks', name], `"${name}" is the name of both an action and a check`);
    for (const [key, parameter] of Object.entries(parameters)) {
      const path = ['actions', name, 'parameters', key];
      if (
        parameter.type !== 'text' &&
        (parameter.pattern !== undefined || parameter.choices !== undefined)
      )
        refuse(path, `only a text can have a pattern or choices; "${key}" is a ${parameter.type}`);
      const broken = rulesFault(parameter);
      if (broken !== undefined) refuse([...path, 'pattern'], broken);
      const wrong =
        parameter.default === undefined ? undefined : parameterFault(parameter, parameter.default);
      if (wrong !== undefined) refuse([...path, 'default'], `the default of "${key}" ${wrong}`);
    }
  }
  for (const [name, { action, cron, parameters = {} }] of Object.entries(spec.schedule ?? {})) {
    const fault = cronFault(cron);
    if (fault !== undefined)
      refuse(['schedule', name, 'cron'], `"${cron}" is not a valid schedule: ${fault}`);
    known(['schedule', name, 'action'], 'action', action, Object.keys(spec.actions ?? {}));
    if (!Object.hasOwn(spec.actions ?? {}, action)) continue;
    const taken = spec.actions![action]!.parameters ?? {};
    for (const [key, value] of Object.entries(parameters)) {
      const wrong =
        taken[key] === undefined
          ? 'is not a parameter of the action'
          : parameterFault(taken[key], value);
      if (wrong !== undefined) refuse(['schedule', name, 'parameters', key], `"${key}" ${wrong}`);
    }
    const missing = Object.entries(taken)
      .filter(
        ([key, parameter]) => parameter.default === undefined && parameters[key] === undefined,
      )
      .map(([key]) => key);
    if (missing.length > 0)
      refuse(['schedule', name], `the action "${action}" needs values for ${missing.join(', ')}`);
  }
}

/** Checks the action that runs before another one. */
function checkPrecheck(
  { actions = {} }: AppSpec,
  name: string,
  { precheck, replaces, parameters = {} }: Action,
  { refuse, known }: Pick<SpecFindings, 'refuse' | 'known'>,
): void {
  if (precheck === undefined) return;
  const path = ['actions', name, 'precheck'];
  if (replaces === undefined) refuse(path, 'an action without "replaces" cannot have "precheck"');
  known(path, 'action', precheck, Object.keys(actions));
  const first = Object.hasOwn(actions, precheck) ? actions[precheck]! : undefined;
  if (first?.replaces !== undefined)
    refuse(path, `the action "${precheck}" replaces data, so it cannot be a check`);
  const missing = Object.entries(first?.parameters ?? {})
    .filter(([key, { default: value }]) => value === undefined && !Object.hasOwn(parameters, key))
    .map(([key]) => key);
  if (missing.length > 0)
    refuse(path, `the action "${precheck}" needs values for ${missing.join(', ')}`);
}

/**
 * Why a value is invalid for a parameter, as a clause after its name; `undefined` if it is valid.
 */
export function parameterFault(
  { type, ...rules }: ActionParameter,
  value: SpecScalar,
): string | undefined {
  if (type === 'boolean') return typeof value === 'boolean' ? undefined : 'must be true or false';
  if (type === 'whole-number')
    return typeof value === 'number' && Number.isSafeInteger(value)
      ? undefined
      : 'must be a whole number';
  if (typeof value !== 'string') return 'must be text';
  if (/\p{Cc}/u.test(value)) return 'must not contain line breaks or other control characters';
  return textFault(rules, value);
}
