import { expect, it } from 'vitest';
import { colourSign } from './colour.ts';
import { processOutput } from './output.ts';

/** The texts that reach stdout and stderr, 30 columns wide. */
function printed(isTTY: boolean): readonly [stdout: string, stderr: string] {
  const texts = { stdout: '', stderr: '' };
  const output = processOutput(
    {},
    { TERM: 'xterm', NO_COLOR: '1' },
    {
      stdout: { isTTY, columns: 30, write: (text) => void (texts.stdout += text) },
      stderr: { isTTY, columns: 30, write: (text) => void (texts.stderr += text) },
    },
  );
  output.result('  x nova/api  日本語 is the name of a missing file', {}, colourSign);
  output.result('a plan without colours is also wrapped', {});
  output.result('key: a value that a program may read', {}, 'verbatim');
  output.warn('ccp: the lock of nova is out of date\n  -> run "ccp lock nova"');
  return [texts.stdout, texts.stderr];
}

it('wraps messages and results for people between words on a terminal', () => {
  expect(printed(true)).toEqual([
    [
      '  x nova/api  日本語 is the',
      '              name of a',
      '              missing file',
      'a plan without colours is also',
      '  wrapped',
      'key: a value that a program may read',
      '',
    ].join('\n'),
    ['ccp: the lock of nova is out', '  of date', '  -> run "ccp lock nova"', ''].join('\n'),
  ]);
});

it('changes no line off a terminal', () => {
  expect(printed(false)).toEqual([
    '  x nova/api  日本語 is the name of a missing file\na plan without colours is also wrapped\nkey: a value that a program may read\n',
    'ccp: the lock of nova is out of date\n  -> run "ccp lock nova"\n',
  ]);
});
