import type { ContextValue } from './context-values.ts';
import { lacksMember, unknownName } from './context-values.ts';
import { lintExport } from './lint-imports.ts';
import type { ReportLint, LintScope } from './lint-scope.ts';
import { partOf, type AstNode } from './nunjucks-ast.ts';

/** Members of every JavaScript object; records in templates do not have them. */
const MEMBERS_OF_OBJECTS = new Set([
  'constructor',
  'prototype',
  'call',
  'apply',
  'bind',
  'callee',
  'arguments',
  'valueOf',
  'toString',
  'hasOwnProperty',
]);

/**
 * Checks a literal member name: whether it is allowed, and whether its owner has it, if the owner
 * is known.
 */
export function lintMember(node: AstNode, scope: LintScope, report: ReportLint): void {
  const name = String(partOf(node, 'val')['value']);
  if (name.startsWith('__') || MEMBERS_OF_OBJECTS.has(name)) {
    report(node, `member ${name} is not supported in templates`);
    return;
  }
  const target = partOf(node, 'target');
  const owner = String(target['value']);
  if (target.typename === 'Symbol')
    lintExport(node, name, scope.get(owner)?.exports, owner, report);
  const known = knownValue(target, scope);
  if (known !== undefined && lacksMember(known.value, name))
    report(
      node,
      `unknown name ${known.path}.${name}`,
      () => unknownName(name, Object.keys(known.value as object), known.path).hint,
    );
}

/** The context value of an expression of plain names, if known. */
function knownValue(
  node: AstNode,
  scope: LintScope,
): { readonly value: ContextValue; readonly path: string } | undefined {
  if (node.typename === 'Symbol') {
    const path = String(node['value']);
    const value = scope.get(path)?.value;
    return value === undefined ? undefined : { value, path };
  }
  const key = node.typename === 'LookupVal' ? partOf(node, 'val') : undefined;
  if (key?.typename !== 'Literal') return undefined;
  const owner = knownValue(partOf(node, 'target'), scope);
  if (owner === undefined || owner.value === null || typeof owner.value !== 'object')
    return undefined;
  const name = String(key['value']);
  if (!Object.hasOwn(owner.value, name)) return undefined;
  const value = (owner.value as Readonly<Record<string, ContextValue>>)[name];
  return value === undefined ? undefined : { value, path: `${owner.path}.${name}` };
}
