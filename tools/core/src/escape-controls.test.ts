import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { CcpError, errorText, messageOf } from './errors.ts';
import { escapeControls, escapeUnsafe } from './escape-controls.ts';

const ALL = [
  ['C0', '\u0000\u0007\u001b[31m', '\\u0000\\u0007\\u001b[31m'],
  ['backspaces and returns', 'a\b\f\rb', 'a\\b\\f\\rb'],
  ['DEL and C1', '\u007f\u0085\u009b1m', '\\u007f\\u0085\\u009b1m'],
  ['separators', '\u2028\u2029', '\\u2028\\u2029'],
  ['marks', '\u061c\u200e\u200f', '\\u061c\\u200e\\u200f'],
  ['overrides', '\u202agpj.exe\u202e', '\\u202agpj.exe\\u202e'],
  ['isolates', '\u2066x\u2069', '\\u2066x\\u2069'],
  ['halves of pairs', '\ud800x\udc00', '\\ud800x\\udc00'],
] as const;

describe('escapeControls', () => {
  it.each(ALL)('escapes %s', (_, text, expected) => {
    expect(escapeControls(text)).toBe(expected);
    expect(escapeUnsafe(text)).toBe(expected);
  });

  it('keeps letters of all scripts and complete surrogate pairs', () => {
    const text = 'grüße 漢字 עברית 👩‍🚀 \\n "x"';
    expect(escapeControls(text)).toBe(text);
  });

  it('escapes a long text in little time', () => {
    const started = cpuMs();
    expect(escapeControls('\u202e'.repeat(200_000))).toHaveLength(1_200_000);
    expect(cpuMs() - started).toBeLessThan(3000);
  });
});

it('escapes lines and tabs only in a text of one line', () => {
  expect(escapeControls('a\n\tb')).toBe('a\\n\\tb');
  expect(escapeUnsafe('a\n\tb')).toBe('a\n\tb');
});

it('escapes control characters in messages, hints and errors of other libraries', () => {
  const thrown = new CcpError({
    code: 'x',
    message: 'the file is \u001b]0;title\u0007',
    hint: 'look at \u202eexe',
    at: { file: 'a\nb', line: 1 },
    cause: new Error('\u009b2J'),
  });
  expect(errorText(thrown, true)).toBe(
    'ccp: a\\nb:1: the file is \\u001b]0;title\\u0007\n  -> look at \\u202eexe\n  cause: \\u009b2J',
  );
  expect(messageOf('\u001b[2J')).toBe('\\u001b[2J');
});
