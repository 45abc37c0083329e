import { nearest, type Position } from '#core';
import { parseTemplate } from '../model/template.ts';
import { allValid, andThen, invalid, mapValid, valid, type Checked } from './checked.ts';

/** A key of a Secret in the site's namespace. */
export interface SecretKey {
  readonly name: string;
  readonly key: string;
}

/** A field of a running pod. */
export type PodField = 'metadata.name' | 'status.podIP' | 'spec.nodeName' | 'status.hostIP';

/**
 * Part of a value: text, a key of a Secret, a field of the running pod, or a parameter of an
 * action.
 */
export type Part =
  | { readonly text: string }
  | { readonly secret: SecretKey }
  | { readonly field: PodField }
  | { readonly parameter: string };

/** The value of a reference: parts, or a list of texts. */
export type Fact = readonly Part[] | { readonly list: readonly string[] };

/** All values that references of one instance may use. */
export interface Scope {
  readonly facts: ReadonlyMap<string, Fact>;
  /** `requires.<name>` of optional requirements that are not met. */
  readonly absent: ReadonlySet<string>;
}

/**
 * The parts of a text with all references resolved; adjacent texts are joined, and lists are joined
 * by commas. `undefined` if it refers to an optional requirement that is not met. Each unknown
 * reference is a finding `reference-unknown` at `at`, with the nearest known one.
 */
export function resolveText(
  text: string,
  scope: Scope,
  at: () => Position,
): Checked<readonly Part[] | undefined> {
  const facts = parseTemplate(text).map((piece) =>
    'text' in piece ? valid<Fact>([piece]) : lookUp(piece.reference, scope, at),
  );
  return mapValid(allValid(facts), (found) => {
    const known = found.filter((fact) => fact !== undefined);
    return known.length < found.length
      ? undefined
      : joinTexts(
          known.flatMap((fact) => ('list' in fact ? [{ text: fact.list.join(',') }] : fact)),
        );
  });
}

/**
 * The texts of a reference to a list. `undefined` and findings as of `resolveText`; a reference to
 * another value is `reference-unknown`.
 */
export function resolveList(
  reference: string,
  scope: Scope,
  at: () => Position,
): Checked<readonly string[] | undefined> {
  return andThen(lookUp(reference, scope, at), (fact) =>
    fact === undefined || 'list' in fact
      ? valid(fact?.list)
      : invalid({
          code: 'reference-unknown',
          message: `"${reference}" is not a list`,
          at: at(),
        }),
  );
}

function lookUp(reference: string, scope: Scope, at: () => Position): Checked<Fact | undefined> {
  const fact = scope.facts.get(reference);
  if (fact !== undefined) return valid(fact);
  if (scope.absent.has(reference.split('.', 2).join('.'))) return valid(undefined);
  const meant = nearest(reference, scope.facts.keys());
  const hint =
    meant === undefined
      ? `known: ${[...scope.facts.keys()].join(', ')}`
      : `did you mean "${meant}"?`;
  return invalid({
    code: 'reference-unknown',
    message: `unknown reference "\${${reference}}"`,
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
