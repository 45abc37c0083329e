import { CcpError, omitUndefined } from '#core';
import type { ContextValue } from './context-values.ts';
import { TEMPLATE_NODES, MAX_NESTING, TEMPLATE_TESTS } from './dialect.ts';
import { lintCallee, lintFilterName, parametersOf } from './lint-calls.ts';
import { lintFromImport, lintImport } from './lint-imports.ts';
import { lintMember } from './lint-members.ts';
import { LintScope, suggest, type Declared, type ReportLint } from './lint-scope.ts';
import { childrenOf, isNode, nameIn, partOf, TOO_DEEP, type AstNode } from './nunjucks-ast.ts';
import type { TemplateFile } from './template-files.ts';

const MAX_FINDINGS = 50;
const RAW = /\{%-?\s*(raw|verbatim)\b/;

/**
 * Findings for unsupported constructs, for names and members that are not in `context`, and for
 * macros that an imported template does not export (`exportsOf`). This check serves authors with
 * early, exact positions; safety does not depend on it, because the interpreter has its own checks.
 */
export function lintTemplate(
  template: TemplateFile,
  root: AstNode,
  context: Readonly<Record<string, ContextValue>>,
  exportsOf: (name: string) => readonly string[],
): CcpError[] {
  const findings: CcpError[] = [];
  const report: ReportLint = (node, message, hint) => {
    if (findings.length >= MAX_FINDINGS) return;
    const at = { file: template.file, line: node.lineno + 1, column: node.colno + 1 };
    findings.push(
      new CcpError({
        code: 'template-dialect',
        message,
        at,
        ...omitUndefined({ hint: typeof hint === 'function' ? hint() : hint }),
      }),
    );
  };
  if (isTooDeep(root))
    return [
      new CcpError({ code: 'template-syntax', message: TOO_DEEP, at: { file: template.file } }),
    ];
  template.text.split('\n').forEach((line, lineno) => {
    const raw = RAW.exec(line);
    if (raw !== null)
      report(
        { lineno, colno: raw.index },
        `{% ${raw[1]} %} is not supported in templates`,
        'write the text as a string: {{ "{{" }}',
      );
  });
  const names = Object.entries(context).map(([name, value]): [string, Declared] => [
    name,
    { value, callable: false },
  ]);
  walk(root, new LintScope(exportsOf, names), report);
  return findings;
}

function isTooDeep(root: AstNode): boolean {
  let level: readonly AstNode[] = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > MAX_NESTING) return true;
    level = level.flatMap(partsOf);
  }
  return false;
}

/** All child nodes, including nodes that nunjucks does not list as fields. */
function partsOf(node: AstNode): AstNode[] {
  return [
    ...childrenOf(node),
    ...(node.typename === 'Set' && isNode(node['body']) ? [node['body']] : []),
  ];
}

function walk(node: AstNode, scope: LintScope, report: ReportLint): void {
  if (!TEMPLATE_NODES.has(node.typename)) {
    report(
      node,
      `${node.typename} is not supported in templates`,
      'templates support if, for, set, macro, call, import and expressions',
    );
    return;
  }
  const visitor = VISITORS.get(node.typename);
  if (visitor === undefined) for (const child of childrenOf(node)) walk(child, scope, report);
  else visitor(node, scope, report);
}

type Visitor = (node: AstNode, scope: LintScope, report: ReportLint) => void;

