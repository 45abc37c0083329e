import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { ImageDefinition } from '#definitions';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';
import {
  templateFindings,
  SAMPLE_TEMPLATE,
  renderSample,
  DOCKERFILE_START,
} from '../testing/render-sample.ts';
import { renderDockerfile, RENDERER_VERSION } from './render-dockerfile.ts';

describe('renderDockerfile', () => {
  it('renders every part of the context, without escaping, blocks leaving no lines', () => {
    const text = renderSample(
      `${DOCKERFILE_START}{% import "_shared/macros.njk" as m %}
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
    [
      'USER {{ image.usr.name }}',
      `${SAMPLE_TEMPLATE}:3:14: unknown name image.usr [did you mean image.user?]`,
    ],
    [
      '{% if pyton %}RUN x{% endif %}',
      `${SAMPLE_TEMPLATE}:3:7: unknown name pyton [did you mean python?]`,
    ],
    [
      '{% if debian.biuld %}RUN x{% endif %}',
      `${SAMPLE_TEMPLATE}:3:13: unknown name debian.biuld [debian has runtime]`,
    ],
    [
      '{% for x in python.extras if x %}{% endfor %}',
      `${SAMPLE_TEMPLATE}:3:19: "for … if" does not filter here: the condition is evaluated once, for the whole list [put {% if %} inside the loop]`,
    ],
    [
      '{{ image.name | uper }}',
      `${SAMPLE_TEMPLATE}:3:17: unknown filter uper [did you mean upper?]`,
    ],
    [
      '{{ "x" if image.shipped }}',
      `${SAMPLE_TEMPLATE}:3:4: "… if …" without else renders nothing if the condition is false [add the other value: "… if … else …"]`,
    ],
    [
      '{% raw %}{{ x }}{% endraw %}',
      `${SAMPLE_TEMPLATE}:3:1: {% raw %} is not supported in templates [write the text as a string: {{ "{{" }}]`,
    ],
    [
      '{{ image.constructor }}',
      `${SAMPLE_TEMPLATE}:3:9: member constructor is not supported in templates`,
    ],
    [
      '{{ ""["__proto__"] }}',
      `${SAMPLE_TEMPLATE}:3:6: member __proto__ is not supported in templates`,
    ],
    [
      '{{ range.constructor("return process")() }}',
      `${SAMPLE_TEMPLATE}:3:39: only macros can be called [import or define the macro; use filters for texts and lists]`,
    ],
    [
      '{{ image.name.split("") }}',
      `${SAMPLE_TEMPLATE}:3:20: only macros can be called [import or define the macro; use filters for texts and lists]`,
    ],
    [
      '{% include "_shared/x.njk" %}',
      `${SAMPLE_TEMPLATE}:3:4: Include is not supported in templates [templates support if, for, set, macro, call, import and expressions]`,
    ],
    [
      '{% extends "../../etc/passwd" %}',
      `${SAMPLE_TEMPLATE}:3:4: Extends is not supported in templates [templates support if, for, set, macro, call, import and expressions]`,
    ],
    [
      '{% import "_shared/../../secret.njk" as x %}',
      `${SAMPLE_TEMPLATE}:3:4: "_shared/../../secret.njk" is not a template's name [import "_shared/NAME.njk", or "NAME.njk" in the folder of the image's own template]`,
    ],
    [
      '{% import "_shared/none.njk" as x %}',
      `${SAMPLE_TEMPLATE}:3:4: template images/_shared/none.njk not found`,
    ],
    ['{% if %}', `${SAMPLE_TEMPLATE}:3:7: unexpected token: %}`],
    ['RUN {{ python.project', `${SAMPLE_TEMPLATE}: a {{ before this position is not closed by }}`],
    [
      'RUN {{ image.user }}',
      `${SAMPLE_TEMPLATE}:3:5: image.user is a record, not a text [use one of its members: name, uid, gid, home]`,
    ],
  ])('refuses %s', (line, finding) => {
    expect(templateFindings(() => renderSample(`${DOCKERFILE_START}${line}\n`))[0]).toBe(finding);
  });

  it.each([
    [
      '{% import "_shared/m.njk" as m %}\n{{ m.usr() }}',
      `${SAMPLE_TEMPLATE}:4:5: unknown macro usr in m [did you mean user?]`,
    ],
    [
      '{% import "_shared/m.njk" as m %}\n{{ m.nothing_like_it() }}',
      `${SAMPLE_TEMPLATE}:4:5: unknown macro nothing_like_it in m [known macros: user, head]`,
    ],
    [
      '{% from "_shared/m.njk" import nope %}',
      `${SAMPLE_TEMPLATE}:3:32: unknown macro nope in _shared/m.njk [known macros: user, head]`,
    ],
  ])('refuses a macro that is not there: %s', (line, finding) => {
    const shared = { '_shared/m.njk': '{% macro user() %}{% endmacro %}\n{% set head = "x" %}\n' };
    expect(templateFindings(() => renderSample(`${DOCKERFILE_START}${line}\n`, shared))).toEqual([
      finding,
    ]);
  });

  it('finds a wrong member inside a shared macro', () => {
    const shared = {
      '_shared/m.njk': '\n{% macro user(image) %}\nUSER {{ image.user.nam }}\n{% endmacro %}\n',
    };
    expect(
      templateFindings(() =>
        renderSample(
          `${DOCKERFILE_START}{% import "_shared/m.njk" as m %}\n{{ m.user(image) }}\n`,
          shared,
        ),
      ),
    ).toEqual([
      'images/_shared/m.njk:3:19: unknown name image.user.nam [did you mean image.user.name?]',
    ]);
  });

  it('refuses a null that is written out, and names of the context inside a shared template', () => {
    expect(
      templateFindings(() =>
        renderSample(`${DOCKERFILE_START}USER {{ image.user }}\n`, {}, { ...noUser() }),
      )[0],
    ).toMatch(`${SAMPLE_TEMPLATE}:3:`);
    const shared = {
      '_shared/m.njk': '{% macro m() %}{% if image.user %}USER x{% endif %}{% endmacro %}',
    };
    expect(
      templateFindings(() =>
        renderSample(`${DOCKERFILE_START}{% import "_shared/m.njk" as m %}\n{{ m.m() }}\n`, shared),
      ),
    ).toEqual(['images/_shared/m.njk:1:22: unknown name image [known names: m, caller]']);
  });

  it.each([
    ['\n', '\\n'],
    ['\r', '\\r'],
    ['\u2028', '\\u2028'],
    ['\u0000', '\\u0000'],
  ])('refuses a value that holds %j', (character, shown) => {
    expect(
      templateFindings(() =>
        renderSample(DOCKERFILE_START, {}, { args: { a: `x${character}RUN id` } }),
      ),
    ).toEqual([
      `images/sample/image.yaml: args.a contains a line break or another control character: "x${shown}RUN id" [write the value on one line: a line break could add a Dockerfile instruction]`,
    ]);
  });

  it('refuses a template that is a symbolic link', async () => {
    const { symlinkSync } = await import('node:fs');
    const definition = sampleImage({});
    symlinkSync('/etc/hostname', `${definition.folder}/Dockerfile.njk`);
    expect(
      templateFindings(() =>
        renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY }),
      ),
    ).toEqual([
      `${SAMPLE_TEMPLATE}: the template ${SAMPLE_TEMPLATE} is a symbolic link [replace it with a regular file]`,
    ]);
  });

  it.each([1500, 5000])('refuses %d blocks within one another', (depth) => {
    const nested = `${'{% if image %}'.repeat(depth)}x${'{% endif %}'.repeat(depth)}`;
    expect(templateFindings(() => renderSample(`${DOCKERFILE_START}${nested}`))).toEqual([
      `${SAMPLE_TEMPLATE}: blocks or parentheses are nested too deeply`,
    ]);
  });

  it('names the renderer that is installed', () => {
    const { version } = createRequire(import.meta.url)('nunjucks/package.json') as {
      version: string;
    };
    expect(RENDERER_VERSION).toMatch(`nunjucks ${version},`);
  });

  it('finds the template line of an instruction that is refused', () => {
    expect(
      templateFindings(() =>
        renderSample(
          `${DOCKERFILE_START}{# x #}\nRUN {{ image.name }}\nADD https://{{ image.name }}/x /x\n`,
        ),
      ),
    ).toEqual([
      `${SAMPLE_TEMPLATE}:5: ADD https://sample/x could be remote [use a file of the build context: files/… or .inputs/seed.tar]`,
    ]);
  });
});

function noUser(): Partial<ImageDefinition> {
  return { user: undefined } as unknown as Partial<ImageDefinition>;
}
