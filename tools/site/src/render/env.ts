import { collectErrors, CcpError, sha256, type Position } from '#core';
import type { ContainerTemplate } from '#definitions';
import { resolveText, type Part, type PodField, type Scope } from '../model/facts.ts';
import type { EnvVar } from '../model/kubernetes.ts';

/**
 * Environment and command of a container. A value with a secret or a field of the pod in the middle takes it from a helper
 * variable `CCP_…` by Kubernetes' own `$(NAME)`, so that no object holds a secret. A variable that refers to an optional
 * requirement nobody meets is left out. Raises `reference-unknown`, `env-reserved` for a name that starts with `CCP_`, and
 * `secret-in-command`, since process lists are public; all of them together.
 */
export function renderProcess(
  container: Pick<ContainerTemplate, 'env' | 'command'>,
  scope: Scope,
  position: (path: readonly (string | number)[]) => Position,
): { env: EnvVar[]; command: string[] } {
  const helpers = new Map<string, EnvVar>();
  const variables = Object.entries(container.env ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => (): EnvVar[] => {
      const at = position(['env', name]);
      if (name.startsWith('CCP_'))
        throw new CcpError({
          code: 'env-reserved',
          message: `the variable "${name}" starts with CCP_, which the tool keeps for itself`,
          at,
        });
      const parts = resolveText(String(value), scope, () => at);
      if (parts === undefined) return [];
      const [only] = parts;
      if (parts.length === 1 && only !== undefined && !('text' in only) && !('parameter' in only))
        return [sourced(name, only)];
      return [{ name, value: composed(parts, helpers) }];
    });
  const words = container.command.map((argument, index) => (): string[] => {
    const at = position(['command', index]);
    const parts = resolveText(argument, scope, () => at);
    if (parts === undefined) return [];
    if (parts.some((part) => 'secret' in part)) {
      throw new CcpError({
        code: 'secret-in-command',
        message: `${JSON.stringify(argument)} would show a secret in the process list`,
        hint: 'give it by env',
        at,
      });
    }
    return [composed(parts, helpers)];
  });
  const [env, command] = collectErrors([
    () => collectErrors(variables).flat(),
    () => collectErrors(words).flat(),
  ]);
  return {
    env: [...[...helpers.values()].sort((a, b) => (a.name < b.name ? -1 : 1)), ...env],
    command,
  };
}

/** Command of a probe, which Kubernetes runs without expanding variables: plain text only. Errors as of `renderProcess`. */
export function renderProbeCommand(
  command: readonly string[],
  scope: Scope,
  at: Position,
): string[] {
  return collectErrors(
    command.map((argument) => () => {
      const parts = resolveText(argument, scope, () => at);
      return parts === undefined
        ? []
        : [
            parts
              .map((part) => {
                if ('text' in part) return part.text;
                throw new CcpError({
                  code: 'secret-in-command',
                  message: `${JSON.stringify(argument)} names what a probe's command cannot hold`,
                  hint: 'give it by env',
                  at,
                });
              })
              .join(''),
          ];
    }),
  ).flat();
}

/** Text that Kubernetes' expansion of `$(NAME)` gives back as it was: `$` before `$` or `(` is doubled. */
export function escapeExpansion(text: string): string {
  return text.replace(/\$(?=[$(])/g, '$$$$');
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

/** The variable of a container that holds what is given for a parameter of its action. */
export function parameterVariable(name: string): string {
  return `CCP_PARAMETER_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;
}

const FIELDS: Readonly<Record<PodField, string>> = {
  'metadata.name': 'CCP_POD_NAME',
  'status.podIP': 'CCP_POD_IP',
  'spec.nodeName': 'CCP_NODE_NAME',
  'status.hostIP': 'CCP_NODE_IP',
};

/** The hash parts secrets whose names read the same in capitals, as the key `c` of `a-b` and the key `b-c` of `a`. */
function helperName(part: Exclude<Part, { text: string }>): string {
  if ('field' in part) return FIELDS[part.field];
  if ('parameter' in part) return parameterVariable(part.parameter);
  const { name, key } = part.secret;
  const words = `${name}_${key}`.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
  return `CCP_${words}_${sha256(`${name}/${key}`).slice(0, 8).toUpperCase()}`;
}
