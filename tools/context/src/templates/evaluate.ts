import { CcpError, omitUndefined } from '#core';
import { applyFilter } from './filters.ts';
import { childrenOf, isNode, nameIn, partOf, type AstNode } from './nunjucks-ast.ts';
import {
  addValues,
  concatenateValues,
  valueContains,
  valuesEqual,
  memberOf,
  toNumber,
  compareValues,
  valuesIdentical,
} from './operators.ts';
import type { RenderBudget } from './render-budget.ts';
import type { TemplateFrame } from './template-frame.ts';
import { TemplateRefusal } from './template-refusal.ts';
import {
  isTrue,
  kindOf,
  TemplateMacro,
  TemplateRecord,
  type TemplateArguments,
  type TemplateValue,
} from './template-values.ts';

/** A running template, as seen by its expressions. */
export interface Evaluation {
  /** The template's file, for messages. */
  readonly file: string;
  readonly budget: RenderBudget;
  /** The text that statements write. */
  write(node: AstNode, frame: TemplateFrame): string;
  /** The body of a call block. */
  caller(node: AstNode, frame: TemplateFrame): TemplateMacro;
}

type Evaluate = (node: AstNode, frame: TemplateFrame, run: Evaluation) => TemplateValue;

/**
 * The value of an expression. No code is generated, and names in a template never select properties
 * of program objects, so templates can only use these nodes, operators and filters. Raises
 * `template-name` and `template-value` with a position, and `template-endless`.
 */
export function evaluateNode(node: AstNode, frame: TemplateFrame, run: Evaluation): TemplateValue {
  run.budget.enter();
  const rule = EVALUATE.get(node.typename);
  try {
    if (rule === undefined) throw new TemplateRefusal(`${node.typename} is not an expression`);
    const value = rule(node, frame, run);
    run.budget.leave();
    return value;
  } catch (thrown) {
    throw locateRefusal(thrown, node, run.file);
  }
}

/** Converts a refusal to an error with its position; returns other errors unchanged. */
export function locateRefusal(thrown: unknown, node: AstNode, file: string): unknown {
  if (!(thrown instanceof TemplateRefusal)) return thrown;
  return new CcpError({
    code: thrown.code,
    message: thrown.message,
    at: { file, line: node.lineno + 1, column: node.colno + 1 },
    ...omitUndefined({ hint: thrown.hint }),
  });
}

const of = (node: AstNode, field: string, frame: TemplateFrame, run: Evaluation): TemplateValue =>
  evaluateNode(partOf(node, field), frame, run);

/** An operator of two operands that are both evaluated. */
function operator(
  apply: (left: TemplateValue, right: TemplateValue, budget: RenderBudget) => TemplateValue,
): Evaluate {
  return (node, frame, run) =>
    apply(of(node, 'left', frame, run), of(node, 'right', frame, run), run.budget);
}

function arithmetic(apply: (left: number, right: number) => number): Evaluate {
  return operator((left, right) => apply(toNumber(left), toNumber(right)));
}

const COMPARE: ReadonlyMap<
  string,
  (left: TemplateValue, right: TemplateValue, budget: RenderBudget) => boolean
> = new Map([
  ['==', valuesEqual],
  ['!=', (left, right, budget) => !valuesEqual(left, right, budget)],
  ['===', valuesIdentical],
  ['!==', (left, right, budget) => !valuesIdentical(left, right, budget)],
  ['<', (left, right, budget) => compareValues(left, right, budget) < 0],
  ['>', (left, right, budget) => compareValues(left, right, budget) > 0],
  ['<=', (left, right, budget) => compareValues(left, right, budget) <= 0],
  ['>=', (left, right, budget) => compareValues(left, right, budget) >= 0],
]);

const TEST: ReadonlyMap<string, (value: TemplateValue) => boolean> = new Map<
  string,
  (value: TemplateValue) => boolean
>([
  ['defined', (value) => value !== undefined],
  ['undefined', (value) => value === undefined],
  ['none', (value) => value === null],
  ['number', (value) => typeof value === 'number'],
  ['string', (value) => typeof value === 'string'],
]);

