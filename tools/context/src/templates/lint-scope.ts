import { nearest, omitUndefined } from '#core';
import type { ContextValue } from './context-values.ts';
import type { AstNode } from './nunjucks-ast.ts';

/**
 * Reports a finding at the place of a node. A hint that needs a search is a function, which is
 * called only for findings that are kept.
 */
export type ReportLint = (
  node: Pick<AstNode, 'lineno' | 'colno'>,
  message: string,
  hint?: string | (() => string),
) => void;

/** The hint for an unknown name: the most similar known name, or the first known names. */
export function suggest(name: string, known: readonly string[], kind: string): string {
  const close = nearest(name, known);
  if (close !== undefined) return `did you mean ${close}?`;
  const listed = known.slice(0, MAX_LISTED).join(', ');
  return `known ${kind}: ${listed || 'none'}${known.length > MAX_LISTED ? ', …' : ''}`;
}

const MAX_LISTED = 100;

/** A name that is known where a template uses it. */
export interface Declared {
  readonly callable: boolean;
  /** Set for names of the context. */
  readonly value?: ContextValue;
  /** The names that an imported template exports. */
  readonly exports?: readonly string[];
}

/** The names that are known at one place of a template; lookups continue in the outer scope. */
export class LintScope {
  readonly exportsOf: (name: string) => readonly string[];
  /** The macro whose body this scope is. */
  open?: string;
  readonly #outer: LintScope | undefined;
  readonly #names: Map<string, Declared>;

  constructor(
    exportsOf: (name: string) => readonly string[],
    entries: Iterable<readonly [string, Declared]> = [],
    outer?: LintScope,
  ) {
    this.exportsOf = exportsOf;
    this.#names = new Map(entries);
    this.#outer = outer;
  }

  inner(): LintScope {
    const inner = new LintScope(this.exportsOf, [], this);
    if (this.open !== undefined) inner.open = this.open;
    return inner;
  }

  declare(name: string, callable = false, exports?: readonly string[]): void {
    this.#names.set(name, { callable, ...omitUndefined({ exports }) });
  }

  get(name: string): Declared | undefined {
    return this.#names.get(name) ?? this.#outer?.get(name);
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** All known names, those of outer scopes first. */
  names(): string[] {
    return [...new Set([...(this.#outer?.names() ?? []), ...this.#names.keys()])];
  }
}
