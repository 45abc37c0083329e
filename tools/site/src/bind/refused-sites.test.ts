import { describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { checkedObjects } from '../testing/render-checked.ts';
import { appText, testImageSet, siteInputs } from '../testing/site-input.ts';

const siteInput = siteInputs({ parseAppSpec, parseSite });

function findings(render: () => unknown): string[] {
  try {
    render();
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(
      ({ code, message, at, hint }) =>
        `${code} ${at === undefined ? '' : formatPosition(at)}: ${message}${hint === undefined ? '' : ` (${hint})`}`,
    );
  }
  throw new Error('nothing was raised');
}

const DATABASE = appText(
  'base',
  'provides: { database: { kind: database, workload: base, port: http, scheme: sql, setup: { command: [make, "${consumer.name}"], env: { PASSWORD: "${consumer.password}" }, resources: {} } } }\n',
);

const NEEDS_DATABASE = 'requires: { database: { kind: database } }\n';

const CYCLE = (name: string, other: string): string =>
  appText(
    name,
    `requires: { other: { kind: endpoint, type: ${other} } }\nprovides: { api: { kind: endpoint, type: ${name}, workload: ${name}, port: http } }\n`,
  );

describe('a refused site', () => {
  it.each<[string, string, Record<string, string>, string[]]>([
    [
      'an unknown app',
      '{ wbe: {} }',
      { web: appText('web') },
      ['app-unknown site.yaml:9:9: unknown app "wbe" (did you mean "web"?)'],
    ],
    [
      'a missing provider',
      '{ web: {} }',
      { web: appText('web', NEEDS_DATABASE) },
      [
        'provider-missing images/web/app.yaml:16:13: "web" requires a database, which no app of the site provides (add an app that provides it to the site)',
      ],
    ],
    [
      'an instance that there is not',
      '{ base: {}, web: { requires: { database: bsae } } }',
      { base: DATABASE, web: appText('web', NEEDS_DATABASE) },
      [
        'provider-missing site.yaml:9:48: "web" requires "database" of the unknown instance "bsae" (did you mean "base"?)',
      ],
    ],
    [
      'a missing endpoint',
      '{ web: {} }',
      { web: appText('web', 'requires: { identity: { kind: endpoint, type: identity } }\n') },
      [
        'provider-missing images/web/app.yaml:16:13: "web" requires an endpoint of type identity, which no app of the site provides (add an app that provides it to the site)',
      ],
    ],
    [
      'a provider of something else',
      '{ base: {}, web: { requires: { database: web } } }',
      { base: DATABASE, web: appText('web', NEEDS_DATABASE) },
      [
        'provider-missing site.yaml:9:48: "web" does not provide a database (add an app that provides it to the site)',
      ],
    ],
    [
      'several providers',
      '{ base: {}, own: { app: base }, web: {} }',
      { base: DATABASE, web: appText('web', NEEDS_DATABASE) },
      [
        'provider-ambiguous images/web/app.yaml:16:13: "web" requires a database, and several instances provide it: base.database, own.database (set it in the site: apps.web.requires.database)',
      ],
    ],
    [
      'a cycle',
      '{ a: {}, b: {} }',
      { a: CYCLE('a', 'b'), b: CYCLE('b', 'a') },
      [
        'deploy-cycle images/a/app.yaml:5:3: these steps wait for each other: a/workload/a -> b/workload/b -> a/workload/a (remove one of the requirements or "after" entries)',
      ],
    ],
    [
      'cycles and what else is wrong',
      '{ a: {}, b: {}, c: {}, d: {}, e: { replicas: { x: 1 } } }',
      {
        a: CYCLE('a', 'b'),
        b: CYCLE('b', 'a'),
        c: CYCLE('c', 'd'),
        d: CYCLE('d', 'c'),
        e: appText('e', '', 'env: { A: "${site.regoin}" }'),
      },
      [
        'site-invalid site.yaml:9:57: "e" has no workload "x" (did you mean "e"?)',
        'deploy-cycle images/a/app.yaml:5:3: these steps wait for each other: a/workload/a -> b/workload/b -> a/workload/a (remove one of the requirements or "after" entries)',
        'deploy-cycle images/c/app.yaml:5:3: these steps wait for each other: c/workload/c -> d/workload/d -> c/workload/c (remove one of the requirements or "after" entries)',
        'reference-unknown images/e/app.yaml:16:19: unknown reference "${site.regoin}" (did you mean "site.region"?)',
      ],
    ],
    [
      'an image that is not in the set',
      '{ web: {} }',
      { web: appText('web', '', 'image: wbe') },
      [
        'image-missing images/web/app.yaml:12:7: "web" runs the image "wbe", which the image set does not have (did you mean "web"? else build it: ccp build wbe)',
      ],
    ],
    [
      'images that are not in the set',
      '{ web: {} }',
      {
        web: appText(
          'web',
          'jobs: { load: { phase: post, role: control-plane, image: loader, command: [load], resources: {} } }\n',
          'image: wbe',
        ),
      },
      [
        'image-missing site.yaml:9:1: the site "test" runs 2 images that are not in the image set: loader, wbe (build them: ccp build loader wbe)',
      ],
    ],
    [
      'an unknown reference',
      '{ web: {} }',
      { web: appText('web', '', 'env: { A: "${site.regoin}" }') },
      [
        'reference-unknown images/web/app.yaml:16:19: unknown reference "${site.regoin}" (did you mean "site.region"?)',
      ],
    ],
    [
      'a secret in a command',
      '{ web: {} }',
      {
        web: appText(
          'web',
          'secrets: { admin: { generate: password } }\njobs: { leak: { phase: post, role: control-plane, command: [echo, "${secrets.admin.password}"], resources: {} } }\n',
        ),
      },
      [
        'secret-in-command images/web/app.yaml:17:67: "${secrets.admin.password}" would expose a secret in the process list (set it in env instead)',
      ],
    ],
    [
      'a secret in a configuration file',
      '{ web: { config: { web.conf: { a: { b: "${secrets.admin.password}" } } } } }',
      {
        web: appText(
          'web',
          'secrets: { admin: { generate: password } }\nconfig: { web.conf: { format: ini, layers: [{ content: {} }] } }\n',
        ),
      },
      [
        'secret-in-config site.yaml:9:46: "${secrets.admin.password}" would put the secret "web-admin" into a configuration file: every pod shares it, and it is not secret (use an environment variable: oslo.config reads OS_<GROUP>__<OPTION>)',
      ],
    ],
    [
      'objects of one name',
      '{ web: {}, web-x: { app: other } }',
      { web: appText('web').replace('  web:', '  x:'), other: appText('other') },
      ['Service', 'PodDisruptionBudget', 'NetworkPolicy', 'Deployment'].map(
        (kind) =>
          `site-invalid site.yaml:9:1: two instances render the same object: ${kind} "web-x" (rename one of the instances)`,
      ),
    ],
  ])('%s', (_, apps, specs, expected) => {
    expect(findings(() => checkedObjects(siteInput(apps, specs)))).toEqual(expected);
  });

  it('reports every contradiction between site and app spec at once', () => {
    const spec = appText(
      'web',
      'settings: { size: { description: a size, default: 1 } }\n',
    ).replace('default: 1, rule: any', 'default: 3, rule: odd, maximum: 5');
    expect(
      findings(() =>
        checkedObjects(
          siteInput(
            '{ web: { replicas: { web: 4, wep: 1 }, settings: { size: big }, hosts: { api: "https://a.example" } } }',
            { web: spec },
          ),
        ),
      ),
    ).toEqual([
      'site-invalid site.yaml:9:41: "web" has no workload "wep" (did you mean "web"?)',
      'site-invalid site.yaml:9:85: "web" has no endpoint "api" (known: none)',
      'site-invalid site.yaml:9:64: the setting "size" must be a number (a size)',
      'site-invalid site.yaml:9:33: "web" needs an odd number of replicas for its quorum, not 4 (use 3 or 5)',
    ]);
  });

  it('reports findings of every kind together, each once', () => {
    const more =
      'config: { web.conf: { format: ini, layers: [{ content: { a: { b: "${site.regoin}" } } }] } }\nactions: { go: { description: goes, role: control-plane, command: [go, "${instance.nam}"], env: { CCP_X: x }, resources: {} } }\nschedule: { daily: { action: go, cron: "0 1 * * *", enabled: true } }\n';
    const input = siteInput('{ web: { replicas: { wep: 1 } }, other: { app: base }, lost: {} }', {
      web: appText(
        'web',
        `${more}requires: { database: { kind: database } }\n`,
        'env: { A: "${site.regoin}", B: "${requires.database.url}" }',
      ),
      base: DATABASE,
    });
    const [secretsImage] = input.imageSet.images;
    expect(
      findings(() =>
        checkedObjects({
          ...input,
          imageSet: {
            ...input.imageSet,
            series: '2025.2' as never,
            images: [secretsImage!, ...testImageSet(['base']).images],
          },
        }),
      ),
    ).toEqual([
      'site-series site.yaml:4:9: the site "test" runs series 2026.1, but the image set is for 2025.2 (build it: ccp build --series 2026.1)',
      'app-unknown site.yaml:9:62: unknown app "lost" (known apps: web, base)',
      'site-invalid site.yaml:9:33: "web" has no workload "wep" (did you mean "web"?)',
      'reference-unknown images/web/app.yaml:17:66: unknown reference "${site.regoin}" (did you mean "site.region"?)',
      'image-missing images/web/app.yaml:18:12: "web" runs the image "web", which the image set does not have (build it: ccp build web)',
      'env-reserved images/web/app.yaml:18:106: the variable "CCP_X" starts with CCP_, a prefix that is reserved for ccp',
      'reference-unknown images/web/app.yaml:18:72: unknown reference "${instance.nam}" (did you mean "instance.name"?)',
      'reference-unknown images/web/app.yaml:16:19: unknown reference "${site.regoin}" (did you mean "site.region"?)',
    ]);
  });

  it('refuses an image set of another series', () => {
    const input = siteInput('{ web: {} }', { web: appText('web') });
    expect(
      findings(() =>
        checkedObjects({ ...input, imageSet: { ...input.imageSet, series: '2025.2' as never } }),
      ),
    ).toEqual([
      'site-series site.yaml:4:9: the site "test" runs series 2026.1, but the image set is for 2025.2 (build it: ccp build --series 2026.1)',
    ]);
  });
});
