import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { findingLines } from '../testing/findings.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const unknown = (place: string, ...references: readonly string[]): string[] =>
  references.map((reference) => `${place} unknown reference "\${${reference}}" (KNOWN)`);

it('reports all unknown references in files, environments and commands together, each with its line', () => {
  const web = appText(
    'web',
    'config: { web.conf: { format: ini, layers: [{ content: { DEFAULT: { a: 1 } } }] } }\n',
    'env:\n          A: "${process.env} ${constructor}"\n          B: "${prototype}"',
  );
  const apps =
    '\n  web:\n    config:\n      web.conf:\n        DEFAULT:\n          y: "${env.HOME}"\n          z: ["${constructor}", "${b}"]\n';
  const more =
    'external:\n  web:\n    reference: quay.example.org/web@sha256:0000000000000000000000000000000000000000000000000000000000000000\n    runtime: plain\n    commands:\n      web.main:\n        - serve\n        - ${__proto__}\n';
  const found = findingLines(() =>
    renderChecked(siteInputs({ parseAppSpec, parseSite })(apps, { web }, more)),
  ).map((line) => line.replace(/ \(known: .*\)$/, ' (KNOWN)'));
  expect(found).toEqual([
    ...unknown('site.yaml:14', 'env.HOME'),
    ...unknown('site.yaml:15', 'constructor', 'b'),
    ...unknown('images/web/app.yaml:17', 'process.env', 'constructor'),
    ...unknown('images/web/app.yaml:18', 'prototype'),
    ...unknown('site.yaml:24', '__proto__'),
  ]);
});
