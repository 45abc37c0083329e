import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { cpuMs } from '../../../../tests/helpers/cpu-ms.ts';
import { CcpError, CcpErrors } from '#core';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';
import { contextPaths } from './context-paths.ts';
import { renderDockerfile } from './render-dockerfile.ts';

const START = 'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n';
const LIMIT_MS = 6_000;
const ENDLESS = 'template-endless';
const UNSAFE = 'dockerfile-unsafe';

/** The results of `make` for 0 to `count` - 1, joined. */
const many = (count: number, make: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => make(index)).join('');
const tenTimes = (text: string): string => `{% for i in "0123456789" %}${text}{% endfor %}`;
const loop = (rounds: number, text: string): string =>
  `{% for i in "${'x'.repeat(rounds)}" %}${text}{% endfor %}`;
const open = (count: number): string => `{# ${'{{'.repeat(count)} #}\n`;

const large = (index: number): string =>
  `{% macro x1() %}a{% endmacro %}\n${'{{ 1 }}'.repeat(8_000)}{# ${index} #}`;
const definition = sampleImage({
  ...Object.fromEntries(
    Array.from({ length: 40 }, (_, index) => [`_shared/large${index}.njk`, large(index)]),
  ),
  '_shared/open.njk': open(1_990).repeat(60),
});

/** Templates that once took from 7 seconds to 7 minutes, or whose cost was not counted. */
const COSTS: Readonly<Record<string, { readonly template: string; readonly code?: string }>> = {
  'many imports of many templates': {
    template: many(6_000, (index) => `{% import "_shared/large${index % 40}.njk" as b %}`),
    code: 'template-syntax',
  },
  'many unknown names beside many known ones': {
    template:
      many(6_000, (index) => `{% set aaaaaaa${index} = 1 %}`) +
      many(4_000, (index) => `{{ xaaaaaa${index} }}`),
    code: 'template-dialect',
  },
  'an unknown name as long as a known one': {
    template: `{% set ${'a'.repeat(100_000)}b = 1 %}{{ ${'a'.repeat(100_000)} }}`,
    code: 'template-dialect',
  },
  'many macros': { template: many(6_000, (index) => `{% macro m${index}() %}{% endmacro %}`) },
  'many loops beside many names': {
    template:
      many(8_000, (index) => `{% set a${index} = 1 %}`) +
      '{% for i in [] %}{% endfor %}'.repeat(3_000),
  },
  'stages and instructions that copy from none of them': {
    template: `${many(8_000, (index) => `FROM scratch AS a${index}\n`)}${'COPY --from=x a b\n'.repeat(3_000)}`,
    code: UNSAFE,
  },
  'stages on stages': {
    template: tenTimes(many(8_000, (index) => `FROM a${Math.max(0, index - 1)} AS a${index}\n`)),
    code: UNSAFE,
  },
  'instructions on unknown parents': {
    template: tenTimes(many(8_000, (index) => `FROM x AS a${index}\n`)),
    code: UNSAFE,
  },
  'unknown instructions': { template: tenTimes('FOOBARS a\n'.repeat(9_000)), code: UNSAFE },
  'copied files in many instructions': {
    template: tenTimes(many(5_000, (index) => `COPY files/a${index} /b\n`)),
    code: UNSAFE,
  },
  'many copied files': { template: `COPY ${'files/a '.repeat(30_000)}/b` },
  'many copies': { template: 'COPY files/a /b\n'.repeat(900) },
  'lines with many blocks that do not end': {
    template: `{% import "_shared/open.njk" as b %}${'FOO a\n'.repeat(50)}${open(1_990).repeat(60)}`,
    code: UNSAFE,
  },
  'a sort by a long path': {
    template: `{% set d = {a: 1} %}${loop(20_000, '{% set d = {a: d} %}')}{% set p %}${'a.'.repeat(19_990)}a{% endset %}{% set l = [${'d,'.repeat(60_000)}d] %}{% set z = l | sort(attribute=p) %}`,
    code: ENDLESS,
  },
  'lookups of a long name': {
    template: `{% set d = {"${'k'.repeat(100_000)}": 1} %}{% set k = "${'K'.repeat(100_000)}" | lower %}${loop(1_000, '{% set y = d[k] %}'.repeat(2_000))}`,
    code: ENDLESS,
  },
  'membership of a long name': {
    template: `{% set d = {"${'k'.repeat(100_000)}": 1} %}{% set k = "${'K'.repeat(100_000)}" | lower %}${loop(1_000, '{% set y = k in d %}'.repeat(2_000))}`,
    code: ENDLESS,
  },
  'calls of a macro with many parameters': {
    template: `{% macro m(${many(25_000, (index) => `a${index},`)}b) %}{% endmacro %}${loop(9_000, '{{ m() }}')}`,
    code: ENDLESS,
  },
  'statements that set many names': {
    template: loop(5_000, `{% set ${many(25_000, (index) => `a${index},`)}b = 1 %}`),
    code: ENDLESS,
  },
  'imports of many names': {
    template: loop(
      5_000,
      `{% from "_shared/large1.njk" import ${many(15_000, (index) => `x1 as y${index},`)}x1 %}`,
    ),
    code: ENDLESS,
  },
};

describe('a template', () => {
  it.each(Object.entries(COSTS))(
    'does not hang by %s',
    (_, { template, code }) => {
      writeFileSync(join(definition.folder, 'Dockerfile.njk'), START + template);
      const started = cpuMs();
      let found: string | undefined;
      try {
        const text = renderDockerfile({
          definition,
          series: TRIXIE_SERIES,
          summary: SAMPLE_SUMMARY,
        });
        contextPaths(definition, text);
      } catch (thrown) {
        if (!(thrown instanceof CcpError) && !(thrown instanceof CcpErrors)) throw thrown;
        found = thrown.code;
      }
      expect(found).toBe(code);
      expect(cpuMs() - started).toBeLessThan(LIMIT_MS);
    },
    60_000,
  );
});
