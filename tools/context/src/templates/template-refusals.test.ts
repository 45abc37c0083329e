import { describe, expect, it } from 'vitest';
import {
  templateFindings,
  SAMPLE_TEMPLATE,
  renderSample,
  DOCKERFILE_START,
} from '../testing/render-sample.ts';

const ENDLESS =
  ' the template exceeds its limits: 100,000 loop rounds, macro calls and filters, 10 million characters, or 100 nested calls [use smaller loops, or put the text into files/]';

describe('a template', () => {
  it.each([
    [
      '{{ ["a"] + ["b"] }}',
      '+ expects numbers or texts, not a list [join a list first: … | join(" ")]',
    ],
    [
      '{{ 1 + image.shipped }}',
      '+ expects numbers or texts, not a boolean [join a list first: … | join(" ")]',
    ],
    ['{{ "a" - 1 }}', 'cannot calculate with a text [convert it to a number: … | int(0)]'],
    ['{{ "a" < 1 }}', 'cannot calculate with a text [convert it to a number: … | int(0)]'],
    ['{{ 1 < 2 < 3 }}', 'comparisons cannot be chained [write a < b and b < c]'],
    ['{{ 2 * 3 % 4 }}', 'the order of *, /, // and % is ambiguous [add parentheses: (a * b) / c]'],
    ['{{ (1, 2) }}', 'parentheses must contain one expression [write a list in brackets: [a, b]]'],
    [
      '{% for x in debian %}{% endfor %}',
      'a loop over a record needs two names, not only x [write for name, value in …]',
    ],
    ['{% for x in 5 %}{% endfor %}', 'cannot loop over a number'],
    ['{% for a, b in "ab" %}{% endfor %}', 'cannot loop over a text with several names'],
    ['{% for a, b in [1] %}{% endfor %}', 'cannot unpack a number into several names'],
    [
      '{% for x in [1] %}{{ loop.frist }}{% endfor %}',
      'unknown name loop.frist [did you mean loop.first?]',
    ],
    ['{% macro m() %}{% endmacro %}{{ m }}', 'm is a macro, not a text [call the macro: m()]'],
    [
      '{% macro m() %}{{ caller() }}{% endmacro %}{{ m() }}',
      'cannot call an undefined value [only macros can be called; use filters for texts and lists]',
    ],
    [
      '{% macro m(x) %}{{ x }}{% endmacro %}{{ m() }}',
      'the value is undefined, not a text [test the value first ({% if … %}), or set a default: … | default("…", true)]',
    ],
    ['{{ "a" | join }}', 'the filter join expects a list, not a text'],
    ['{{ 5 | upper }}', 'the filter upper expects a text, not a number'],
    ['{{ "a" | trim(chars="b") }}', 'the filter trim has no argument named chars'],
    ['{{ 1 in 2 }}', '"in" expects a list, a text or a record, not a number'],
    ['{% set a.b = 1 %}', 'only a plain name can be set'],
    ['{% set d = {1: 2} %}', 'a key must be a name or a text'],
    ['{% macro m(a.b) %}{% endmacro %}', 'a parameter must be a plain name'],
    [
      '{% call image %}x{% endcall %}',
      'the template cannot be parsed: a name or an argument is missing',
    ],
  ])('refuses what nunjucks would render as something else: %s', (line, finding) => {
    expect(
      templateFindings(() => renderSample(`${DOCKERFILE_START}${line}\n`))[0]?.replace(/^\S+ /, ''),
    ).toBe(finding);
  });

  const TENFOLD = '{% for digit in "0123456789" %}';
  it.each([
    [
      '{{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | replace(r/^(a+)+$/, "") }}',
      '3:60: a regular expression is not supported in templates [replace expects a text: "a" | replace("b", "c")]',
    ],
    [
      '{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}',
      '3:20: the macro a calls itself [loop over a list: {% for … in … %}]',
    ],
    [
      '{{ "x" | indent(1000000000) }}',
      '3:10: unknown filter indent [known filters: default, first, int, join, last, length, lower, replace, sort, trim, upper]',
    ],
    [`${TENFOLD.repeat(12)}${'{% endfor %}'.repeat(12)}`, ENDLESS],
    [
      `{% macro m() %}${TENFOLD}{{ caller() }}{% endfor %}{% endmacro %}${'{% call m() %}'.repeat(12)}x${'{% endcall %}'.repeat(12)}`,
      ENDLESS,
    ],
    [`{% set a = "0123456789" %}\n${'{% set a = a + a %}\n'.repeat(20)}RUN {{ a }}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a + a %}\n'.repeat(40)}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a | replace("", a) %}\n'.repeat(9)}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a ~ a %}\n'.repeat(20)}RUN {{ a }}`, ENDLESS],
    [
      `{% set a = "0" %}{% for i in "0123456789012345678901234567890" %}{% set a = a ~ a %}{% endfor %}`,
      ENDLESS,
    ],
    [
      `{% set a = "0" %}{% for i in "0123456789012345678901234567890" %}{% set a %}{{ a }}{{ a }}{% endset %}{% endfor %}`,
      ENDLESS,
    ],
    [
      `{% macro twice(x) %}{{ x }}{{ x }}{% endmacro %}{% set a = "0" %}${'{% set a = twice(a) %}'.repeat(30)}`,
      ENDLESS,
    ],
    [`{% set a = [0] %}${'{% set a = [a, a] %}'.repeat(30)}RUN {{ a }}`, ENDLESS],
    [`{% set a = [0] %}${'{% set a = [a, a] %}'.repeat(30)}RUN {{ a | join("") }}`, ENDLESS],
    [`{% set a = "0" %}${'{% set a = [a, a, a, a, a, a, a, a] | join(a) %}'.repeat(30)}`, ENDLESS],
    [`{% set a = "aa" %}${'{% set a = a | replace("a", "aa") %}'.repeat(30)}`, ENDLESS],
    [
      `{% set a = "a" %}${'{% set a = a ~ a %}'.repeat(17)}{% set b = "b" ~ a %}{% if b in a %}{% endif %}`,
      ENDLESS,
    ],
    [
      '{% macro a() %}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{% macro a() %}{{ b() }}{% endmacro %}{{ a() }}',
      ENDLESS,
    ],
  ])('refuses what would not end: %s', (text, finding) => {
    expect(templateFindings(() => renderSample(`${DOCKERFILE_START}${text}\n`))[0]).toBe(
      `${SAMPLE_TEMPLATE}:${finding}`,
    );
  });
});
