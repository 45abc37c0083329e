import { sha256, type Position } from '#core';
import type { ContainerTemplate } from '#definitions';
import { escapeExpansion, parameterVariable } from '../model/expansion.ts';
import type { EnvVar } from '../model/kubernetes.ts';
import { allValid, andThen, invalid, mapValid, valid, type Checked } from './checked.ts';
import { resolveText, type Part, type PodField, type Scope } from './facts.ts';

/** Environment and command of a container. */
export interface Process {
  readonly env: readonly EnvVar[];
  readonly command: readonly string[];
}

/**
 * Resolves environment and command of a container. A secret or a field of the pod inside a longer
 * value is read from a helper variable `CCP_…` by Kubernetes' `$(NAME)`, so that no object contains
 * a secret. A variable that refers to an optional requirement that is not met is left out.
 * Findings: `reference-unknown`, `env-reserved` for a name that starts with `CCP_`, and
 * `secret-in-command`, since process lists are public.
 */
export function bindProcess(
  container: Pick<ContainerTemplate, 'env' | 'command'>,
  scope: Scope,
  position: (path: readonly (string | number)[]) => Position,
): Checked<Process> {
  const helpers = new Map<string, EnvVar>();
  const variables = Object.entries(container.env ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]): Checked<EnvVar[]> => {
      const at = position(['env', name]);
      if (name.startsWith('CCP_'))
        return invalid({
          code: 'env-reserved',
          message: `the variable "${name}" starts with CCP_, a prefix that is reserved for ccp`,
          at,
        });
      return mapValid(
        resolveText(String(value), scope, () => at),
        (parts) => (parts === undefined ? [] : [variableOf(name, parts, helpers)]),
      );
    });
  const words = container.command.map((argument, index): Checked<string[]> => {
    const at = position(['command', index]);
    return andThen(
      resolveText(argument, scope, () => at),
      (parts): Checked<string[]> => {
        if (parts === undefined) return valid([]);
        if (!parts.some((part) => 'secret' in part)) return valid([composed(parts, helpers)]);
        return invalid({
          code: 'secret-in-command',
          message: `${JSON.stringify(argument)} would expose a secret in the process list`,
          hint: 'set it in env instead',
          at,
        });
      },
    );
  });
  return mapValid(allValid([allValid(variables), allValid(words)]), ([env, command]) => ({
    env: [...[...helpers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), ...env.flat()],
    command: command.flat(),
  }));
}

/**
 * Resolves the command of a probe. Kubernetes runs it without expanding variables, so it may
 * contain plain text only. Findings as of `bindProcess`.
 */
export function bindProbeCommand(
  command: readonly string[],
  scope: Scope,
  at: Position,
): Checked<readonly string[]> {
  const words = command.map((argument) =>
    andThen(
      resolveText(argument, scope, () => at),
      (parts): Checked<string[]> => {
        const texts = (parts ?? []).flatMap((part) => ('text' in part ? [part.text] : []));
        if (texts.length === (parts ?? []).length)
          return valid(parts === undefined ? [] : [texts.join('')]);
        return invalid({
          code: 'secret-in-command',
          message: `${JSON.stringify(argument)} is not allowed in a probe's command, which can contain plain text only`,
          hint: 'set it in env instead',
          at,
        });
      },
    ),
  );
  return mapValid(allValid(words), (list) => list.flat());
}

function variableOf(name: string, parts: readonly Part[], helpers: Map<string, EnvVar>): EnvVar {
  const [only] = parts;
  if (parts.length === 1 && only !== undefined && !('text' in only) && !('parameter' in only))
    return sourced(name, only);
  return { name, value: composed(parts, helpers) };
}

function composed(parts: readonly Part[], helpers: Map<string, EnvVar>): string {
  return parts
    .map((part, index) => {
      if ('text' in part) {
        const escaped = escapeExpansion(part.text);
        return part.text.endsWith('$') && index < parts.length - 1 ? `${escaped}$` : escaped;
      }
      const name = helperName(part);
      helpers.set(name, sourced(name, part));
      return `$(${name})`;
    })
    .join('');
}

function sourced(name: string, part: Exclude<Part, { text: string }>): EnvVar {
  if ('parameter' in part) return { name, value: '' };
  if ('field' in part) return { name, valueFrom: { fieldRef: { fieldPath: part.field } } };
  return { name, valueFrom: { secretKeyRef: { name: part.secret.name, key: part.secret.key } } };
}

const FIELDS: Readonly<Record<PodField, string>> = {
  'metadata.name': 'CCP_POD_NAME',
  'status.podIP': 'CCP_POD_IP',
  'spec.nodeName': 'CCP_NODE_NAME',
  'status.hostIP': 'CCP_NODE_IP',
};

/**
 * The hash distinguishes secrets with equal upper-case names, such as the key `c` of `a-b` and the
 * key `b-c` of `a`.
 */
function helperName(part: Exclude<Part, { text: string }>): string {
  if ('field' in part) return FIELDS[part.field];
  if ('parameter' in part) return parameterVariable(part.parameter);
  const { name, key } = part.secret;
  const words = `${name}_${key}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  return `CCP_${words}_${sha256(`${name}/${key}`).slice(0, 8).toUpperCase()}`;
}
