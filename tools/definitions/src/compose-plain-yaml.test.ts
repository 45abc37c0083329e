import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { composePlainYaml } from './compose-plain-yaml.ts';
import { composeFullYaml } from './compose-yaml.ts';
import { cpuMs } from '../../../tests/helpers/cpu-ms.ts';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../../tests/helpers/fuzz.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** True if the text is plain; then both readers must agree. */
function agree(text: string): boolean {
  const node = composePlainYaml(text);
  if (node !== undefined)
    expect(composeFullYaml(text), JSON.stringify(text)).toEqual({ node, findings: [] });
  return node !== undefined;
}

describe('composePlainYaml', () => {
  it.each([
    'a: 1\nb: text with spaces\nc:\n  - x\n  - y: 1\n    z: [1, "two", three four]\n',
    '# comment\n\na:\n  # inner\n  b: { c: d, e: "1.0", f: [] }\n# between\nlist:\n- one\n- two\n',
    '"2026.1":\n  x: {}\n',
    'a: it is (not) [a list], {or a map}\n',
    'items:\n  - name: x\n    values:\n      - 1\n  - name: y\n',
    "a: 'single'\nb: -c\nc: 1.2.3\nd: a:b\ne: /x/y\n",
    'a: x#y\nb: no\nc: yes\nd: 2026-01-01\n',
    '- a\n- b\n',
  ])('reads %j', (text) => expect(agree(text)).toBe(true));

  it.each([
    '',
    'text\n',
    'a:\n',
    'a:\nb: 1\n',
    'a: 1\na: 2\n',
    'a: &x 1\n',
    'a: *x\n',
    'a: !x 1\n',
    'a: |\n  x\n',
    'a: one\n  two\n',
    'a: "one\n  two"\n',
    'a: x # comment\n',
    'a: x: y\n',
    'a: 1.5\n',
    'a: 0x1f\n',
    'a: ~\n',
    'a: .nan\n',
    'a: 00012\n',
    'a: 12345678901234567890\n',
    'a:  x \n',
    'a:\tx\n',
    'a: ü\n',
    '---\na: 1\n',
    'a: 1\n...\n',
    'a: {x: 1, x: 2}\n',
    'a: [1,\n 2]\n',
    'a: [1, 2\n',
    '? a\n: b\n',
    '- - a\n',
    '__proto__: 1\n',
    'a:\n   b: 1\n  c: 2\n',
    ' a: 1\n',
    'a: "x" y\n',
    'a: "\\n"\n',
    'a: 1\n\n  \nb: 2\n',
    'a: 1\r\n',
  ])('leaves %j to the full reader', (text) => {
    expect(composePlainYaml(text)).toBeUndefined();
  });

  it.each([
    ['digits', '1'.repeat(200_000)],
    ['hexadecimal digits', `0x${'f'.repeat(200_000)}`],
    ['words', 'a '.repeat(100_000)],
    ['an open text', '"'.padEnd(200_000, 'x')],
    ['open lists', '['.repeat(200_000)],
    ['commas', `[${','.repeat(200_000)}`],
  ])('reads %s in linear time', (_, long) => {
    const start = cpuMs();
    composePlainYaml(`a: ${long}x\nb: [${long}x]\n`);
    expect(cpuMs() - start).toBeLessThan(2000);
  });

  it('agrees with the full reader on all files of the repository', () => {
    const files = globSync(['images/**/*.yaml', 'deploy-specs/**/*.yaml'], { cwd: REPOSITORY });
    expect(files.length).toBeGreaterThan(50);
    const plain = files.filter((file) => agree(readFileSync(join(REPOSITORY, file), 'utf8')));
    expect(plain.filter((file) => file.includes('/lock/')).length).toBe(
      files.filter((file) => file.includes('/lock/')).length,
    );
  });

  it(
    'agrees with the full reader on random and on changed texts',
    { timeout: FUZZ_TIMEOUT_MS },
    async () => {
      const words = [
        ...[
          'a',
          'b',
          'key',
          '"q"',
          "'s'",
          '1',
          '01',
          '1.5',
          '-',
          '-1',
          '.5',
          'e1',
          '1e3',
          'true',
          'No',
        ],
        ...[
          'null',
          '~',
          '#',
          ' #',
          ':',
          ': ',
          '? ',
          '- ',
          '-x',
          '[',
          ']',
          '{',
          '}',
          ',',
          ', ',
          ' ',
          '  ',
        ],
        ...[
          '\n',
          '\n  ',
          '\n    ',
          '\n- ',
          '\n  - ',
          '\n# c\n',
          '\n\n',
          '|',
          '>',
          '&a',
          '*a',
          '!t',
          '%',
        ],
        ...[
          '@',
          '`',
          '"',
          "'",
          '\\',
          '---',
          '...',
          '=',
          '<<',
          '$',
          '/x',
          '.',
          '+',
          '(',
          'x y',
          'a: ',
          'b:\n',
        ],
      ];
      const base =
        'a:\n  - { name: x, size: 10, sha256: "00ff", list: [a, "b"] }\n  - k: v\n    m:\n    - 1\nb: text here\n"c": []\n';
      let plain = 0;
      await fuzz(3000, async (random) => {
        const word = (): string => random.pick(words);
        const some = (most: number): number => random.int(most);
        let text = base;
        if (random.chance(0.5)) text = Array.from({ length: some(24) }, word).join('');
        else
          for (let edits = some(5); edits > 0; edits -= 1) {
            const at = some(text.length);
            text = text.slice(0, at) + word() + text.slice(at + some(4));
          }
        if (agree(text)) plain += 1;
      });
      expect(plain).toBeGreaterThan(200);
    },
  );
});
