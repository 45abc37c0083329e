import { createRequire } from 'node:module';
import { CcpError, messageOf } from '#core';

/**
 * A node of nunjucks' untyped syntax tree; lines and columns start at 0. Nodes are never modified.
 */
export interface AstNode {
  readonly typename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly fields: readonly string[];
  readonly [field: string]: unknown;
}

interface NunjucksParser {
  parse(text: string, extensions: readonly [], options: object): AstNode;
}

/** Lexer options of every template: a line that contains only a block produces no output line. */
export const LEXER_OPTIONS = { trimBlocks: true, lstripBlocks: true } as const;

/** The parser takes quadratic time for white space. */
const BLANKS = /\s{501}/;

const require = createRequire(import.meta.url);

/**
 * The parser of nunjucks, loaded when a template must be rendered; its compiler and runtime are
 * never loaded.
 */
export function loadParser(): NunjucksParser {
  return require('nunjucks/src/parser') as NunjucksParser;
}

/** Cache of parsed templates, least recently used first; images share most of them. */
const parsed = new Map<string, AstNode>();
const KEPT = 32;

/** The syntax tree of a template; raises `template-syntax` with a position. */
export function parseNunjucks(text: string, file: string): AstNode {
  const known = parsed.get(text);
  parsed.delete(text);
  const root = known ?? parse(text, file);
  parsed.set(text, root);
  if (parsed.size > KEPT) parsed.delete(parsed.keys().next().value!);
  return root;
}

function parse(text: string, file: string): AstNode {
  const blanks = BLANKS.exec(text);
  if (blanks !== null)
    throw new CcpError({
      code: 'template-syntax',
      message: 'more than 500 consecutive spaces or line breaks',
      hint: 'remove the extra spaces or line breaks',
      at: { file, line: text.slice(0, blanks.index).split('\n').length },
    });
  try {
    return loadParser().parse(text, [], LEXER_OPTIONS);
  } catch (cause) {
    throw new CcpError({
      code: 'template-syntax',
      message: syntaxMessage(cause),
      at: positionOf(file, cause),
      cause,
    });
  }
}

/** The position of an error according to nunjucks. */
export function positionOf(
  file: string,
  thrown: unknown,
): { file: string; line?: number; column?: number } {
  const [, line, column] = /\[Line (\d+)(?:, Column (\d+))?\]/.exec(messageOf(thrown)) ?? [];
  if (line === undefined) return parserPosition(file, thrown);
  return column === undefined
    ? { file, line: Number(line) }
    : { file, line: Number(line), column: Number(column) };
}

function parserPosition(
  file: string,
  thrown: unknown,
): { file: string; line?: number; column?: number } {
  const { lineno, colno } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as {
    lineno?: unknown;
    colno?: unknown;
  };
  return typeof lineno === 'number' && typeof colno === 'number'
    ? { file, line: lineno, column: colno }
    : { file };
}

/** Message for nesting that is too deep for the parser, the linter or the interpreter. */
export const TOO_DEEP = 'blocks or parentheses are nested too deeply';

/** Parser messages and their replacements in terms of the template. */
const WORDS: ReadonlyMap<string, string> = new Map([
  ['Maximum call stack size exceeded', TOO_DEEP],
  ['expected variable end', 'a {{ before this position is not closed by }}'],
  ['expected block end', 'a {% before this position is not closed by %}'],
]);

/** The replaced message, or nunjucks' own message without its position. */
export function syntaxMessage(thrown: unknown): string {
  if (thrown instanceof TypeError)
    return 'the template cannot be parsed: a name or an argument is missing';
  const lines = messageOf(thrown).split('\n');
  const words = (lines.at(-1) ?? '').trim().replace(/^(?:Template render error|Error): /, '');
  return WORDS.get(words) ?? words;
}

/** True if a field's value is a node. */
export function isNode(value: unknown): value is AstNode {
  return typeof value === 'object' && value !== null && 'typename' in value && 'fields' in value;
}

/** Nodes directly below a node, in order. */
export function childrenOf(node: AstNode): AstNode[] {
  return node.fields.flatMap((field) => {
    const value = node[field];
    return (Array.isArray(value) ? value : [value]).filter(isNode);
  });
}

/** The node in a field that always contains one. */
export function partOf(node: AstNode, field: string): AstNode {
  const part = node[field];
  if (isNode(part)) return part;
  throw new TypeError(`${node.typename} has no ${field}`);
}

/** The name in a `Symbol`, or the text in a `Literal`. */
export function nameIn(node: AstNode): string {
  const name = node['value'];
  if (typeof name === 'string') return name;
  throw new TypeError(`${node.typename} holds no name`);
}