const VISITORS: ReadonlyMap<string, Visitor> = new Map<string, Visitor>(
  Object.entries({
    Symbol(node, scope, report) {
      const name = nameIn(node);
      if (scope.has(name)) return;
      report(node, `unknown name ${name}`, () => suggest(name, scope.names(), 'names'));
    },
    Literal(node, _scope, report) {
      if (node['value'] instanceof RegExp)
        report(
          node,
          'a regular expression is not supported in templates',
          'replace expects a text: "a" | replace("b", "c")',
        );
    },
    Group(node, scope, report) {
      const parts = childrenOf(node);
      if (parts.length !== 1)
        report(node, 'parentheses must contain one expression', 'write a list in brackets: [a, b]');
      for (const part of parts) walk(part, scope, report);
    },
    Pair(node, scope, report) {
      const key = partOf(node, 'key');
      if (key.typename !== 'Symbol' && typeof key['value'] !== 'string')
        report(key, 'a key must be a name or a text');
      walk(partOf(node, 'value'), scope, report);
    },
    InlineIf(node, scope, report) {
      if (node['else_'] === null)
        report(
          node,
          '"… if …" without else renders nothing if the condition is false',
          'add the other value: "… if … else …"',
        );
      for (const child of childrenOf(node)) walk(child, scope, report);
    },
    Compare(node, scope, report) {
      if ((node['ops'] as readonly unknown[]).length > 1)
        report(node, 'comparisons cannot be chained', 'write a < b and b < c');
      for (const child of childrenOf(node)) walk(child, scope, report);
    },
    Mul(node, scope, report) {
      const right = partOf(node, 'right');
      if (['Div', 'FloorDiv', 'Mod'].includes(right.typename))
        report(right, 'the order of *, /, // and % is ambiguous', 'add parentheses: (a * b) / c');
      for (const child of childrenOf(node)) walk(child, scope, report);
    },
    For(node, scope, report) {
      const list = partOf(node, 'arr');
      if (list.typename === 'InlineIf')
        report(
          list,
          '"for … if" does not filter here: the condition is evaluated once, for the whole list',
          'put {% if %} inside the loop',
        );
      else walk(list, scope, report);
      const inner = scope.inner();
      const name = partOf(node, 'name');
      for (const each of name.typename === 'Array' ? childrenOf(name) : [name])
        declareName(each, inner, report);
      inner.declare('loop');
      walk(partOf(node, 'body'), inner, report);
      if (isNode(node['else_'])) walk(node['else_'], scope, report);
    },
    Macro(node, scope, report) {
      const name = partOf(node, 'name');
      if (name.typename !== 'Symbol') {
        report(name, 'a macro must have a plain name');
        return;
      }
      scope.declare(nameIn(name), true);
      const inside = scope.inner();
      inside.open = nameIn(name);
      walkBody(node, inside, report);
    },
    Caller: walkBody,
    Import: lintImport,
    FromImport: lintFromImport,
    Set(node, scope, report) {
      for (const field of ['value', 'body'])
        if (isNode(node[field])) walk(node[field], scope, report);
      for (const target of node['targets'] as readonly AstNode[])
        declareName(target, scope, report);
    },
    LookupVal(node, scope, report) {
      const target = partOf(node, 'target');
      const key = partOf(node, 'val');
      walk(target, scope, report);
      if (key.typename === 'Literal') lintMember(node, scope, report);
      else {
        if (target.typename !== 'Symbol')
          report(
            node,
            'a computed member must be read from a name',
            'assign the record to a name first',
          );
        walk(key, scope, report);
      }
    },
    FunCall(node, scope, report) {
      lintCallee(node, scope, report);
      walk(partOf(node, 'args'), scope, report);
    },
    Filter(node, scope, report) {
      lintFilterName(partOf(node, 'name'), report);
      walk(partOf(node, 'args'), scope, report);
    },
    Is(node, scope, report) {
      walk(partOf(node, 'left'), scope, report);
      const right = partOf(node, 'right');
      if (right.typename === 'Literal' && right['value'] === null) return;
      const name = String(right['value']);
      if (right.typename !== 'Symbol' || !(TEMPLATE_TESTS as readonly string[]).includes(name))
        report(right, `unknown test "is ${name}"`, `known tests: ${TEMPLATE_TESTS.join(', ')}`);
    },
  } satisfies Record<string, Visitor>),
);

function walkBody(node: AstNode, scope: LintScope, report: ReportLint): void {
  const inner = scope.inner();
  inner.declare('caller', true);
  for (const parameter of parametersOf(node, report)) {
    if (parameter.default !== undefined) walk(parameter.default, inner, report);
    inner.declare(parameter.name);
  }
  walk(partOf(node, 'body'), inner, report);
}

function declareName(node: AstNode, scope: LintScope, report: ReportLint): void {
  if (node.typename === 'Symbol') scope.declare(nameIn(node));
  else report(node, 'only a plain name can be set');
}
