import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition, type CcpError } from '#core';
import { parseAppSpec, parseSite, readAppSpecs, readAppSpecsOf, readSite } from './index.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

function findings(read: () => unknown): string[] {
  try {
    read();
  } catch (error) {
    const found = error instanceof CcpErrors ? error.findings : [error as CcpError];
    return found.map(({ at, message, hint }) => `${at === undefined ? '' : formatPosition(at)} ${message}${hint === undefined ? '' : ` (${hint})`}`);
  }
  throw new Error('nothing was raised');
}

const spec =
  (text: string): (() => unknown) =>
  () =>
    parseAppSpec(text, 'app.yaml', 'web');
const WEB = `schema: 1.0.0
title: Web
user: { uid: 1, gid: 1 }
workloads:
  web:
    kind: Deployment
    role: control-plane
    replicas: { default: 1, rule: any }
    spread: preferred
    grace: 30
    containers:
      main: { command: [serve], ports: { http: { port: 80, from: anyone } }, resources: {} }
`;

describe('readAppSpecs', () => {
  const root = mkdtempSync(join(tmpdir(), 'ccp-apps-'));
  afterAll(() => rmSync(root, { recursive: true, force: true }));
  const webAs = (user: string) => () => {
    mkdirSync(join(root, 'images/web'), { recursive: true });
    writeFileSync(join(root, 'images/web/app.yaml'), WEB);
    writeFileSync(join(root, 'images/web/image.yaml'), `title: Web\n${user}`);
    return [...readAppSpecs(root).keys()];
  };

  it('reads those of this repository', () => {
    expect([...readAppSpecs(ROOT).keys()]).toEqual(expect.arrayContaining(['keystone', 'mariadb']));
  });

  it('reads those that a site runs, and all where it names one that is none', () => {
    webAs('user: { name: web, uid: 1, gid: 1, home: / }\n')();
    const other = join(root, 'images/other');
    mkdirSync(other);
    writeFileSync(join(other, 'app.yaml'), '[]\n');
    expect([...readAppSpecsOf(root, { apps: { web: {}, again: { app: 'web' } } }).keys()]).toEqual(['web']);
    expect(findings(() => readAppSpecsOf(root, { apps: { web: {}, wbe: {} } }))).toEqual(['images/other/app.yaml:1:1 the file must be a map, not a list']);
    rmSync(other, { recursive: true });
  });

  it("takes an app that runs as its image's user", () => {
    expect(webAs('user: { name: web, uid: 1, gid: 1, home: / }\n')()).toEqual(['web']);
  });

  it.each([
    ['user: { name: web, uid: 2, gid: 1, home: / }\n', '2:1 (images/web/image.yaml:2:1)'],
    ['root: it must\n', 'root (images/web/image.yaml:1:1)'],
  ])('refuses an app that runs as another user: %j', (user, image) => {
    expect(findings(webAs(user))).toEqual([`images/web/app.yaml:3:1 the app runs as 1:1, its image as ${image} (give both the same uid and gid)`]);
  });
});

