import { describe, expect, it } from 'vitest';
import { oneLine } from './text.ts';
import { fittingStart, textWidth } from './width.ts';
import { wrapLine, wrapText } from './wrap.ts';

/** A Korean syllable in three parts, as macOS writes it in file names. */
const DECOMPOSED = '\u1112\u1161\u11ab';

describe('textWidth', () => {
  it.each([
    ['nova', 4],
    ['日本語', 6],
    ['ｎｏｖａ', 8],
    ['e\u0301tat', 4],
    [DECOMPOSED, 2],
    ['👩‍👩‍👧', 2],
    ['✓ … ·', 5],
  ])('counts the columns of %s', (text, columns) => {
    expect(textWidth(text)).toBe(columns);
  });
});

describe('fittingStart', () => {
  it.each([
    ['abcdef', 3, 'abc'],
    ['abc', 0, ''],
    ['日本語', 5, '日本'],
    ['日本語', 1, ''],
    ['ae\u0301\u0323b', 2, 'ae\u0301\u0323'],
    ['a👩‍👩‍👧b', 2, 'a'],
  ])('cuts %s to %d columns', (text, columns, start) => {
    expect(fittingStart(text, columns)).toBe(start);
  });
});

describe('oneLine', () => {
  it.each([
    ['日本語', 6, '日本語'],
    ['日本語', 5, '日本…'],
    ['日本語', 4, '日…'],
    ['re\u0301sume\u0301', 6, 're\u0301sume\u0301'],
    ['re\u0301sume\u0301', 4, 're\u0301s…'],
  ])('cuts %s to %d columns with the sign of a cut', (text, columns, cut) => {
    expect(oneLine(text, columns)).toBe(cut);
  });
});

describe('wrapLine', () => {
  it.each([
    ['leaves a line that fits', 'a bc', 4, ['a bc']],
    ['breaks at the last blank that fits', 'ab cd ef', 6, ['ab cd', '  ef']],
    ['counts wide characters', '日本 語日 本語', 9, ['日本 語日', '  本語']],
    [
      'does not count accents',
      'e\u0301te\u0301 e\u0301te\u0301',
      7,
      ['e\u0301te\u0301 e\u0301te\u0301'],
    ],
    ['splits a word longer than a row', '日本語日本', 6, ['日本語', '  日本']],
    ['ends if no character fits', 'a日本', 2, ['a', ' 日本']],
  ])('%s', (_, line, columns, rows) => {
    expect(wrapLine(line, { columns, indent: 2 })).toEqual(rows);
  });

  it('leaves words whole on request', () => {
    const options = { columns: 8, indent: 2, wholeWords: true };
    expect(wrapLine('see /var/lib/ccp/logs for it', options)).toEqual([
      'see',
      '  /var/lib/ccp/logs',
      '  for it',
    ]);
    expect(wrapLine('/var/lib/ccp/logs', options)).toEqual(['/var/lib/ccp/logs']);
  });
});

describe('wrapText', () => {
  it('wraps each line, and indents continued rows deeper than the first', () => {
    const text = 'ccp: the lock of 日本語 is out of date\n  -> run "ccp lock 日本語" again';
    expect(wrapText(text, 24)).toBe(
      [
        'ccp: the lock of 日本語',
        '  is out of date',
        '  -> run "ccp lock',
        '    日本語" again',
      ].join('\n'),
    );
  });

  it('continues rows of a table below the last column of the left half', () => {
    expect(wrapText('  x 日本語  the Job has failed  two times', 26)).toBe(
      ['  x 日本語  the Job has', '            failed  two', '            times'].join('\n'),
    );
  });
});
