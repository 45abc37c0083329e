import { CcpError, nearest } from '#core';
import { childrenOf, isNode, type AstNode } from './nunjucks-ast.ts';
import { unknownMember, type TemplateValue } from './strict-record.ts';
import type { TemplateFile } from './template-files.ts';

/** Filters a template may use: those that depend on nothing but their arguments, and make no more than those are. */
export const FILTERS = ['default', 'first', 'int', 'join', 'last', 'length', 'lower', 'replace', 'sort', 'trim', 'upper'];
const TESTS = ['defined', 'none', 'number', 'string', 'undefined'];

/** Nodes of the dialect; the value of a construct left out is what its refusal says. */
const CONSTRUCTS = new Set(
  (
    'Root NodeList Literal Symbol Group Array Pair Dict Output TemplateData If InlineIf For Macro Caller Import FromImport FunCall Filter ' +
    'KeywordArgs Set Capture LookupVal In Is Or And Not Add Concat Sub Mul Div FloorDiv Mod Pow Neg Pos Compare CompareOperand'
  ).split(' '),
);
const MEMBERS_OF_OBJECTS = new Set(['constructor', 'prototype', 'call', 'apply', 'bind', 'callee', 'arguments', 'valueOf', 'toString', 'hasOwnProperty']);
const RAW = /\{%-?\s*(raw|verbatim)\b/;

/**
 * Everything in a template that the dialect does not allow, every name and member that `context` does not have, and every macro
 * that an imported template, whose names `exportsOf` gives, does not have. nunjucks takes an unknown name as
 * false and reads `for … if` as a condition on the list, so both would lose text silently; calls and members of the language's
 * own objects could leave the sandbox that a template is.
 */
export function lintTemplate(
  template: TemplateFile,
  root: AstNode,
  context: Readonly<Record<string, TemplateValue>>,
  exportsOf: (name: string) => readonly string[],
): CcpError[] {
  const findings: CcpError[] = [];
  const report = (node: { lineno: number; colno: number }, message: string, hint?: string): void => {
    const at = { file: template.file, line: node.lineno + 1, column: node.colno + 1 };
    findings.push(new CcpError({ code: 'template-dialect', message, at, ...(hint === undefined ? {} : { hint }) }));
  };
  template.text.split('\n').forEach((line, lineno) => {
    const raw = RAW.exec(line);
    if (raw !== null) report({ lineno, colno: raw.index }, `{% ${raw[1]} %} is not part of the dialect`, 'write the text as a string: {{ "{{" }}');
  });
  const names = Object.entries(context).map(([name, value]): [string, Declared] => [name, { value, callable: false }]);
  walk(root, new Scope(exportsOf, names), report);
  return findings;
}

type Report = (node: AstNode, message: string, hint?: string) => void;

interface Declared {
  readonly callable: boolean;
  /** Known for names of the context. */
  readonly value?: TemplateValue;
  /** What an imported template has. */
  readonly exports?: readonly string[];
}

class Scope extends Map<string, Declared> {
  readonly exportsOf: (name: string) => readonly string[];
  /** The macro whose body this is. */
  open?: string;

  constructor(exportsOf: (name: string) => readonly string[], entries: Iterable<readonly [string, Declared]>) {
    super(entries);
    this.exportsOf = exportsOf;
  }

  inner(): Scope {
    const inner = new Scope(this.exportsOf, this);
    if (this.open !== undefined) inner.open = this.open;
    return inner;
  }

  declare(name: string, callable = false, exports?: readonly string[]): void {
    this.set(name, { callable, ...(exports === undefined ? {} : { exports }) });
  }
}

function walk(node: AstNode, scope: Scope, report: Report): void {
  if (!CONSTRUCTS.has(node.typename)) {
    report(node, `${node.typename} is not part of the dialect`, 'templates have if, for, set, macro, call, import and expressions');
    return;
  }
  const visitor = VISITORS[node.typename];
  if (visitor === undefined) for (const child of childrenOf(node)) walk(child, scope, report);
  else visitor(node, scope, report);
}

const VISITORS: Readonly<Record<string, (node: AstNode, scope: Scope, report: Report) => void>> = {
  Symbol(node, scope, report) {
    const name = String(node['value']);
    if (scope.has(name)) return;
    const close = nearest(name, scope.keys());
    report(node, `unknown name ${name}`, close === undefined ? `known are ${[...scope.keys()].join(', ')}` : `did you mean ${close}?`);
  },
  Literal(node, _scope, report) {
    if (node['value'] instanceof RegExp) report(node, 'a regular expression is not part of the dialect', 'replace takes a text: "a" | replace("b", "c")');
  },
  Pair(node, scope, report) {
    if (isNode(node['value'])) walk(node['value'], scope, report);
  },
  InlineIf(node, scope, report) {
    if (node['else_'] === null) report(node, '"… if …" without else renders nothing where the condition fails', 'say what else: "… if … else …"');
    for (const child of childrenOf(node)) walk(child, scope, report);
  },
  For(node, scope, report) {
    const list = node['arr'] as AstNode;
    if (list.typename === 'InlineIf')
      report(list, '"for … if" does not filter here: the condition is taken once, for the whole list', 'put {% if %} inside the loop');
    else walk(list, scope, report);
    const inner = scope.inner();
    for (const name of symbolsIn(node['name'] as AstNode)) inner.declare(name);
    inner.declare('loop');
    walk(node['body'] as AstNode, inner, report);
    if (isNode(node['else_'])) walk(node['else_'], scope, report);
  },
  Macro(node, scope, report) {
    const name = String((node['name'] as AstNode)['value']);
    scope.declare(name, true);
    const inside = scope.inner();
    inside.open = name;
    walkBody(node, inside, report);
  },
  Caller: walkBody,
  Import(node, scope, report) {
    scope.declare(String((node['target'] as AstNode)['value']), true, importedNames(node, scope, report));
  },
  FromImport(node, scope, report) {
    const exports = importedNames(node, scope, report);
    const from = String((node['template'] as AstNode)['value']);
    for (const name of childrenOf(node['names'] as AstNode)) {
      checkMacro(name, String(name.typename === 'Pair' ? (name['key'] as AstNode)['value'] : name['value']), exports, from, report);
      scope.declare(String(name.typename === 'Pair' ? (name['value'] as AstNode)['value'] : name['value']), true);
    }
  },
  Set(node, scope, report) {
    for (const field of ['value', 'body']) if (isNode(node[field])) walk(node[field], scope, report);
    for (const target of node['targets'] as AstNode[]) scope.declare(String(target['value']));
  },
  LookupVal(node, scope, report) {
    walk(node['target'] as AstNode, scope, report);
    checkMember(node, scope, report);
  },
  FunCall(node, scope, report) {
    const callee = node['name'] as AstNode;
    const owner = callee.typename === 'LookupVal' ? (callee['target'] as AstNode) : callee;
    if (callee.typename === 'Symbol' && scope.open !== undefined && callee['value'] === scope.open)
      report(node, `the macro ${scope.open} calls itself`, 'loop over a list: {% for … in … %}');
    if (owner.typename !== 'Symbol' || scope.get(String(owner['value']))?.callable !== true) {
      report(node, 'only macros can be called', 'import or define the macro; use filters for texts and lists');
    } else if (callee !== owner) checkMember(callee, scope, report);
    walk(node['args'] as AstNode, scope, report);
  },
  Filter(node, scope, report) {
    const name = String((node['name'] as AstNode)['value']);
    if (!FILTERS.includes(name)) {
      const close = nearest(name, FILTERS);
      report(node['name'] as AstNode, `unknown filter ${name}`, close === undefined ? `filters are ${FILTERS.join(', ')}` : `did you mean ${close}?`);
    }
    walk(node['args'] as AstNode, scope, report);
  },
  Is(node, scope, report) {
    walk(node['left'] as AstNode, scope, report);
    const right = node['right'] as AstNode;
    const name = String(right['value']);
    if (right.typename === 'Literal' && right['value'] === null) return;
    if (right.typename !== 'Symbol' || !TESTS.includes(name)) report(right, `unknown test "is ${name}"`, `tests are ${TESTS.join(', ')}`);
  },
};

function walkBody(node: AstNode, scope: Scope, report: Report): void {
  const inner = scope.inner();
  inner.declare('caller', true);
  for (const argument of childrenOf(node['args'] as AstNode)) {
    if (argument.typename === 'Symbol') inner.declare(String(argument['value']));
    else
      for (const pair of childrenOf(argument)) {
        walk(pair, scope, report);
        inner.declare(String((pair['key'] as AstNode)['value']));
      }
  }
  walk(node['body'] as AstNode, inner, report);
}

function checkMember(node: AstNode, scope: Scope, report: Report): void {
  const key = node['val'] as AstNode;
  if (key.typename !== 'Literal') {
    const target = node['target'] as AstNode;
    if (target.typename !== 'Symbol') report(node, 'a computed member is taken of a name only', 'set the record to a name first');
    walk(key, scope, report);
    return;
  }
  const name = String(key['value']);
  if (name.startsWith('__') || MEMBERS_OF_OBJECTS.has(name)) {
    report(node, `member ${name} is not part of the dialect`);
    return;
  }
  const target = node['target'] as AstNode;
  if (target.typename === 'Symbol') checkMacro(node, name, scope.get(String(target['value']))?.exports, String(target['value']), report);
  const owner = knownValue(target, scope);
  const unknown = owner === undefined ? undefined : unknownMember(owner.value, name, owner.path);
  if (unknown !== undefined) report(node, unknown.message, unknown.hint);
}

/** The context's value that an expression of plain names stands for, where it is known. */
function knownValue(node: AstNode, scope: Scope): { readonly value: TemplateValue; readonly path: string } | undefined {
  if (node.typename === 'Symbol') {
    const path = String(node['value']);
    const value = scope.get(path)?.value;
    return value === undefined ? undefined : { value, path };
  }
  const key = node.typename === 'LookupVal' ? (node['val'] as AstNode) : undefined;
  if (key?.typename !== 'Literal') return undefined;
  const owner = knownValue(node['target'] as AstNode, scope);
  if (owner === undefined || owner.value === null || typeof owner.value !== 'object') return undefined;
  const name = String(key['value']);
  const value = (owner.value as Readonly<Record<string, TemplateValue>>)[name];
  return value === undefined ? undefined : { value, path: `${owner.path}.${name}` };
}

/** Reports a name that a template, which the other calls `owner`, does not export. */
function checkMacro(node: AstNode, name: string, exports: readonly string[] | undefined, owner: string, report: Report): void {
  if (exports === undefined || exports.includes(name)) return;
  const close = nearest(name, exports);
  report(node, `there is no macro ${name} in ${owner}`, close === undefined ? `it has ${exports.join(', ') || 'none'}` : `did you mean ${close}?`);
}

/** What an imported template has, where it is named as the dialect wants it. */
function importedNames(node: AstNode, scope: Scope, report: Report): readonly string[] | undefined {
  const template = node['template'] as AstNode;
  if (template.typename !== 'Literal') report(node, 'an import names its template literally');
  if (node['withContext'] === true) report(node, '"with context" is not part of the dialect', 'hand the macro what it needs as an argument');
  if (template.typename !== 'Literal') return undefined;
  try {
    return scope.exportsOf(String(template['value']));
  } catch (thrown) {
    if (!(thrown instanceof CcpError) || thrown.code !== 'template-missing') throw thrown;
    report(node, thrown.message, thrown.hint);
    return undefined;
  }
}

/** The names that other templates see of one: its macros and what it sets, at the top. */
export function exportedNames(root: AstNode): string[] {
  return childrenOf(root).flatMap((node) => {
    if (node.typename === 'Macro') return [String((node['name'] as AstNode)['value'])];
    return node.typename === 'Set' ? (node['targets'] as AstNode[]).map((target) => String(target['value'])) : [];
  });
}

function symbolsIn(node: AstNode): string[] {
  return node.typename === 'Symbol' ? [String(node['value'])] : childrenOf(node).flatMap(symbolsIn);
}
