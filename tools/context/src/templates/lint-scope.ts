import { omitUndefined } from '#core';
import type { ContextValue } from './context-values.ts';
import type { AstNode } from './nunjucks-ast.ts';

/** Reports a finding at the place of a node. */
export type ReportLint = (
  node: Pick<AstNode, 'lineno' | 'colno'>,
  message: string,
  hint?: string,
) => void;

/** A name that is known where a template uses it. */
export interface Declared {
  readonly callable: boolean;
  /** Set for names of the context. */
  readonly value?: ContextValue;
  /** The names that an imported template exports. */
  readonly exports?: readonly string[];
}

/** The names that are known at one place of a template. */
export class LintScope extends Map<string, Declared> {
  readonly exportsOf: (name: string) => readonly string[];
  /** The macro whose body this scope is. */
  open?: string;

  constructor(
    exportsOf: (name: string) => readonly string[],
    entries: Iterable<readonly [string, Declared]>,
  ) {
    super(entries);
    this.exportsOf = exportsOf;
  }

  inner(): LintScope {
    const inner = new LintScope(this.exportsOf, this);
    if (this.open !== undefined) inner.open = this.open;
    return inner;
  }

  declare(name: string, callable = false, exports?: readonly string[]): void {
    this.set(name, { callable, ...omitUndefined({ exports }) });
  }
}
