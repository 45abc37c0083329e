import { describe, expect, it } from 'vitest';
import { rulesFault, textFault } from '#formats';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../../tests/helpers/fuzz.ts';
import type { Random } from '../../../tests/helpers/random.ts';
import { linearPattern } from './linear-pattern.ts';

const ATOMS = [
  'a',
  'b',
  '.',
  '[ab]',
  '[^a]',
  '\\w',
  '\\d',
  '\\.',
  '\\u{61}',
  '[\\]a-]',
  '😀',
  '^',
  '$',
];
const QUANTIFIERS = ['', '', '', '*', '+', '?', '*?', '{2}', '{1,}', '{0,2}'];

function randomPattern(random: Random, depth: number): string {
  const part = (): string => {
    if (depth > 0 && random.chance(0.3))
      return `${random.pick(['(', '(?:', '(?<n' + random.int(1e9) + '>'])}${randomPattern(random, depth - 1)})${random.pick(QUANTIFIERS)}`;
    const atom = random.pick(ATOMS);
    return atom === '^' || atom === '$' ? atom : `${atom}${random.pick(QUANTIFIERS)}`;
  };
  const parts = Array.from({ length: random.int(4) }, part);
  return random.chance(0.2) ? `${parts.join('')}|${part()}` : parts.join('');
}

describe('a pattern of linear time', () => {
  it.each([
    ['(a+)+', 'a'.repeat(9_999) + '!'],
    ['(a|a)*', 'a'.repeat(9_999) + '!'],
    ['(a*)*b', 'a'.repeat(9_999) + '!'],
    ['(.*.*.*)*x', 'y'.repeat(9_999)],
    ['([a-z]+[a-z0-9]*)+!?', 'a'.repeat(9_998) + '?'],
    ['(\\w+\\s?)*', 'a'.repeat(9_999) + '!'],
  ])('refuses a long text for %s within two seconds', (pattern, text) => {
    const start = cpuMs();
    expect(rulesFault({ pattern })).toBeUndefined();
    expect(textFault({ pattern }, text)).toBe(`must match ${pattern}`);
    expect(cpuMs() - start).toBeLessThan(2_000);
  });

  it(
    'takes the same texts as RegExp',
    async () => {
      await fuzz(300, (random) => {
        const pattern = randomPattern(random, 2);
        const linear = linearPattern(pattern);
        const known = new RegExp(`^(?:${pattern})$`, 'u');
        for (let index = 0; index < 20; index += 1) {
          const text = Array.from({ length: random.int(6) }, () =>
            random.pick(['a', 'b', '.', '-', '1', '😀', '\n']),
          ).join('');
          if (linear.matches(text) !== known.test(text))
            throw new Error(`${pattern} on ${JSON.stringify(text)}`);
        }
      });
    },
    FUZZ_TIMEOUT_MS,
  );

  it.each([
    ['(', '"(" is not a regular expression'],
    [
      '(?=a)a',
      '"(?=a)a" cannot be matched in linear time: it looks ahead or behind, or sets flags',
    ],
    [
      '(?<!a)a',
      '"(?<!a)a" cannot be matched in linear time: it looks ahead or behind, or sets flags',
    ],
    [
      '(a)\\1',
      '"(a)\\\\1" cannot be matched in linear time: it refers to a group or to the border of a word',
    ],
    [
      '\\ba',
      '"\\\\ba" cannot be matched in linear time: it refers to a group or to the border of a word',
    ],
    [
      '(a{50}){50}',
      '"(a{50}){50}" cannot be matched in linear time: it repeats more than 2000 parts',
    ],
    ['a'.repeat(501), 'a regular expression has at most 500 characters'],
    [
      `${'('.repeat(60)}a${')'.repeat(60)}`,
      `"${'('.repeat(60)}a${')'.repeat(60)}" cannot be matched in linear time: its parentheses are nested too deeply`,
    ],
  ])('is not %s', (pattern, fault) => {
    expect(rulesFault({ pattern })).toBe(fault);
  });

  it('is compared with texts of at most 10,000 characters', () => {
    expect(textFault({ pattern: 'a*' }, 'a'.repeat(10_000))).toBeUndefined();
    expect(textFault({ pattern: 'a*' }, 'a'.repeat(10_001))).toBe(
      'must have at most 10000 characters',
    );
  });
});
