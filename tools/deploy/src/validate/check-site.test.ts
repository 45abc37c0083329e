import { expect, it } from 'vitest';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { layOutSite } from '../index.ts';
import { AUTHORITY } from '../testing/authority.ts';
import { findingLines } from '../testing/findings.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });
const WEB = appText('web', 'config: { web.txt: { format: text, layers: [{ content: x }] } }\n');
const found = (more: string, web = '{}') => findingLines(() => layOutSite(input(`{ web: ${web} }`, { web: WEB }, more)));

it('authorities are certificates that can be read', () => {
  const broken = '-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n';
  expect(found(`tls: { ca: ${JSON.stringify(`${AUTHORITY}\n`)} }\n`)).toEqual([]);
  expect(found(`tls: { ca: ${JSON.stringify(`${AUTHORITY}\n${broken}`)} }\n`)).toEqual([
    'site.yaml:10 certificate 2 of 2 in tls.ca cannot be read (copy it anew, whole: from its BEGIN to its END line)',
  ]);
});

it('rules about conflicts are of objects that there are', () => {
  expect(
    found(
      'conflicts:\n  - { object: Deployment/web, field: "*", policy: take }\n  - { field: "*", policy: take }\n  - { object: Deployment/wbe, field: "*", policy: take }\n  - { object: Pod/nothing-at-all, field: "*", policy: take }\n',
    ),
  ).toEqual([
    'site.yaml:13 the site has no object "Deployment/wbe" (did you mean "Deployment/web"?)',
    'site.yaml:14 the site has no object "Pod/nothing-at-all" (ccp render test shows all of them)',
  ]);
});

it('a file of more than a ConfigMap holds is refused where it is written', () => {
  expect(found('', `{ config: { web.txt: ${'x'.repeat(1024 * 1024 - 7)} } }`)).toEqual([]);
  expect(found('', `{ config: { web.txt: ${'é'.repeat(512 * 1024)} } }`)).toEqual([
    'site.yaml:9 the file "web.txt" has 1048583 bytes with its name, and a ConfigMap holds 1048576 (make it smaller, or have the image hold what is long)',
  ]);
});