describe('parseAppSpec', () => {
  it('refuses a newer vocabulary, and another major version', () => {
    expect(findings(spec(WEB.replace('1.0.0', '1.7.0')))).toEqual([
      'app.yaml:1:9 the file is written in vocabulary 1.7.0, this tool knows 1.6.0 (use a newer version of ccp)',
    ]);
    expect(findings(spec(WEB.replace('1.0.0', '0.9.0')))).toEqual([
      'app.yaml:1:9 the file is written in vocabulary 0.9.0, this tool knows 1.6.0 (move the file to the vocabulary of this tool: see the schemas folder of tools/definitions)',
    ]);
  });

  it('refuses unknown keys, names that are no DNS labels and wrong types, all at once', () => {
    expect(findings(spec(WEB.replace('spread: preferred', 'sprad: preferred').replace('grace: 30', 'grace: "30"').replace('  web:', '  Web_1:')))).toEqual([
      'app.yaml:5:3 the key "Web_1" in workloads must be a DNS label: lower-case letters, digits and dashes, at most 42 characters',
      'app.yaml:9:5 unknown key "sprad" in workloads.Web_1 (did you mean "spread"?)',
      'app.yaml:10:12 workloads.Web_1.grace must be a whole number, not the text "30"',
    ]);
  });

  it('finds what is named and not there', () => {
    const text = WEB.replace(
      'resources: {}',
      'resources: {}, files: { web.cnf: /etc/web.conf }, mounts: { dat: /data }, probes: { readiness: { tcp: { port: htp }, exec: [true] } }',
    ).replace('    containers:', '    volumes: { data: { claim: { size: 1Gi } }, both: { secret: key, ephemeral: { size: 1Gi } } }\n    containers:');
    const more =
      'config: { web.conf: { format: ini, layers: [{ content: {} }] } }\nprovides: { api: { kind: endpoint, workload: wep, port: http } }\njobs: { go: { phase: post, role: x, after: [og], command: [go], resources: {} } }\n';
    expect(findings(spec(text.replaceAll('[true]', '["true"]') + more))).toEqual([
      'app.yaml:11:16 the volume "data" is a claim, which only a StatefulSet has',
      'app.yaml:11:48 the volume "both" must be exactly one of claim, ephemeral, secret, host and shared',
      'app.yaml:11:64 there is no secret "key" (known: none)',
      'app.yaml:13:111 there is no configuration file "web.cnf" (did you mean "web.conf"?)',
      'app.yaml:13:143 there is no volume "dat" (did you mean "data"?)',
      'app.yaml:13:162 a probe must be exactly one of http, tcp and exec',
      'app.yaml:13:188 there is no port "htp" (did you mean "http"?)',
      'app.yaml:16:45 there is no job of phase post "og" (did you mean "go"?)',
      'app.yaml:15:46 there is no workload "wep" (did you mean "web"?)',
    ]);
  });
});

describe("a node's folders", () => {
  it('are given whole only for reading', () => {
    const mounts = (host: string) => spec(WEB.replace('    containers:', `    volumes: { root: { host: { ${host}, reason: x } } }\n    containers:`));
    expect(findings(mounts('path: /, readOnly: false'))).toEqual(['app.yaml:11:24 all of a node is given only for reading']);
    expect(() => mounts('path: /, readOnly: true')()).not.toThrow();
  });
});

describe('a job like another', () => {
  const jobs = (...list: readonly string[]) => spec(`${WEB}jobs:\n${list.map((job) => `  ${job}\n`).join('')}`);
  const FIRST = 'first: { phase: expand, after: [zeroth], role: any, command: [one], env: { A: a }, resources: {} }';
  const ZEROTH = 'zeroth: { phase: expand, role: any, command: [nil], resources: {} }';

  it('has all of it that it does not say, but its order', () => {
    expect(jobs(ZEROTH, FIRST, 'second: { phase: contract, like: first, command: [two] }')()).toMatchObject({
      jobs: { second: { phase: 'contract', role: 'any', command: ['two'], env: { A: 'a' }, resources: {} } },
    });
    expect(jobs(ZEROTH, FIRST, 'second: { phase: contract, like: first }')()).not.toHaveProperty('jobs.second.after');
  });

  it.each([
    ['what is not there', 'second: { phase: post, like: frist }', 'app.yaml:16:32 there is no self-contained job "frist" (did you mean "first"?)'],
    [
      'one that is like another',
      'second: { phase: post, like: third }, third: { phase: post, like: first }'.replace(', third', '\n  third'),
      'app.yaml:16:32 there is no self-contained job "third" (known: zeroth, first)',
    ],
    ['itself', 'second: { phase: post, like: second }', 'app.yaml:16:32 there is no self-contained job "second" (known: zeroth, first)'],
    ['nothing, and lacks a part', 'second: { phase: post, command: [two], resources: {} }', 'app.yaml:16:3 the key "role" is missing in jobs.second'],
  ])('is not like %s', (_, job, finding) => {
    expect(findings(jobs(ZEROTH, FIRST, job))).toEqual([finding]);
  });
});

describe('what pods leave by', () => {
  it('is an action that needs nobody to give it anything', () => {
    const leaving = (action: string, parameter: string) =>
      spec(
        `${WEB.replace('rule: any', `rule: any, leave: ${action}`)}actions: { part: { description: x, role: x, command: [part], resources: {}, parameters: { who: { description: x, type: text${parameter} } } } }\n`,
      );
    expect(findings(leaving('prat', ''))).toEqual(['app.yaml:8:47 there is no action "prat" (did you mean "part"?)']);
    expect(findings(leaving('part', ''))).toEqual(['app.yaml:8:47 nobody gives "part" its who when the workload shrinks']);
    expect(leaving('part', ', default: all')()).toMatchObject({ workloads: { web: { replicas: { leave: 'part' } } } });
  });
});

