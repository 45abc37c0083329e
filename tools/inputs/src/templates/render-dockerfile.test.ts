import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { CcpError, CcpErrors, formatPosition } from '#core';
import type { ImageDefinition } from '#definitions';
import { sampleImage, SUMMARY, TRIXIE } from '../testing/image-folder.ts';
import { renderDockerfile, RENDERER } from './render-dockerfile.ts';

const START = 'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n';

function render(template: string, shared: Readonly<Record<string, string>> = {}, changes: Partial<ImageDefinition> = {}): string {
  const definition = sampleImage({ 'sample/Dockerfile.njk': template, ...shared }, changes);
  return renderDockerfile({ definition, series: TRIXIE, summary: SUMMARY });
}

/** Every finding as `place: message [hint]`. */
function findings(body: () => unknown): string[] {
  try {
    body();
  } catch (thrown) {
    if (!(thrown instanceof CcpError)) throw thrown;
    const all = thrown instanceof CcpErrors ? thrown.findings : [thrown];
    return all.map(
      (finding) => `${finding.at === undefined ? '' : formatPosition(finding.at)}: ${finding.message}${finding.hint === undefined ? '' : ` [${finding.hint}]`}`,
    );
  }
  return [];
}

const HERE = 'images/sample/Dockerfile.njk';

const ENDLESS =
  ' the template does not end soon: its loops, macros and filters take more than 100,000 rounds, make too long a text, or call one another in a circle [loop over fewer things, or put the text into files/]';

