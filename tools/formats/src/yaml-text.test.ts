import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { yamlText } from './yaml-text.ts';

const TEXTS = [
  ...['yes', 'no', 'on', 'off', 'y', 'n', '~', 'null', '=', '<<', '.inf', '-', '?', '|', '---'],
  ...['1_000', '0b11', '0o17', '017', '0x1F', '1e3', '12:30:45', '1:30', '2026-01-01', '190:20:30'],
  ...[
    '- a',
    'a: b',
    'a #b',
    '#x',
    '@x',
    '`x',
    '%x',
    '!x',
    '&x',
    '*x',
    '{{ x }}',
    '[x',
    '>',
    '"',
    "'",
  ],
  ...[
    '',
    ' x',
    'x ',
    'a\tb',
    'a\nb',
    '\n',
    'a\n b\nc\n',
    'a\r\nb',
    'a\n---\nb',
    '\u0007',
    '\u00a0',
  ],
  ...['a\u0085b', 'a\u2028b', 'a\u2029b', '\ufeffx', '\u202ex', '\ue000', 'é', '😀', '\ufffe'],
];

describe('yamlText', () => {
  it.each(TEXTS)('writes %j so that YAML 1.1 and 1.2 read it back', (text) => {
    const value = { key: text, list: [text], [text]: 1, nested: [{ more: text }] };
    const written = yamlText(value);
    expect(written).not.toMatch(/[\u0085\u2028\u2029\ufeff\ufffe\r\t\u0007]/);
    for (const version of ['1.1', '1.2'] as const)
      expect(parse(written, { version, merge: true })).toEqual(value);
  });

  it('quotes the words that PyYAML reads as a default or a merge', () => {
    expect(yamlText({ '=': '=', '<<': '<<' })).toBe('"=": "="\n"<<": "<<"\n');
  });

  it('writes selected texts as blocks, keys excepted', () => {
    expect(yamlText({ abc: 'abc', x: 'y', list: ['abc'] }, (text) => text === 'abc')).toBe(
      'abc: |-\n  abc\nx: "y"\nlist:\n  - |-\n    abc\n',
    );
  });

  it('writes equal objects twice, without an alias', () => {
    const same = { a: 1 };
    expect(yamlText([same, same])).toBe('- a: 1\n- a: 1\n');
  });
});
