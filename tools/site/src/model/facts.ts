import { collectErrors, CcpError, nearest, type Position } from '#core';
import { parseTemplate } from './template.ts';

/** A key of a Secret in the site's namespace. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** What a pod learns of itself only when it runs. */
export type PodField = 'metadata.name' | 'status.podIP' | 'spec.nodeName' | 'status.hostIP';

/** Part of a value: text, a secret that only the cluster knows, a field of the pod that will run, or what who starts an action says. */
export type Part =
  | { readonly text: string }
  | { readonly secret: SecretKey }
  | { readonly field: PodField }
  | { readonly parameter: string };

/** What a reference stands for: a value in parts, or a list of texts. */
export type Fact = readonly Part[] | { readonly list: readonly string[] };

/** What the references of one instance may name. */
export interface Scope {
  readonly facts: ReadonlyMap<string, Fact>;
  /** `requires.<name>` of optional requirements that nothing meets. */
  readonly absent: ReadonlySet<string>;
}

/**
 * The parts of a text with its references looked up, neighbouring texts joined, lists joined by commas. Undefined where it
 * refers to an optional requirement that is not met. Raises `reference-unknown` at `at`, with the nearest known reference, of all of them.
 */
export function resolveText(
  text: string,
  scope: Scope,
  at: () => Position,
): readonly Part[] | undefined {
  const facts = collectErrors(
    parseTemplate(text).map(
      (piece) => () => ('text' in piece ? [piece] : lookUp(piece.reference, scope, at)),
    ),
  );
  const known = facts.filter((fact) => fact !== undefined);
  return known.length < facts.length
    ? undefined
    : joinTexts(known.flatMap((fact) => ('list' in fact ? [{ text: fact.list.join(',') }] : fact)));
}

/** The texts of a list reference; undefined and errors as of `resolveText`. Raises `reference-unknown` where it is no list. */
export function resolveList(
  reference: string,
  scope: Scope,
  at: () => Position,
): readonly string[] | undefined {
  const fact = lookUp(reference, scope, at);
  if (fact === undefined || 'list' in fact) return fact?.list;
  throw new CcpError({
    code: 'reference-unknown',
    message: `"${reference}" is not a list`,
    at: at(),
  });
}

function lookUp(reference: string, scope: Scope, at: () => Position): Fact | undefined {
  const fact = scope.facts.get(reference);
  if (fact !== undefined) return fact;
  if (scope.absent.has(reference.split('.', 2).join('.'))) return undefined;
  const meant = nearest(reference, scope.facts.keys());
  const hint =
    meant === undefined
      ? `known: ${[...scope.facts.keys()].join(', ')}`
      : `did you mean "${meant}"?`;
  throw new CcpError({
    code: 'reference-unknown',
    message: `nothing is known as "\${${reference}}"`,
    hint,
    at: at(),
  });
}

function joinTexts(parts: readonly Part[]): readonly Part[] {
  const joined: Part[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if ('text' in part && last !== undefined && 'text' in last)
      joined[joined.length - 1] = { text: last.text + part.text };
    else joined.push(part);
  }
  return joined;
}
