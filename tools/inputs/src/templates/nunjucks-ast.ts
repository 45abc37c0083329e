import { createRequire } from 'node:module';
import { CcpError, messageOf } from '#core';

/** A node of nunjucks' syntax tree, which has no types of its own; lines and columns count from 0. */
export interface AstNode {
  readonly typename: string;
  readonly lineno: number;
  readonly colno: number;
  readonly fields: readonly string[];
  readonly [field: string]: unknown;
}

type NodeClass = new (lineno: number, colno: number, ...fields: readonly unknown[]) => AstNode;

interface NunjucksInternals {
  readonly parser: { parse(text: string, extensions: readonly [], options: object): AstNode };
  readonly compiler: { readonly Compiler: new (name: string, throwOnUndefined: boolean) => { compile(root: AstNode): void; getCode(): string } };
  readonly nodes: Readonly<Record<'Filter' | 'NodeList' | 'Output' | 'Symbol', NodeClass>>;
}

/** How every template is cut into tokens: a block alone on its line leaves no line. */
export const LEXER_OPTIONS = { trimBlocks: true, lstripBlocks: true } as const;

const require = createRequire(import.meta.url);

/** nunjucks, loaded when a template must be rendered; a run in which nothing changed never asks for it. */
export function loadNunjucks(): typeof import('nunjucks') {
  return require('nunjucks') as typeof import('nunjucks');
}

/** The syntax tree of a template; raises `template-syntax` with its place. */
export function parseTemplate(text: string, file: string): AstNode {
  const { parser } = loadNunjucks() as unknown as NunjucksInternals;
  try {
    return parser.parse(text, [], LEXER_OPTIONS);
  } catch (cause) {
    throw new CcpError({ code: 'template-syntax', message: syntaxMessage(cause), at: positionOf(file, cause), cause });
  }
}

/** What a syntax tree without asynchronous parts comes to, as a nunjucks loader may give it in place of text; `name` is for messages. */
export function compileTemplate(root: AstNode, name: string): unknown {
  const { compiler } = loadNunjucks() as unknown as NunjucksInternals;
  const made = new compiler.Compiler(name, true);
  made.compile(root);
  return (new Function(made.getCode()) as () => unknown)();
}

/** `{{ | filter }}` at the place of `node`: prints what a filter without a value gives. */
export function outputOf({ lineno, colno }: AstNode, filter: string): AstNode {
  const { nodes } = loadNunjucks() as unknown as NunjucksInternals;
  const call = new nodes.Filter(lineno, colno, new nodes.Symbol(lineno, colno, filter), new nodes.NodeList(lineno, colno, []));
  return new nodes.Output(lineno, colno, [call]);
}

/** Where nunjucks says an error happened. */
export function positionOf(file: string, thrown: unknown): { file: string; line?: number; column?: number } {
  const [, line, column] = /\[Line (\d+)(?:, Column (\d+))?\]/.exec(messageOf(thrown)) ?? [];
  if (line === undefined) return parserPosition(file, thrown);
  return column === undefined ? { file, line: Number(line) } : { file, line: Number(line), column: Number(column) };
}

function parserPosition(file: string, thrown: unknown): { file: string; line?: number; column?: number } {
  const { lineno, colno } = (typeof thrown === 'object' && thrown !== null ? thrown : {}) as { lineno?: unknown; colno?: unknown };
  return typeof lineno === 'number' && typeof colno === 'number' ? { file, line: lineno, column: colno } : { file };
}

/** What its parser says of a construct that does not end where it must, in words of the template. */
const WORDS: Readonly<Record<string, string>> = {
  'Maximum call stack size exceeded': 'its blocks or parentheses are nested too deeply',
  'expected variable end': 'a {{ before this place is not ended by }}',
  'expected block end': 'a {% before this place is not ended by %}',
};

/** nunjucks' own words where there are none better, without the place it puts in front. */
export function syntaxMessage(thrown: unknown): string {
  const lines = messageOf(thrown).split('\n');
  const words = (lines.at(-1) ?? '').trim().replace(/^(?:Template render error|Error): /, '');
  return WORDS[words] ?? words;
}

/** True for a value of a node's field that is itself a node. */
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
