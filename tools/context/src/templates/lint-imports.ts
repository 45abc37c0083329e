import { CcpError } from '#core';
import { suggest, type ReportLint, type LintScope } from './lint-scope.ts';
import { childrenOf, nameIn, partOf, type AstNode } from './nunjucks-ast.ts';

/** Declares the name of `{% import … as name %}`. */
export function lintImport(node: AstNode, scope: LintScope, report: ReportLint): void {
  const target = partOf(node, 'target');
  const exports = importedNames(node, scope, report);
  if (target.typename === 'Symbol') scope.declare(nameIn(target), true, exports);
  else report(target, 'an import must have a plain name');
}

/** Declares the names of `{% from … import a, b as c %}`. */
export function lintFromImport(node: AstNode, scope: LintScope, report: ReportLint): void {
  const exports = importedNames(node, scope, report);
  const from = String(partOf(node, 'template')['value']);
  for (const name of childrenOf(partOf(node, 'names'))) {
    const [source, target] =
      name.typename === 'Pair' ? [partOf(name, 'key'), partOf(name, 'value')] : [name, name];
    if (source.typename !== 'Symbol' || target.typename !== 'Symbol') {
      report(name, 'an import must have a plain name');
      continue;
    }
    lintExport(name, nameIn(source), exports, from, report);
    scope.declare(nameIn(target), true);
  }
}

/** Reports a name that is not among the `exports` of the template `owner`. */
export function lintExport(
  node: AstNode,
  name: string,
  exports: readonly string[] | undefined,
  owner: string,
  report: ReportLint,
): void {
  if (exports === undefined || exports.includes(name)) return;
  report(node, `unknown macro ${name} in ${owner}`, () => suggest(name, exports, 'macros'));
}

/** The exports of an imported template, if the import is valid. */
function importedNames(
  node: AstNode,
  scope: LintScope,
  report: ReportLint,
): readonly string[] | undefined {
  const template = partOf(node, 'template');
  const name = template.typename === 'Literal' ? template['value'] : undefined;
  if (node['withContext'] === true)
    report(
      node,
      '"with context" is not supported in templates',
      'pass values to the macro as arguments',
    );
  if (typeof name !== 'string') {
    report(node, 'the template of an import must be a literal text');
    return undefined;
  }
  try {
    return scope.exportsOf(name);
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || thrown.code !== 'template-missing') throw thrown;
    report(node, thrown.message, thrown.hint);
    return undefined;
  }
}

/**
 * The exported names of a template: macros and variables at the top level without a leading
 * underscore.
 */
export function exportedNames(root: AstNode): string[] {
  return childrenOf(root)
    .flatMap((node) => {
      if (node.typename === 'Macro') return [String(partOf(node, 'name')['value'])];
      return node.typename === 'Set'
        ? (node['targets'] as readonly AstNode[]).map((target) => String(target['value']))
        : [];
    })
    .filter((name) => !name.startsWith('_'));
}
