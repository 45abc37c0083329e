import { parseArgs } from 'node:util';
import { CcpError, messageOf } from '#core';
import type { GateCondition, GateRequest } from './types.ts';

const NAME = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/;
const VERSION = /^v[0-9]+(?:(?:alpha|beta)[0-9]+)?$/;
const TIME = /^([1-9][0-9]{0,5})(s|m|h)?$/;
const UNITS = { s: 1_000, m: 60_000, h: 3_600_000 } as const;

/** Help text. */
export const USAGE = `Waits until all given conditions are met, then runs the command, if one is given.

  entrypoint [--service [NAMESPACE/]NAME]... [--job [NAMESPACE/]NAME]...
             [--condition [GROUP/]VERSION/KIND/[NAMESPACE/]NAME:TYPE[=STATUS]]...
             [--file PATH]... [--timeout 300s|5m|1h] [--namespace NAME] [-- COMMAND...]

  --service    the Service has a ready endpoint
  --job        the Job is complete
  --condition  the object's condition TYPE has the given STATUS (default: True)
  --file       the file exists
  --timeout    limit for all conditions together (default: 5m)
  --namespace  namespace of names without one (default: the namespace of the pod)

Exit codes: the exit code of the command; without a command 0. 1: a condition was not met in time or access was denied;
2: usage error.
`;

/**
 * Parses the arguments of the gate; returns `undefined` for `--help`. `namespace` is the default
 * namespace of names. Throws `usage`.
 */
export function parseArguments(
  words: readonly string[],
  namespace: string,
): GateRequest | undefined {
  const end = words.indexOf('--');
  const { values } = flagsOf(end < 0 ? words : words.slice(0, end));
  if (values.help === true) return undefined;
  const home = values.namespace ?? namespace;
  const conditions: GateCondition[] = [
    ...(values.file ?? []).map((path): GateCondition => ({ type: 'file', path })),
    ...(values.service ?? []).map((text): GateCondition => ({
      type: 'service',
      ...placeOf(text, text.split('/'), home),
    })),
    ...(values.job ?? []).map((text): GateCondition => ({
      type: 'job',
      ...placeOf(text, text.split('/'), home),
    })),
    ...(values.condition ?? []).map((text) => conditionOf(text, home)),
  ];
  const command = end < 0 ? [] : words.slice(end + 1);
  if (conditions.length === 0 && command.length === 0)
    throw usage('no condition and no command given', 'see entrypoint --help');
  return { conditions, timeoutMs: timeOf(values.timeout ?? '5m'), command };
}

function flagsOf(words: readonly string[]) {
  const many = { type: 'string', multiple: true } as const;
  const one = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      strict: true,
      options: {
        service: many,
        job: many,
        condition: many,
        file: many,
        timeout: one,
        namespace: one,
        help: { type: 'boolean' },
      },
    });
  } catch (cause) {
    throw usage(messageOf(cause).split('. ')[0]!, 'see entrypoint --help; a command goes after --');
  }
}

function conditionOf(text: string, home: string): GateCondition {
  const match = /^([^:]+):([A-Za-z0-9./-]+)(?:=(True|False|Unknown))?$/.exec(text);
  const parts = match?.[1]!.split('/') ?? [];
  const api = VERSION.test(parts[0] ?? '') ? parts.slice(0, 1) : parts.slice(0, 2);
  const [kind, ...place] = parts.slice(api.length);
  if (
    match === null ||
    kind === undefined ||
    !VERSION.test(api.at(-1) ?? '') ||
    !/^[A-Z][A-Za-z0-9]*$/.test(kind)
  ) {
    throw usage(
      `${JSON.stringify(text)} is not a condition`,
      'use the form apps/v1/Deployment/openstack/keystone-api:Available',
    );
  }
  return {
    type: 'condition',
    apiVersion: api.join('/'),
    kind,
    ...placeOf(text, place, home),
    condition: match[2]!,
    status: match[3] ?? 'True',
  };
}

function placeOf(
  text: string,
  parts: readonly string[],
  home: string,
): { readonly namespace: string; readonly name: string } {
  const [namespace, name] = parts.length === 1 ? [home, parts[0]] : parts;
  if (
    parts.length > 2 ||
    name === undefined ||
    ![namespace, name].every((part) => NAME.test(part ?? ''))
  ) {
    throw usage(`${JSON.stringify(text)} is not an object name`, 'use NAME or NAMESPACE/NAME');
  }
  return { namespace: namespace!, name };
}

function timeOf(text: string): number {
  const [, count, unit = 's'] = TIME.exec(text) ?? [];
  if (count === undefined)
    throw usage(`${JSON.stringify(text)} is not a duration`, 'use a form such as 300s, 5m or 1h');
  return Number(count) * UNITS[unit as keyof typeof UNITS];
}

function usage(message: string, hint: string): CcpError {
  return new CcpError({ code: 'usage', message, hint });
}
