import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import {
  REPOSITORY_ROOT,
  thrownFindings,
  parseSpec,
  WEB_SPEC,
} from '../testing/app-spec-findings.ts';
import { readAppSpecs, readAppSpecsOf } from './index.ts';

describe('readAppSpecs', () => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-apps-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const webAs = (user: string) => () => {
    mkdirSync(join(root, 'images/web'), { recursive: true });
    writeFileSync(join(root, 'images/web/app.yaml'), WEB_SPEC);
    writeFileSync(join(root, 'images/web/image.yaml'), `title: Web\n${user}`);
    return [...readAppSpecs(root).keys()];
  };

  it('reads the app specs of this repository', () => {
    expect([...readAppSpecs(REPOSITORY_ROOT).keys()]).toEqual(
      expect.arrayContaining(['keystone', 'mariadb']),
    );
  });

  it('reads only the app specs of a site, and all of them if the site names an unknown app', () => {
    webAs('user: { name: web, uid: 1, gid: 1, home: / }\n')();
    const other = join(root, 'images/other');
    mkdirSync(other);
    writeFileSync(join(other, 'app.yaml'), '[]\n');
    expect([...readAppSpecsOf(root, { apps: { web: {}, again: { app: 'web' } } }).keys()]).toEqual([
      'web',
    ]);
    expect(thrownFindings(() => readAppSpecsOf(root, { apps: { web: {}, wbe: {} } }))).toEqual([
      'images/other/app.yaml:1:1 the file must be a map, not a list',
    ]);
    rmSync(other, { recursive: true });
  });

  it("accepts an app that runs as its image's user", () => {
    expect(webAs('user: { name: web, uid: 1, gid: 1, home: / }\n')()).toEqual(['web']);
  });

  it.each([
    ['user: { name: web, uid: 2, gid: 1, home: / }\n', '2:1 (images/web/image.yaml:2:1)'],
    ['root: it must\n', 'root (images/web/image.yaml:1:1)'],
  ])('refuses an app that runs as another user: %j', (user, image) => {
    expect(thrownFindings(webAs(user))).toEqual([
      `images/web/app.yaml:3:1 the app runs as 1:1, but its image runs as ${image} (set the same uid and gid in both files)`,
    ]);
  });
});

describe('parseAppSpec', () => {
  it('refuses a newer format version, and another major version', () => {
    expect(thrownFindings(parseSpec(WEB_SPEC.replace('1.0.0', '1.13.0')))).toEqual([
      'app.yaml:1:9 the file has format version 1.13.0, but this tool supports 1.12.0 (use a newer version of ccp)',
    ]);
    expect(thrownFindings(parseSpec(WEB_SPEC.replace('1.0.0', '0.9.0')))).toEqual([
      'app.yaml:1:9 the file has format version 0.9.0, but this tool supports 1.12.0 (update the file to the format that docs/reference describes)',
    ]);
  });

  it('reports unknown keys, invalid DNS labels and wrong types together', () => {
    expect(
      thrownFindings(
        parseSpec(
          WEB_SPEC.replace('spread: preferred', 'sprad: preferred')
            .replace('grace: 30', 'grace: "30"')
            .replace('  web:', '  Web_1:'),
        ),
      ),
    ).toEqual([
      'app.yaml:5:3 the key "Web_1" in workloads must be a DNS label: lower-case letters, digits and dashes, at most 42 characters',
      'app.yaml:9:5 unknown key "sprad" in workloads.Web_1 (did you mean "spread"?)',
      'app.yaml:10:12 workloads.Web_1.grace must be a whole number, not the text "30"',
    ]);
  });

  it('reports unknown names', () => {
    const text = WEB_SPEC.replace(
      'resources: {}',
      'resources: {}, files: { web.cnf: /etc/web.conf }, mounts: { dat: /data }, probes: { readiness: { tcp: { port: htp }, exec: [true] } }',
    ).replace(
      '    containers:',
      '    volumes: { data: { claim: { size: 1Gi } }, both: { secret: key, ephemeral: { size: 1Gi } } }\n    containers:',
    );
    const more =
      'config: { web.conf: { format: ini, layers: [{ content: {} }] } }\nprovides: { api: { kind: endpoint, workload: wep, port: http } }\njobs: { go: { phase: post, role: x, after: [og], command: [go], resources: {} } }\n';
    expect(thrownFindings(parseSpec(text.replaceAll('[true]', '["true"]') + more))).toEqual([
      'app.yaml:11:16 the volume "data" is a claim; only a StatefulSet can have claims',
      'app.yaml:11:48 the volume "both" must be exactly one of claim, ephemeral, secret, host and shared',
      'app.yaml:11:64 unknown secret "key" (known: none)',
      'app.yaml:13:111 unknown configuration file "web.cnf" (did you mean "web.conf"?)',
      'app.yaml:13:143 unknown volume "dat" (did you mean "data"?)',
      'app.yaml:13:162 a probe must be exactly one of http, tcp and exec',
      'app.yaml:13:188 unknown port "htp" (did you mean "http"?)',
      'app.yaml:16:45 unknown job of phase post "og" (did you mean "go"?)',
      'app.yaml:15:46 unknown workload "wep" (did you mean "web"?)',
    ]);
  });
});