describe('a shared process namespace', () => {
  const shared = (change: (text: string) => string) => spec(change(WEB.replace('    grace: 30\n', '    grace: 30\n    shareProcessNamespace: true\n')));

  it('is for one container', () => {
    expect(shared((text) => text)()).toMatchObject({ workloads: { web: { shareProcessNamespace: true } } });
    expect(findings(shared((text) => `${text}      side: { command: [serve], resources: {} }\n`))).toEqual([
      "app.yaml:11:28 containers that see each other's processes see their secrets too, and their probes count each other's",
    ]);
    expect(findings(shared((text) => text.replace('    containers:', '    host: { processes: x }\n    containers:')))).toEqual([
      "app.yaml:11:28 what sees the node's processes has no process namespace of its own",
    ]);
  });
});

describe('kinds of workloads', () => {
  it('each say what goes with them, and what they require is there', () => {
    const daemon = WEB.replace('kind: Deployment', 'kind: DaemonSet').replace(
      'grace: 30',
      'grace: 30\n    start: ordered\n    requires: [wep, swich:local, web]',
    );
    expect(
      findings(
        spec(
          `${daemon}requires: { switch: { kind: node-service, type: switch } }\nprovides: { a: { kind: node-service, workload: web, port: http }, b: { kind: cache, workload: web } }\n`,
        ),
      ),
    ).toEqual([
      'app.yaml:8:5 a DaemonSet has a pod on every node of its role, not a number of them',
      'app.yaml:9:13 a DaemonSet has one pod on each node anyway',
      'app.yaml:11:12 only a StatefulSet has an order of start',
      'app.yaml:12:16 there is no other workload "wep" (known: none)',
      'app.yaml:12:21 there is no other workload or required node-service "swich" (did you mean "switch"?)',
      'app.yaml:12:34 there is no other workload "web" (known: none)',
      'app.yaml:16:13 a node-service has neither port nor setup',
      'app.yaml:16:67 what is of kind cache has a port',
    ]);
    expect(findings(spec(WEB.replace('    spread: preferred\n', '').replace('kind: Deployment', 'kind: StatefulSet\n    surge: 1')))).toEqual([
      'app.yaml:5:3 the key "spread" is missing: a StatefulSet has it',
      'app.yaml:7:12 a StatefulSet cannot surge',
    ]);
  });
});

describe('sites', () => {
  const SITE = readFileSync(`${ROOT}/deploy-specs/example/site.yaml`, 'utf8');

  it('names the nearest site', () => {
    expect(findings(() => readSite(ROOT, 'exmaple'))).toEqual([' there is no site "exmaple" in deploy-specs (did you mean "example"?)']);
  });

  it.each([
    [
      'a tag in the registry',
      SITE.replace('registry.example.org/ccp', 'registry.example.org/ccp:latest'),
      'registry must be a registry without scheme or tag: HOST[:PORT]/PATH, not "registry.example.org/ccp:latest"',
    ],
    [
      'a namespace that is no label',
      SITE.replace('namespace: openstack', 'namespace: open_stack'),
      'namespace must be a DNS label: lower-case letters, digits and dashes, at most 42 characters, not "open_stack"',
    ],
    [
      'an origin with a path',
      SITE.replace('identity.example.org', 'identity.example.org/v3'),
      'apps.keystone.hosts.api must be an origin like https://identity.example.org, not "https://identity.example.org/v3"',
    ],
    ['a series that is a number', SITE.replace('"2026.1"', '2026.1'), 'series must be text, not the number 2026.1'],
  ])('refuses %s', (_, text, message) => {
    expect(() => parseSite(text, 'site.yaml', 'x')).toThrow(expect.objectContaining({ message }));
  });

  it.each(['Prod', 'a/b', '-x', 'x'.repeat(31)])('refuses the name %j, which objects could not have', (name) => {
    expect(() => parseSite(SITE, 'site.yaml', name)).toThrow('the name of a site must be a DNS label of at most 30 lower-case letters, digits and dashes');
  });

  it('is there for every folder of deploy-specs', () => {
    expect(existsSync(`${ROOT}/deploy-specs/example/site.yaml`)).toBe(true);
    expect(readSite(ROOT, 'example').apps).toHaveProperty('keystone');
  });
});
