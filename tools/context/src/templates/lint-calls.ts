import { nearest } from '#core';
import { TEMPLATE_FILTERS } from './dialect.ts';
import { lintMember } from './lint-members.ts';
import type { ReportLint, LintScope } from './lint-scope.ts';
import { childrenOf, nameIn, partOf, type AstNode } from './nunjucks-ast.ts';

/** Checks that a call names a macro, and that macros do not call themselves. */
export function lintCallee(node: AstNode, scope: LintScope, report: ReportLint): void {
  const callee = partOf(node, 'name');
  const owner = callee.typename === 'LookupVal' ? partOf(callee, 'target') : callee;
  if (callee.typename === 'Symbol' && scope.open !== undefined && callee['value'] === scope.open)
    report(node, `the macro ${scope.open} calls itself`, 'loop over a list: {% for … in … %}');
  const named = callee === owner || partOf(callee, 'val').typename === 'Literal';
  if (
    !named ||
    owner.typename !== 'Symbol' ||
    scope.get(String(owner['value']))?.callable !== true
  ) {
    report(
      node,
      'only macros can be called',
      'import or define the macro; use filters for texts and lists',
    );
  } else if (callee !== owner) lintMember(callee, scope, report);
}

export function lintFilterName(node: AstNode, report: ReportLint): void {
  const name = String(node['value']);
  if ((TEMPLATE_FILTERS as readonly string[]).includes(name)) return;
  const close = nearest(name, TEMPLATE_FILTERS);
  report(
    node,
    `unknown filter ${name}`,
    close === undefined
      ? `known filters: ${TEMPLATE_FILTERS.join(', ')}`
      : `did you mean ${close}?`,
  );
}

/**
 * The parameters of a macro or call block, with the nodes of their defaults. Reports parameters
 * that are not plain names.
 */
export function parametersOf(
  node: AstNode,
  report: ReportLint,
): readonly { readonly name: string; readonly default?: AstNode }[] {
  const given = childrenOf(partOf(node, 'args'));
  return given.flatMap((argument, index) => {
    if (argument.typename === 'Symbol') return [{ name: nameIn(argument) }];
    if (argument.typename === 'KeywordArgs' && index === given.length - 1)
      return childrenOf(argument).flatMap((pair) => {
        const key = partOf(pair, 'key');
        if (key.typename === 'Symbol')
          return [{ name: nameIn(key), default: partOf(pair, 'value') }];
        report(key, 'a parameter must be a plain name');
        return [];
      });
    report(argument, 'a parameter must be a plain name');
    return [];
  });
}