const EVALUATE: ReadonlyMap<string, Evaluate> = new Map<string, Evaluate>([
  ['Literal', literal],
  ['Symbol', (node, frame) => frame.get(nameIn(node))],
  ['Group', (node, frame, run) => evaluateNode(childrenOf(node)[0]!, frame, run)],
  ['Array', list],
  ['Dict', (node, frame, run) => new TemplateRecord(pairs(node, frame, run))],
  [
    'InlineIf',
    (node, frame, run) =>
      of(node, isTrue(of(node, 'cond', frame, run)) ? 'body' : 'else_', frame, run),
  ],
  [
    'Or',
    (node, frame, run) => {
      const left = of(node, 'left', frame, run);
      return isTrue(left) ? left : of(node, 'right', frame, run);
    },
  ],
  [
    'And',
    (node, frame, run) => {
      const left = of(node, 'left', frame, run);
      return isTrue(left) ? of(node, 'right', frame, run) : left;
    },
  ],
  ['Not', (node, frame, run) => !isTrue(of(node, 'target', frame, run))],
  ['In', operator(valueContains)],
  ['Is', test],
  ['Compare', compare],
  ['Add', operator(addValues)],
  ['Concat', operator(concatenateValues)],
  ['Sub', arithmetic((left, right) => left - right)],
  ['Mul', arithmetic((left, right) => left * right)],
  ['Div', arithmetic((left, right) => left / right)],
  ['FloorDiv', arithmetic((left, right) => Math.floor(left / right))],
  ['Mod', arithmetic((left, right) => left % right)],
  ['Pow', arithmetic((left, right) => left ** right)],
  ['Neg', (node, frame, run) => -toNumber(of(node, 'target', frame, run))],
  ['Pos', (node, frame, run) => toNumber(of(node, 'target', frame, run))],
  [
    'LookupVal',
    (node, frame, run) =>
      memberOf(of(node, 'target', frame, run), of(node, 'val', frame, run), run.budget),
  ],
  ['FunCall', call],
  ['Filter', filter],
  ['Capture', (node, frame, run) => run.write(partOf(node, 'body'), frame)],
  ['Caller', (node, frame, run) => run.caller(node, frame)],
]);

function literal(node: AstNode): TemplateValue {
  const value = node['value'];
  if (value === null || ['string', 'number', 'boolean'].includes(typeof value))
    return value as null | string | number | boolean;
  throw new TemplateRefusal('a regular expression is not supported in templates');
}

function list(node: AstNode, frame: TemplateFrame, run: Evaluation): readonly TemplateValue[] {
  const items = childrenOf(node);
  run.budget.items(items.length);
  return items.map((item) => evaluateNode(item, frame, run));
}

function pairs(
  node: AstNode,
  frame: TemplateFrame,
  run: Evaluation,
): ReadonlyMap<string, TemplateValue> {
  const entries = childrenOf(node);
  run.budget.items(entries.length);
  return new Map(
    entries.map((pair) => [nameIn(partOf(pair, 'key')), of(pair, 'value', frame, run)]),
  );
}

function test(node: AstNode, frame: TemplateFrame, run: Evaluation): boolean {
  const right = partOf(node, 'right');
  const check = TEST.get(right['value'] === null ? 'none' : nameIn(right));
  if (check === undefined) throw new TemplateRefusal('unknown test');
  return check(of(node, 'left', frame, run));
}

function compare(node: AstNode, frame: TemplateFrame, run: Evaluation): boolean {
  const [operand] = node['ops'] as readonly AstNode[];
  const apply = COMPARE.get(String(operand?.['type']));
  if (operand === undefined || apply === undefined) throw new TemplateRefusal('unknown comparison');
  return apply(of(node, 'expr', frame, run), of(operand, 'expr', frame, run), run.budget);
}

function call(node: AstNode, frame: TemplateFrame, run: Evaluation): string {
  const callee = of(node, 'name', frame, run);
  if (!(callee instanceof TemplateMacro))
    throw new TemplateRefusal(
      `cannot call ${kindOf(callee)}`,
      'only macros can be called; use filters for texts and lists',
    );
  run.budget.round();
  return callee.call(argumentsOf(childrenOf(partOf(node, 'args')), frame, run));
}

function filter(node: AstNode, frame: TemplateFrame, run: Evaluation): TemplateValue {
  const [value, ...others] = childrenOf(partOf(node, 'args'));
  return applyFilter(
    nameIn(partOf(node, 'name')),
    isNode(value) ? evaluateNode(value, frame, run) : undefined,
    argumentsOf(others, frame, run),
    run.budget,
  );
}

function argumentsOf(
  given: readonly AstNode[],
  frame: TemplateFrame,
  run: Evaluation,
): TemplateArguments {
  const last = given.at(-1);
  if (last?.typename !== 'KeywordArgs')
    return { values: given.map((node) => evaluateNode(node, frame, run)), named: new Map() };
  return {
    values: given.slice(0, -1).map((node) => evaluateNode(node, frame, run)),
    named: pairs(last, frame, run),
  };
}
