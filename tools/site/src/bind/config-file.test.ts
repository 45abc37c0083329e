import { describe, expect, it } from 'vitest';
import type { ConfigSpec } from '#definitions';
import { findingsOf, valid, type Checked } from './checked.ts';
import { bindConfigFile, type PlacedLayer } from './config-file.ts';
import type { Scope } from './facts.ts';

const at = { file: 'app.yaml', line: 3 };
const scope: Scope = {
  facts: new Map([
    ['name', [{ text: 'web' }]],
    ['peers', { list: ['a', 'b'] }],
    ['hostile', [{ text: 'x\n[evil]\ny = 1' }]],
    ['pod', [{ field: 'metadata.name' as const }]],
  ]),
  absent: new Set(['requires.bus']),
};
const file = (
  format: ConfigSpec['format'],
  ...contents: PlacedLayer['content'][]
): Checked<string> =>
  bindConfigFile(
    format,
    contents.map((content) => ({ content, position: () => at })),
    scope,
  );

describe('bindConfigFile', () => {
  it('merges INI layers: later layers win, null removes a key, layers of absent requirements are omitted', () => {
    const low = {
      DEFAULT: { debug: false, bus: '${requires.bus.url}', host: '${name}' },
      cache: { servers: '${peers}', size: 4 },
    };
    expect(
      file('ini', low, { DEFAULT: { debug: true, host: null }, extra: { plain: '$${name}' } }),
    ).toEqual(
      valid(
        '[DEFAULT]\ndebug = true\n\n[cache]\nservers = a,b\nsize = 4\n\n[extra]\nplain = ${name}\n',
      ),
    );
  });

  it('numbers a list in properties', () => {
    expect(
      file('properties', { nodes: { each: 'peers', value: 'rabbit@${item}' }, log: true }),
    ).toEqual(valid('nodes.1 = rabbit@a\nnodes.2 = rabbit@b\nlog = true\n'));
  });

  it('writes YAML as data for any value', () => {
    expect(file('yaml', { a: { text: '${hostile}', list: [1, '${name}'] } })).toEqual(
      valid('a:\n  text: |-\n    x\n    [evil]\n    y = 1\n  list:\n    - 1\n    - web\n'),
    );
  });

  it('leaves text unchanged', () => {
    expect(file('text', 'echo ${HOME}\n')).toEqual(valid('echo ${HOME}\n'));
  });

  it.each<[string, ConfigSpec['format'], PlacedLayer['content'], string]>([
    [
      'a value with a line end',
      'ini',
      { a: { b: '${hostile}' } },
      'the value of "b" "x\\n[evil]\\ny = 1" is not allowed in the file: it would be parsed as a different value',
    ],
    [
      'a value with a separator of lines',
      'ini',
      { a: { b: 'x\u2028y' } },
      'the value of "b" "x\\u2028y" is not allowed in the file: it would be parsed as a different value',
    ],
    [
      'an option with an equals sign',
      'ini',
      { a: { 'b=c': 1 } },
      'the option "b=c" is not allowed in the file: it would be parsed as a different value',
    ],
    [
      'an option that is a comment',
      'properties',
      { '#b': 1 },
      'the option "#b" is not allowed in the file: it would be parsed as a different value',
    ],
    [
      'a section with a bracket',
      'ini',
      { 'a]': { b: 1 } },
      'the section "a]" is not allowed in the file: it would be parsed as a different value',
    ],
    [
      'a field of a pod',
      'ini',
      { a: { b: '${pod}' } },
      '"${pod}" would put a field of the pod into a configuration file: every pod shares it, and it is not secret',
    ],
    [
      'an option without a section',
      'ini',
      { a: 1 },
      'the layer has the wrong format: expected sections of options',
    ],
    ['text for a map', 'ini', 'a = 1', 'the layer has the wrong format: expected a map'],
    ['a map for text', 'text', { a: 1 }, 'the layer has the wrong format: expected text'],
    [
      'each over a value that is not a list',
      'properties',
      { a: { each: 'name', value: '' } },
      '"name" is not a list',
    ],
  ])('refuses %s', (_, format, content, message) => {
    expect(findingsOf(file(format, content))).toEqual([expect.objectContaining({ message, at })]);
  });

  it('reports every unsafe name and value of a file', () => {
    const found = file('ini', { 'a]': { 'b=c': 1 }, d: { e: 'x\ny' } });
    expect(findingsOf(found).map(({ message }) => message)).toEqual([
      'the section "a]" is not allowed in the file: it would be parsed as a different value',
      'the option "b=c" is not allowed in the file: it would be parsed as a different value',
      'the value of "e" "x\\ny" is not allowed in the file: it would be parsed as a different value',
    ]);
  });
});
