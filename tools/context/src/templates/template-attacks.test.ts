import { afterEach, describe, expect, it } from 'vitest';
import { sampleImage, SAMPLE_SUMMARY, TRIXIE_SERIES } from '../testing/image-folder.ts';
import { renderDockerfile } from './render-dockerfile.ts';

const START = 'ARG CCP_PARENT_BASE\nFROM {{ parents.base }}\n';
/**
 * Sets a mark in the process that renders; a template that can call `Function` with it has left its
 * walls.
 */
const CODE = "globalThis.templateEscaped = 'yes'; return 'escaped'";
const KEY = '"constr" ~ "uctor"';
const PROTO = '"__pro" ~ "to__"';
/** `m(caller=Function)` runs the code: what the first call gives is called once more. */
const CALL_TWICE = `{% macro run() %}{{ caller() }}{% endmacro %}{% macro m() %}{% set made = caller("${CODE}") %}{{ run(caller=made) }}{% endmacro %}`;
const MACROS = '{% macro echo(x="") %}{{ x }}{% endmacro %}\n{% set text = "a" %}\n';

/**
 * Templates that try to reach code or objects of the program; `shared` is in `_shared/evil.njk`.
 */
const ATTACKS: Readonly<Record<string, { readonly template: string; readonly shared?: string }>> = {
  'a caller= argument that is Function': {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  "a macro's name set again in a loop": {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
{% macro m() %}{% endmacro %}{% for i in [1, 2, 3] %}{% set made = m("${CODE}") %}{{ i }}{% set m = two if loop.first else made %}{% endfor %}`,
  },
  "a macro's name as the loop's variable": {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
{% macro m() %}{% endmacro %}{% for m in [two] %}{% set made = m("${CODE}") %}{% for m in [made] %}{{ m() }}{% endfor %}{% endfor %}`,
  },
  "an import's name set again in a loop": {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
{% from "_shared/evil.njk" import echo %}{% for i in [1, 2, 3] %}{% set made = echo("${CODE}") %}{{ i }}{% set echo = two if loop.first else made %}{% endfor %}`,
    shared: MACROS,
  },
  'an exported value that is Function': {
    template: `{% import "_shared/evil.njk" as evil %}${CALL_TWICE}{{ m(caller=evil.two) }}`,
    shared: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}`,
  },
  'a shared macro that does it': {
    template: '{% import "_shared/evil.njk" as evil %}{{ evil.go() }}',
    shared: `${CALL_TWICE}
{% macro go() %}{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}{{ m(caller=two) }}{% endmacro %}`,
  },
  'a member of an import by a key': {
    template: `{% import "_shared/evil.njk" as evil %}{% set key = ${KEY} %}{% set one = evil[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
    shared: MACROS,
  },
  'the constructor of a macro': {
    template: `${CALL_TWICE}{% set key = ${KEY} %}{% set one = m[key] %}{{ m(caller=one) }}`,
  },
  'the constructor of a number': {
    template: `{% set n = 1 %}{% set key = ${KEY} %}{% set one = n[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'the constructor of a list': {
    template: `{% set l = [] %}{% set key = ${KEY} %}{% set one = l[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'the constructor of a dictionary': {
    template: `{% set d = {a: 1} %}{% set key = ${KEY} %}{% set one = d[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'the constructor of what a macro gives': {
    template: `{% macro echo(x) %}{{ x }}{% endmacro %}{% set s = echo("a") %}{% set key = ${KEY} %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'the constructor of loop': {
    template: `${CALL_TWICE}{% for i in [1] %}{% set key = ${KEY} %}{% set one = loop[key] %}{% set two = one[key] %}{{ m(caller=two) }}{% endfor %}`,
  },
  'the constructor of caller': {
    template: `${CALL_TWICE}{% macro outer() %}{% set key = ${KEY} %}{% set one = caller[key] %}{{ m(caller=one) }}{% endmacro %}{% call outer() %}x{% endcall %}`,
  },
  'the prototype of a list by a key': {
    template: `{% set l = [] %}{% set key = ${PROTO} %}{% set p = l[key] %}{% set key = ${KEY} %}{% set one = p[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'a key that is a list': {
    template: `{% set key = ["constructor"] %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'a key that is made by join': {
    template: `{% set key = ["constr", "uctor"] | join %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'a key that is made by replace': {
    template: `{% set key = "constrXuctor" | replace("X", "") %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'a key that a block writes': {
    template: `{% set key %}constr{{ "uctor" }}{% endset %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'a key from a loop over a dictionary': {
    template: `${CALL_TWICE}{% for key, v in {"constructor": 1} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}{{ m(caller=two) }}{% endfor %}`,
  },
  'a dictionary whose prototype is Function': {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set d = {"__proto__": one} %}{% set two = d[key] %}
${CALL_TWICE}{{ m(caller=two) }}`,
  },
  'keyword arguments that change a prototype': {
    template: `{% macro m(a=1) %}{% set key = "polluted" %}{% set d = {} %}{{ d[key] }}{% endmacro %}{{ m(__proto__={polluted: "escaped"}) }}`,
  },
  'a dictionary that passes for keyword arguments': {
    template: `{% set key = ${KEY} %}{% set s = "a" %}{% set one = s[key] %}{% set two = one[key] %}
${CALL_TWICE}{{ m({"__keywords": true, "caller": two}) }}`,
  },
  'join by an attribute': {
    template: `RUN {{ ["a"] | join(",", "constructor") }}`,
  },
  'sort by an attribute': {
    template: `{% for x in ["a", "b"] | sort(false, false, "constructor.constructor") %}{{ x }}{% endfor %}escaped`,
  },
  'map by an attribute': { template: `{{ ["a"] | map(attribute="constructor") | first }}escaped` },
  'groupby an attribute': {
    template: `{% for k, v in ["a"] | groupby("constructor") %}{{ k }}{% endfor %}escaped`,
  },
  attr: { template: `{{ "a" | attr("constructor") }}escaped` },
  'selectattr and rejectattr': {
    template: `{{ ["a"] | selectattr("constructor") }}{{ ["a"] | rejectattr("x") }}escaped`,
  },
  'a method of a text': { template: `{{ "a".repeat(3) }}escaped` },
  'a method of a text by a key': {
    template: `{% set key = "rep" ~ "eat" %}{% set s = "escaped" %}{% set f = s[key] %}{% macro m() %}{{ caller(3) }}{% endmacro %}{{ m(caller=f) }}`,
  },
  'a method of a list by a key': {
    template: `{% set key = "pu" ~ "sh" %}{% set l = ["escaped"] %}{% set f = l[key] %}{% macro m() %}{{ caller("x") }}{% endmacro %}{{ m(caller=f) }}`,
  },
  'replace with a function': {
    template: `{% set key = "at" %}{% set s = "a" %}{% set f = s[key] %}{{ "escaped" | replace("e", f) }}`,
  },
  'globals of nunjucks': {
    template: `{% set c = cycler("a") %}{% set j = joiner() %}{{ range(3) }}escaped`,
  },
  'globals of the program': { template: `{{ process.env }}{{ globalThis }}{{ require }}escaped` },
  'names of the compiled code': {
    template: `{{ env }}{{ context }}{{ frame }}{{ runtime }}{{ cb }}{{ output }}{{ t_1 }}escaped`,
  },
  'super and blocks': { template: `{% block a %}{{ super() }}{% endblock %}escaped` },
  'an extended template': { template: `{% extends "_shared/evil.njk" %}escaped`, shared: MACROS },
  'an included template': { template: `{% include "_shared/evil.njk" %}escaped`, shared: MACROS },
  'a switch': { template: `{% switch 1 %}{% case 1 %}escaped{% endswitch %}` },
  'asynchronous loops': { template: `{% asyncEach x in [1] %}escaped{% endeach %}` },
  'a call block on a value': {
    template: `{% set s = "a" %}{% call s.constructor.constructor("${CODE}") %}{% endcall %}escaped`,
  },
  'a set of a member': { template: `{% set d = {} %}{% set d.constructor = 1 %}escaped` },
  'an import to a member': {
    template: `{% set d = {} %}{% import "_shared/evil.njk" as d.constructor %}escaped`,
    shared: MACROS,
  },
  'a name that is code': { template: `{% set a;escaped = 1 %}{{ a;escaped }}` },
  'a macro that is named by code': {
    template: `{% macro m(a=1, b\u2028=2) %}{% endmacro %}{% set x"+process+" = 1 %}escaped`,
  },
  'an argument that is named by code': {
    template: `{% macro m(a) %}{{ a }}{% endmacro %}{{ m(a.b["x"]=1) }}escaped`,
  },
  'a loop with an invalid name': { template: `{% for a.b in [1] %}escaped{% endfor %}` },
  'a loop with names of a list': { template: `{% for [a, 1] in [[1, 2]] %}escaped{% endfor %}` },
  'a dictionary key that is an expression': { template: `{% set d = {(1): 2} %}escaped` },
  'a text that ends the generated string': {
    template: `{{ "a\\\\\\"; globalThis.templateEscaped = 1; //\u2028" }}{% if 1 is "x\\") || (globalThis.templateEscaped=1" %}{% endif %}escaped`,
  },
  'a test that is named by code': {
    template: `{% if 1 is constructor %}escaped{% endif %}{% if 1 is defined("x") %}escaped{% endif %}`,
  },
  'a filter that is named by code': { template: `{{ "escaped" | toString.constructor }}` },
  'a regular expression': { template: `{{ "escaped" | replace(r/e/g, "e") }}` },
  'members of a macro': {
    template: `{% macro m() %}{% endmacro %}{{ m["na" ~ "me"] }}{{ m["ca" ~ "ll"] }}escaped`,
  },
  'a macro that is redefined by its own argument': {
    template: `{% macro m(m) %}{{ m("escaped") }}{% endmacro %}{{ m(m=m) }}`,
  },
  'a caller that is its own caller': {
    template: `{% macro m() %}{{ caller(caller=caller) }}{% endmacro %}{% call m() %}{{ m(caller=caller) }}escaped{% endcall %}`,
  },
  'a macro that calls itself as its caller': {
    template: `{% macro m() %}{{ caller(caller=m) }}escaped{% endmacro %}{{ m(caller=m) }}`,
  },
  'a name that is a prototype': {
    template: `{% set __proto__ = {escaped: "escaped"} %}{{ escaped }}{{ toString }}`,
  },
  'parameters that are members of objects': {
    template: `{% macro m(__proto__="a", hasOwnProperty=1) %}{{ valueOf }}{% endmacro %}{{ m(toString=1) }}escaped`,
  },
  'names of the module': { template: `{{ this }}{{ self }}{{ arguments }}{{ __dirname }}escaped` },
  'a member of loop by a key': {
    template: `{% for i in [1] %}{{ loop[${KEY}] }}{{ loop.parent }}{% endfor %}escaped`,
  },
  'items of lists by other numbers': {
    template: `{% set l = [1] %}{{ l[-1] }}{{ l[0.5] }}{{ l["0"] }}escaped`,
  },
  'an expression as the name of an import': {
    template: `{% for i in [1] %}{% import "_shared/" ~ i as x %}{% endfor %}escaped`,
  },
  'an import from outside': {
    template: `{% import "_shared/../../../../../etc/hostname.njk" as x %}escaped`,
  },
  'an import with a null character': { template: `{% import "_shared/evil\0.njk" as x %}escaped` },
  'an import from an absolute path': { template: `{% import "/etc/evil.njk" as x %}escaped` },
  'a list of included templates': {
    template: `{% include ["_shared/evil.njk"] ignore missing %}{% extends none %}escaped`,
    shared: MACROS,
  },
  'a line end in a text': { template: `a{{ "\\nFROM escaped" }}` },
  'a line end by a continued line': {
    template: `a{{ "\\\\\\n" }} FROM escaped{{ "\\nFROM escaped" }}`,
  },
  'a carriage return': { template: `a{{ "\\r" }}FROM escaped` },
  'the flags of a regular expression': { template: `{% set x = r/a/gimy %}{{ x.source }}escaped` },
  'a replacement with the text before it': {
    template:
      '{{ "ab" | replace("b", "$`escape") | replace("$`", "d") | replace("escape", "escaped", "x") }}',
  },
  'records that are compared': { template: `{{ 1 if {} < {valueOf: 1} else 2 }}escaped` },
  'a sort of records': { template: `{{ [{}, []] | sort | join }}escaped` },
  'in of a prototype': {
    template: `{% if ("to" ~ "String") in {} %}escaped{% endif %}{% if ("constr" ~ "uctor") in debian %}escaped{% endif %}`,
  },
  'comparison with a text that a value makes of itself': {
    template: `{% set d = {toString: "x"} %}{% if d == "[object Object]" %}escaped{% endif %}RUN {{ d }}`,
  },
};

const marked = globalThis as { templateEscaped?: unknown };

describe('a template', () => {
  afterEach(() => delete marked.templateEscaped);

  it.each(Object.entries(ATTACKS))('does not leave its walls by %s', (_, { template, shared }) => {
    const before = Object.getOwnPropertyNames(Object.prototype);
    let text = '';
    try {
      const definition = sampleImage({
        'sample/Dockerfile.njk': `${START}RUN ${template}\n`,
        '_shared/evil.njk': shared ?? '',
      });
      text = renderDockerfile({ definition, series: TRIXIE_SERIES, summary: SAMPLE_SUMMARY });
    } catch (thrown) {
      expect((thrown as { code?: string }).code).toMatch(/^(?:template|dockerfile)-/);
    }
    expect(marked.templateEscaped).toBeUndefined();
    expect(text).not.toContain('escaped');
    expect(text).not.toMatch(/native code|\[object|function/);
    expect(Object.getOwnPropertyNames(Object.prototype)).toEqual(before);
  });
});