describe('renderDockerfile', () => {
  it('renders every part of the context, without escaping, blocks leaving no lines', () => {
    const text = render(
      `${START}{% import "_shared/macros.njk" as m %}
{# a comment #}
{% for stage, folder in debian %}
{{ m.install(stage, folder) }}
{% endfor %}
{% if 'build' in debian %}
RUN never
{% endif %}
{% if image.user %}
USER {{ image.user.name }}
{% endif %}
RUN --mount=type=bind,source={{ sources[python.project].path }},target=/src-{{ sources.sample.version }} true
ENV A="{{ args.flags | default('none') }}" B={{ series.python | replace('.', '') }}`,
      {
        '_shared/macros.njk':
          '{% macro install(stage, folder) %}\nRUN --mount=type=bind,source={{ folder }},target=/d echo {{ stage }} && true\n{%- endmacro %}\n',
      },
      { args: { flags: '<&>' } },
    );
    expect(text).toBe(`ARG CCP_PARENT_BASE
FROM \${CCP_PARENT_BASE}

RUN --mount=type=bind,source=.inputs/debian/runtime,target=/d echo runtime && true
USER sample
RUN --mount=type=bind,source=.inputs/sources/sample.tar,target=/src-1.0.0 true
ENV A="<&>" B=313
`);
  });

  it.each([
    ['USER {{ image.usr.name }}', `${HERE}:3:14: unknown name image.usr [did you mean image.user?]`],
    ['{% if pyton %}RUN x{% endif %}', `${HERE}:3:7: unknown name pyton [did you mean python?]`],
    ['{% if debian.biuld %}RUN x{% endif %}', `${HERE}:3:13: unknown name debian.biuld [debian has runtime]`],
    [
      '{% for x in python.extras if x %}{% endfor %}',
      `${HERE}:3:19: "for … if" does not filter here: the condition is taken once, for the whole list [put {% if %} inside the loop]`,
    ],
    ['{{ image.name | uper }}', `${HERE}:3:17: unknown filter uper [did you mean upper?]`],
    ['{{ "x" if image.shipped }}', `${HERE}:3:4: "… if …" without else renders nothing where the condition fails [say what else: "… if … else …"]`],
    ['{% raw %}{{ x }}{% endraw %}', `${HERE}:3:1: {% raw %} is not part of the dialect [write the text as a string: {{ "{{" }}]`],
    ['{{ image.constructor }}', `${HERE}:3:9: member constructor is not part of the dialect`],
    ['{{ ""["__proto__"] }}', `${HERE}:3:6: member __proto__ is not part of the dialect`],
    ['{{ range.constructor("return process")() }}', `${HERE}:3:39: only macros can be called [import or define the macro; use filters for texts and lists]`],
    ['{{ image.name.split("") }}', `${HERE}:3:20: only macros can be called [import or define the macro; use filters for texts and lists]`],
    ['{% include "_shared/x.njk" %}', `${HERE}:3:4: Include is not part of the dialect [templates have if, for, set, macro, call, import and expressions]`],
    ['{% extends "../../etc/passwd" %}', `${HERE}:3:4: Extends is not part of the dialect [templates have if, for, set, macro, call, import and expressions]`],
    [
      '{% import "_shared/../../secret.njk" as x %}',
      `${HERE}:3:4: "_shared/../../secret.njk" is not a template's name [import "_shared/NAME.njk", or "NAME.njk" beside the image's own template]`,
    ],
    ['{% import "_shared/none.njk" as x %}', `${HERE}:3:4: there is no template images/_shared/none.njk`],
    ['{% if %}', `${HERE}:3:7: unexpected token: %}`],
    ['RUN {{ python.project', `${HERE}: a {{ before this place is not ended by }}`],
    ['RUN {{ image.user }}', `${HERE}: image.user is a record, not a text [name one of its members: name, uid, gid, home]`],
  ])('refuses %s', (line, finding) => {
    expect(findings(() => render(`${START}${line}\n`))[0]).toBe(finding);
  });

  const TENFOLD = '{% for digit in "0123456789" %}';
  it.each([
    [
      '{{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!" | replace(r/^(a+)+$/, "") }}',
      '3:60: a regular expression is not part of the dialect [replace takes a text: "a" | replace("b", "c")]',
    ],
    ['{% macro a() %}{{ a() }}{% endmacro %}{{ a() }}', '3:20: the macro a calls itself [loop over a list: {% for … in … %}]'],
    ['{{ "x" | indent(1000000000) }}', '3:10: unknown filter indent [filters are default, first, int, join, last, length, lower, replace, sort, trim, upper]'],
    [`${TENFOLD.repeat(12)}${'{% endfor %}'.repeat(12)}`, ENDLESS],
    [`{% macro m() %}${TENFOLD}{{ caller() }}{% endfor %}{% endmacro %}${'{% call m() %}'.repeat(12)}x${'{% endcall %}'.repeat(12)}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a + a %}\n'.repeat(20)}RUN {{ a }}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a + a %}\n'.repeat(40)}`, ENDLESS],
    [`{% set a = "0123456789" %}\n${'{% set a = a | replace("", a) %}\n'.repeat(9)}`, ENDLESS],
    ['{% macro a() %}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{% macro a() %}{{ b() }}{% endmacro %}{{ a() }}', ENDLESS],
  ])('refuses what would not end: %s', (text, finding) => {
    expect(findings(() => render(`${START}${text}\n`))[0]).toBe(`${HERE}:${finding}`);
  });

  it.each([
    ['{% import "_shared/m.njk" as m %}\n{{ m.usr() }}', `${HERE}:4:5: there is no macro usr in m [did you mean user?]`],
    ['{% import "_shared/m.njk" as m %}\n{{ m.nothing_like_it() }}', `${HERE}:4:5: there is no macro nothing_like_it in m [it has user, head]`],
    ['{% from "_shared/m.njk" import nope %}', `${HERE}:3:32: there is no macro nope in _shared/m.njk [it has user, head]`],
  ])('refuses a macro that is not there: %s', (line, finding) => {
    const shared = { '_shared/m.njk': '{% macro user() %}{% endmacro %}\n{% set head = "x" %}\n' };
    expect(findings(() => render(`${START}${line}\n`, shared))).toEqual([finding]);
  });

  it('finds a wrong member inside a shared macro', () => {
    const shared = { '_shared/m.njk': '\n{% macro user(image) %}\nUSER {{ image.user.nam }}\n{% endmacro %}\n' };
    expect(findings(() => render(`${START}{% import "_shared/m.njk" as m %}\n{{ m.user(image) }}\n`, shared))).toEqual([
      'images/_shared/m.njk:3: unknown name image.user.nam [did you mean image.user.name?]',
    ]);
  });

  it('refuses a null that is written out, and names of the context inside a shared template', () => {
    expect(findings(() => render(`${START}USER {{ image.user }}\n`, {}, { ...noUser() }))[0]).toMatch(`${HERE}:3:`);
    const shared = { '_shared/m.njk': '{% macro m() %}{% if image.user %}USER x{% endif %}{% endmacro %}' };
    expect(findings(() => render(`${START}{% import "_shared/m.njk" as m %}\n{{ m.m() }}\n`, shared))).toEqual([
      'images/_shared/m.njk:1:22: unknown name image [known are m, caller]',
    ]);
  });

  it.each(['\n', '\r', '\u2028', '\u0000'])('refuses a value that holds %j', (character) => {
    expect(findings(() => render(START, {}, { args: { a: `x${character}RUN id` } }))).toEqual([
      `images/sample/image.yaml: args.a holds a line break or another control character: ${JSON.stringify(`x${character}RUN id`)} [a value must not be able to add a Dockerfile instruction: write it on one line]`,
    ]);
  });

  it('refuses a template that is a symbolic link', async () => {
    const { symlinkSync } = await import('node:fs');
    const definition = sampleImage({});
    symlinkSync('/etc/hostname', `${definition.folder}/Dockerfile.njk`);
    expect(findings(() => renderDockerfile({ definition, series: TRIXIE, summary: SUMMARY }))).toEqual([
      `${HERE}: the template ${HERE} is a symbolic link [put the file itself there]`,
    ]);
  });

  it.each([1500, 5000])('refuses %d blocks within one another', (depth) => {
    const nested = `${'{% if image %}'.repeat(depth)}x${'{% endif %}'.repeat(depth)}`;
    expect(findings(() => render(`${START}${nested}`))).toEqual([`${HERE}: its blocks or parentheses are nested too deeply`]);
  });

  it('names the renderer that is installed', () => {
    const { version } = createRequire(import.meta.url)('nunjucks/package.json') as { version: string };
    expect(RENDERER).toMatch(`nunjucks ${version},`);
  });

  it('finds the template line of an instruction that is refused', () => {
    expect(findings(() => render(`${START}{# x #}\nRUN {{ image.name }}\nADD https://{{ image.name }}/x /x\n`))).toEqual([
      `${HERE}:5: ADD https://sample/x could be remote [name a file of the context: files/… or .inputs/seed.tar]`,
    ]);
  });
});

function noUser(): Partial<ImageDefinition> {
  return { user: undefined } as unknown as Partial<ImageDefinition>;
}
