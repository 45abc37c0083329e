import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { CcpError } from '#core';
import { fuzz, FUZZ_TIMEOUT_MS } from '../../../../tests/helpers/fuzz.ts';
import type { Random } from '../../../../tests/helpers/random.ts';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';
import { TEMPLATE_FILTERS } from './dialect.ts';
import { renderDockerfile } from './render-dockerfile.ts';

const START = 'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n';
const definition = sampleImage({
  '_shared/m.njk': '{% macro m(x, y="z") %}{{ x }}{{ y }}{% endmacro %}',
});

/**
 * A rendered Dockerfile; undefined where the template is refused. Throws errors that are not of
 * this program.
 */
function rendered(text: string): string | undefined {
  writeFileSync(join(definition.folder, 'Dockerfile.njk'), text);
  try {
    return renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY });
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    if (thrown.at?.file === undefined) throw new Error('no file', { cause: thrown });
    return undefined;
  }
}

const TOKENS = [
  '{{', '}}', '{%', '%}', '{#', '#}', '{{-', '-%}', '"', "'", '(', ')', '[', ']', '{', '}', ',', ':', '.', '|', '~', '+', '-', '*', '**', '/', '//', '%', '=', '==', '===', '<', 'if', 'else', 'endif', 'for', 'in', 'endfor', 'set', 'endset', 'macro', 'endmacro', 'call', 'endcall', 'import', 'from', 'as', 'is', 'not', 'and', 'or', 'none', 'true', 'loop', 'caller', 'image', 'debian', 'x', 'm', '1', '1e9', 'r/(a+)+/', '__proto__', 'constructor', 'raw', 'endraw', 'filter', '\\', '\n', ' ', 'a', '\u2028', '😀', '"_shared/m.njk"', ...TEMPLATE_FILTERS,
]; // prettier-ignore

function randomTokens(random: Random): string {
  const length = random.pick([5, 50, 2_000]);
  if (random.chance(0.2)) return `${random.pick(TOKENS)} ${random.pick(TOKENS)} `.repeat(length);
  return Array.from({ length }, () => random.pick(TOKENS)).join(random.pick(['', ' ']));
}

/** An expression of texts, numbers and lists. */
function expression(random: Random, depth: number): string {
  const inner = (): string => expression(random, depth - 1);
  if (depth <= 0)
    return random.pick([
      '"ab"',
      '"0123456789"',
      '7',
      '2',
      'x',
      'y',
      'image.name',
      'series.python',
      'debian',
      '[1, "a"]',
      '{a: "b"}',
      'none',
      'true',
    ]);
  return random.pick([
    () => `(${inner()} ~ ${inner()})`,
    () => `(${inner()} + ${inner()})`,
    () =>
      `(${inner()} ${random.pick(['-', '*', '/', '//', '%', '**', '<', '>', '==', '!=', '===', 'in', 'and', 'or'])} ${inner()})`,
    () => `[${inner()}, ${inner()}]`,
    () => `(${inner()} if ${inner()} else ${inner()})`,
    () => `(not ${inner()})`,
    () => `(${inner()} is ${random.pick(['defined', 'none', 'string', 'number'])})`,
    () => `(${inner()} | ${random.pick(TEMPLATE_FILTERS)})`,
    () => `(${inner()} | ${random.pick(['join', 'replace', 'default'])}(${inner()}, ${inner()}))`,
    () => `x[${inner()}]`,
    () => `m.m(${inner()}, y=${inner()})`,
  ])();
}

function statements(random: Random, depth: number): string {
  const inner = (): string => (depth <= 0 ? 'a' : statements(random, depth - 1));
  return Array.from({ length: 1 + random.int(3) }, () =>
    random.pick([
      () => `{{ ${expression(random, 2)} }}`,
      () => `{% set ${random.pick(['x', 'y'])} = ${expression(random, 2)} %}`,
      () => `{% set x %}${inner()}{% endset %}`,
      () => `{% for i in "0123456789" %}${inner()}{% endfor %}`,
      () => `{% for i in x %}${inner()}{% else %}${inner()}{% endfor %}`,
      () => `{% if ${expression(random, 1)} %}${inner()}{% else %}${inner()}{% endif %}`,
      () => `{% set x = x ~ x %}`,
      () => `{% set y = [y, y, x] %}`,
      () => `{% call m.m(${expression(random, 1)}) %}${inner()}{% endcall %}`,
    ])(),
  ).join('');
}

