import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { TEMPLATE_NODES } from './dialect.ts';
import { isNode, parseNunjucks, type AstNode } from './nunjucks-ast.ts';

/** A node as `Name(field field)`, a field being a value, a node or a list. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(' ')}]`;
  if (!isNode(value)) return JSON.stringify(value);
  const node: AstNode = value;
  const fields = [
    ...node.fields,
    ...(isNode(node['body']) && node.typename === 'Set' ? ['body'] : []),
  ];
  return `${node.typename}(${fields.map((field) => shown(node[field])).join(' ')})`;
}

const OUTPUT = (inner: string): string => `Root([Output([${inner}])])`;
const BINARY = Object.entries({
  In: 'in',
  Or: 'or',
  And: 'and',
  Add: '+',
  Concat: '~',
  Sub: '-',
  Mul: '*',
  Div: '/',
  FloorDiv: '//',
  Mod: '%',
  Pow: '**',
}).map(([name, operator]): [string, string] => [
  `{{ a ${operator} b }}`,
  OUTPUT(`${name}(Symbol("a") Symbol("b"))`),
]);

describe('the syntax tree of nunjucks, which the lint and the interpreter read', () => {
  it.each([
    ...BINARY,
    ['a', 'Root([Output([TemplateData("a")])])'],
    ['{{ "a" }}', OUTPUT('Literal("a")')],
    ['{{ none }}', OUTPUT('Literal(null)')],
    ['{{ (a) }}', OUTPUT('Group([Symbol("a")])')],
    ['{{ [a] }}', OUTPUT('Array([Symbol("a")])')],
    ['{{ {a: b} }}', OUTPUT('Dict([Pair(Symbol("a") Symbol("b"))])')],
    ['{{ a if b else c }}', OUTPUT('InlineIf(Symbol("b") Symbol("a") Symbol("c"))')],
    ['{{ not a }}', OUTPUT('Not(Symbol("a"))')],
    ['{{ -a }}', OUTPUT('Neg(Symbol("a"))')],
    ['{{ +a }}', OUTPUT('Pos(Symbol("a"))')],
    ['{{ a is b }}', OUTPUT('Is(Symbol("a") Symbol("b"))')],
    ['{{ a < b }}', OUTPUT('Compare(Symbol("a") [CompareOperand(Symbol("b") "<")])')],
    ['{{ a.b }}', OUTPUT('LookupVal(Symbol("a") Literal("b"))')],
    ['{{ a[b] }}', OUTPUT('LookupVal(Symbol("a") Symbol("b"))')],
    [
      '{{ a(b, c=d) }}',
      OUTPUT(
        'FunCall(Symbol("a") NodeList([Symbol("b") KeywordArgs([Pair(Symbol("c") Symbol("d"))])]))',
      ),
    ],
    ['{{ a | b(c) }}', OUTPUT('Filter(Symbol("b") NodeList([Symbol("a") Symbol("c")]))')],
    [
      '{% filter b %}a{% endfilter %}',
      OUTPUT('Filter(Symbol("b") NodeList([Capture(NodeList([Output([TemplateData("a")])]))]))'),
    ],
    ['{% if a %}{% else %}{% endif %}', 'Root([If(Symbol("a") NodeList([]) NodeList([]))])'],
    [
      '{% for a in b %}{% else %}{% endfor %}',
      'Root([For(Symbol("b") Symbol("a") NodeList([]) NodeList([]))])',
    ],
    [
      '{% for a, b in c %}{% endfor %}',
      'Root([For(Symbol("c") Array([Symbol("a") Symbol("b")]) NodeList([]) null)])',
    ],
    [
      '{% macro a(b, c=d) %}{% endmacro %}',
      'Root([Macro(Symbol("a") NodeList([Symbol("b") KeywordArgs([Pair(Symbol("c") Symbol("d"))])]) NodeList([]))])',
    ],
    [
      '{% call(a) b() %}{% endcall %}',
      OUTPUT(
        'FunCall(Symbol("b") NodeList([KeywordArgs([Pair(Symbol("caller") Caller(Symbol("caller") NodeList([Symbol("a")]) NodeList([])))])]))',
      ),
    ],
    ['{% import "a" as b %}', 'Root([Import(Literal("a") Symbol("b") null)])'],
    [
      '{% from "a" import b, c as d %}',
      'Root([FromImport(Literal("a") NodeList([Symbol("b") Pair(Symbol("c") Symbol("d"))]) null)])',
    ],
    ['{% set a, b = c %}', 'Root([Set([Symbol("a") Symbol("b")] Symbol("c"))])'],
    ['{% set a %}{% endset %}', 'Root([Set([Symbol("a")] null Capture(NodeList([])))])'],
  ])('has the known form for %s', (template, tree) => {
    const root = parseNunjucks(template, 'a.njk');
    expect(shown(root)).toBe(tree);
    expect([...tree.matchAll(/(\w+)\(/g)].filter(([, name]) => !TEMPLATE_NODES.has(name!))).toEqual(
      [],
    );
  });

  it('comes from the parser only, so that no code is generated', () => {
    parseNunjucks('{{ a }}', 'a.njk');
    const require = createRequire(import.meta.url);
    const loaded = new Set<string>();
    const follow = (module: NodeModule | undefined): void => {
      if (module === undefined || loaded.has(module.id)) return;
      loaded.add(module.id);
      module.children.forEach(follow);
    };
    follow(require.cache[require.resolve('nunjucks/src/parser')]);
    expect([...loaded].map((file) => file.split('/').at(-1)).sort()).toEqual([
      'lexer.js',
      'lib.js',
      'nodes.js',
      'object.js',
      'parser.js',
    ]);
  });

  it('is refused for more blanks than its parser reads in short time', () => {
    const text = `a\n${' '.repeat(600)}{%- if a %}`;
    expect(() => parseNunjucks(text, 'a.njk')).toThrow(
      expect.objectContaining({
        code: 'template-syntax',
        message: 'more than 500 consecutive spaces or line breaks',
        at: { file: 'a.njk', line: 1 },
      }),
    );
  });
});
