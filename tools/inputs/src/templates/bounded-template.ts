import { CcpError } from '#core';
import { childrenOf, compileTemplate, outputOf, type AstNode } from './nunjucks-ast.ts';

/** What one rendering may spend: a round of a loop, a call of a macro and a filter cost 1, and so do 100 characters of a text. */
const BUDGET = 100_000;
const CHARACTERS = 100;
/** Name of the filter by which a template's code spends; no template may write it, since the dialect does not know it. */
const SPEND = 'spend';

/** A filter of nunjucks; `this` is its context. */
export type Filter = (this: unknown, ...values: unknown[]) => unknown;

/** Bounds what templates do, so that each rendering ends soon and fits into memory. One serves one rendering. */
export class RenderBudget {
  #left = BUDGET;

  /** Raises `template-endless` once the budget is spent. */
  spend(...texts: readonly unknown[]): void {
    this.#left -= 1 + texts.reduce<number>((sum, text) => sum + (typeof text === 'string' ? text.length / CHARACTERS : 0), 0);
    if (this.#left >= 0) return;
    throw endless();
  }

  /** `filters` that spend for what they take and give, and the one that templates' code needs. */
  filters(filters: Readonly<Record<string, Filter>>): Record<string, Filter> {
    const spend = this.spend.bind(this);
    const bounded = Object.entries(filters).map(([name, filter]): [string, Filter] => [
      name,
      function (...values) {
        spend(...values);
        const made = filter.apply(this, values);
        spend(made);
        return made;
      },
    ]);
    return { ...Object.fromEntries(bounded), [SPEND]: () => (spend(), '') };
  }
}

/** `template-endless`; `file` is the template that was rendered. */
export function endless(file?: string): CcpError {
  return new CcpError({
    code: 'template-endless',
    message:
      'the template does not end soon: its loops, macros and filters take more than 100,000 rounds, make too long a text, or call one another in a circle',
    hint: 'loop over fewer things, or put the text into files/',
    ...(file === undefined ? {} : { at: { file } }),
  });
}

/** The code of a template, for a nunjucks loader to give: every round of a loop and every call of a macro spends first. */
export function boundedTemplate(root: AstNode, name: string): { readonly type: 'code'; readonly obj: unknown } {
  bound(root);
  return { type: 'code', obj: compileTemplate(root, name) };
}

function bound(node: AstNode): void {
  for (const child of childrenOf(node)) bound(child);
  if (!['For', 'Macro', 'Caller'].includes(node.typename)) return;
  const body = node['body'] as { readonly children: AstNode[] };
  body.children.unshift(outputOf(node, SPEND));
}