describe('a template', () => {
  it(
    'is rendered or refused with its file, for any text',
    async () => {
      await fuzz(120, (random) => {
        rendered(START + randomTokens(random));
      });
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'ends within its budget, for any statements',
    async () => {
      await fuzz(120, (random) => {
        rendered(
          `${START}{% import "_shared/m.njk" as m %}{% set x = "a" %}{% set y = ["b"] %}\n# ${statements(random, 4)}\n`,
        );
      });
    },
    FUZZ_TIMEOUT_MS,
  );

  it(
    'renders as nunjucks does where nunjucks has a meaning for it',
    async () => {
      const { Environment } = createRequire(import.meta.url)('nunjucks') as {
        Environment: new (
          loader: null,
          options: object,
        ) => { renderString(text: string, context: object): string };
      };
      const nunjucks = new Environment(null, {
        trimBlocks: true,
        lstripBlocks: true,
        autoescape: false,
        throwOnUndefined: true,
      });
      const term = (random: Random): string =>
        random.pick([
          'n',
          '3',
          's',
          '"b-c"',
          'l[0]',
          'l | join("-")',
          's | upper',
          's | replace("a", "bb")',
          'l | length',
          'd.k',
          'm(s)',
          'm(n, y="q")',
          's | default("z")',
          '"7" | int',
          'l | last',
          '(l | sort | first)',
          '(n * 3 - 1)',
          '(n // 2)',
          'e(s) | trim',
        ]);
      const condition = (random: Random): string =>
        random.pick([
          'n > 1',
          's == "a"',
          '"a" in l',
          'not s',
          's and n',
          'd.x is defined',
          'n is number',
          'loop',
          '"k" in d',
          'l',
        ]);
      const body = (random: Random, depth: number): string =>
        Array.from({ length: 3 }, () =>
          random.pick<() => string>([
            () => `{{ ${term(random)} ~ ${term(random)} }}`,
            () => `{{ ${term(random)} if ${condition(random)} else ${term(random)} }}\n`,
            () => `{% set v = ${term(random)} %}{{ v }}`,
            () => `{% set w %}x{{ ${term(random)} }}{% endset %}{{ w }}`,
            () =>
              depth > 0
                ? `{% for i in l %}{{ loop.index }}{{ i }}${body(random, depth - 1)}{% endfor %}`
                : 'a',
            () =>
              depth > 0
                ? `{%- if ${condition(random)} %}${body(random, depth - 1)}{% else %}  ${body(random, depth - 1)}{% endif -%}  `
                : 'b',
            () =>
              `{% for k, v in d %}{{ k }}={{ v }}{{ "," if not loop.last else "" }}{% endfor %}`,
            () => `{% call c(${term(random)}) %}({{ ${term(random)} }}){% endcall %}`,
          ])(),
        ).join('');
      const macros = `{% set s = "a" %}{% set n = 5 %}{% set l = ["c", "a", "B"] %}{% set d = {k: "v", "o": 1} %}{% set loop = 0 %}
{% macro m(x, y="d") %}{{ x }}:{{ y }}{% endmacro %}{% macro e(x) %} {{ x }} {% endmacro %}{% macro c(x) %}{{ x }}{{ caller() }}{% endmacro %}`;
      let compared = 0;
      await fuzz(100, (random) => {
        const text = `${macros}${body(random, 2)}`.replaceAll('\n', '');
        const template = `FROM scratch\nENV A=1\n# |${text}|`;
        const ours = rendered(template);
        if (ours === undefined) return;
        compared += 1;
        const theirs = `${nunjucks.renderString(template, {}).trim()}\n`;
        if (ours !== theirs) throw new Error(`${template}\n${theirs}--\n${ours}`);
      });
      expect(compared).toBeGreaterThan(50);
    },
    FUZZ_TIMEOUT_MS,
  );

  it('has at most 256 kB', () => {
    writeFileSync(join(definition.folder, 'Dockerfile.njk'), 'a'.repeat(300_000));
    expect(() =>
      renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY }),
    ).toThrow(
      expect.objectContaining({
        code: 'template-syntax',
        message:
          'images/sample/Dockerfile.njk has 300000 bytes; a template can have at most 262144',
        hint: 'put long texts into files/',
      }),
    );
  });

  it('must not be a named pipe', () => {
    const path = join(definition.folder, 'Dockerfile.njk');
    rmSync(path);
    execFileSync('mkfifo', [path]);
    expect(() =>
      renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY }),
    ).toThrow(
      expect.objectContaining({
        message: 'the template images/sample/Dockerfile.njk is not a regular file',
      }),
    );
    rmSync(path);
  });

  it.each([
    '{{ "a" }}',
    '{%- set a = 1 %}',
    '{{',
    '{# a #}',
    '{',
    '{{ (',
    '"',
    '{% if x %}',
    '{{ a.b.c ',
    ' a ~',
    '\\"',
    '{{-',
    ' \n',
    'a\n{{ 1 }}',
    'RUN a \\\n',
    '{{ "{{" }}',
    '{{ xyz }}',
    'RUN a\n',
    'COPY a b\n',
    'RUN --mount=type=bind\n',
    'ENV A="',
    'RUN <<A\n',
    '\\\n',
    '$',
    '#\n',
    '{{ "RUN a\\n" }}',
  ])('is read quickly if it contains 250 kB of %j', (unit) => {
    const start = cpuMs();
    rendered(START + unit.repeat(Math.floor(250_000 / unit.length)));
    expect(cpuMs() - start).toBeLessThan(4_000);
  });
});