describe("a node's folders", () => {
  it('can be mounted completely only for reading', () => {
    const mounts = (host: string) =>
      parseSpec(
        WEB_SPEC.replace(
          '    containers:',
          `    volumes: { root: { host: { ${host}, reason: x } } }\n    containers:`,
        ),
      );
    expect(thrownFindings(mounts('path: /, readOnly: false'))).toEqual([
      'app.yaml:11:24 the path / of a node can only be mounted with readOnly: true',
    ]);
    expect(() => mounts('path: /, readOnly: true')()).not.toThrow();
  });
});

describe('accounts of each generation', () => {
  const provision = (kind: string, more: string): (() => unknown) =>
    parseSpec(
      `${WEB_SPEC}provides: { a: { kind: ${kind}, workload: web, port: http, accounts: generation, setup: { command: [x], resources: {} }${more} } }\n`,
    );

  it('need a step that removes the earlier ones, and a kind whose users have no other name', () => {
    expect(thrownFindings(provision('message-bus', ''))).toEqual([
      expect.stringMatching(
        /a provision without "retire" cannot have an account for each generation: no step would remove the earlier ones$/,
      ),
    ]);
    const retire = ', retire: { env: { OTHERS: remove } }';
    expect(thrownFindings(provision('database', retire))).toEqual([
      expect.stringMatching(
        /only a provision of kind message-bus or identity-user can have an account for each generation, but it is of kind database$/,
      ),
    ]);
    expect(provision('identity-user', retire)).not.toThrow();
  });
});

describe('an action that changes a Secret in place', () => {
  const rotates = (secret: string): (() => unknown) =>
    parseSpec(
      `${WEB_SPEC}secrets: { keys: { generate: fernet-keys }, key: { generate: password } }\nactions: { turn: { description: x, role: any, command: [x], resources: {}, rotates: ${secret} } }\n`,
    );

  it('names a Secret of Fernet keys', () => {
    expect(rotates('keys')).not.toThrow();
    expect(thrownFindings(rotates('key'))).toEqual([
      expect.stringMatching(/unknown Secret of Fernet keys "key" \(did you mean "keys"\?\)$/),
    ]);
  });
});

describe('kinds of workloads', () => {
  it('requires the keys of each kind, and existing names', () => {
    const daemon = WEB_SPEC.replace('kind: Deployment', 'kind: DaemonSet').replace(
      'grace: 30',
      'grace: 30\n    start: ordered\n    requires: [wep, swich:local, web]',
    );
    expect(
      thrownFindings(
        parseSpec(
          `${daemon}requires: { switch: { kind: node-service, type: switch } }\nprovides: { a: { kind: node-service, workload: web, port: http }, b: { kind: cache, workload: web } }\n`,
        ),
      ),
    ).toEqual([
      'app.yaml:8:5 a DaemonSet cannot have "replicas": it runs one pod on every node of its role',
      'app.yaml:9:13 a DaemonSet cannot have "spread": it runs one pod on every node of its role',
      'app.yaml:11:12 only a StatefulSet can have "start"',
      'app.yaml:12:16 unknown other workload "wep" (known: none)',
      'app.yaml:12:21 unknown other workload or required node-service "swich" (did you mean "switch"?)',
      'app.yaml:12:34 unknown other workload "web" (known: none)',
      'app.yaml:16:13 a provision of kind node-service cannot have a port or a setup',
      'app.yaml:16:67 a provision of kind cache requires a port',
    ]);
    expect(
      thrownFindings(
        parseSpec(
          WEB_SPEC.replace('    spread: preferred\n', '').replace(
            'kind: Deployment',
            'kind: StatefulSet\n    surge: 1',
          ),
        ),
      ),
    ).toEqual([
      'app.yaml:5:3 the key "spread" is missing: a StatefulSet requires it',
      'app.yaml:7:12 a StatefulSet cannot have "surge"',
    ]);
  });
});
