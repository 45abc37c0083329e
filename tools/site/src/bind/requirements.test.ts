import { describe, expect, it } from 'vitest';
import { CcpErrors, formatPosition } from '#core';
import { parseAppSpec, parseSite } from '#definitions/deploy';
import { podsOf } from '../index.ts';
import { renderChecked } from '../testing/render-checked.ts';
import { appText, siteInputs } from '../testing/site-input.ts';

const input = siteInputs({ parseAppSpec, parseSite });

const SQL = appText(
  'sql',
  'provides: { database: { kind: database, workload: sql, port: http, scheme: sql, setup: { command: [make, "${consumer.databases}"], resources: {} } } }\n',
);
const jobs = (apps: string, specs: Readonly<Record<string, string>>) =>
  podsOf(renderChecked(input(apps, specs)).steps.flatMap(({ objects }) => objects));
const findings = (text: string): readonly string[] => {
  try {
    parseAppSpec(text, 'app.yaml', 'web');
    return [];
  } catch (error) {
    return (error as CcpErrors).findings.map(
      ({ message, at }) => `${formatPosition(at!)} ${message}`,
    );
  }
};
const pod = (name: string, apps: string, specs: Readonly<Record<string, string>>) =>
  jobs(apps, specs).find(
    ({ object }) => object.metadata.name.replace(/-[0-9a-f]{10}$/, '') === name,
  )!.pod.containers[0]!;

describe('databases of one app', () => {
  const web = appText(
    'web',
    'requires: { main: { kind: database, also: [_old, _new] }, api: { kind: database, suffix: _api } }\n',
    'env: { MAIN: "${requires.main.name}", API: "${requires.api.name}" }',
  );
  const of = (name: string) => pod(name, '{ sql: {}, two: { app: web } }', { sql: SQL, web });

  it('gives databases one account together, or one account each', () => {
    expect(of('two-main-setup').command).toEqual(['make', 'two,two_old,two_new']);
    expect(of('two-api-setup').command).toEqual(['make', 'two_api']);
    expect(of('two').env).toEqual([
      { name: 'API', value: 'two_api' },
      { name: 'MAIN', value: 'two' },
    ]);
  });
});

describe('endpoints', () => {
  const front = appText(
    'front',
    'requires: { back: { kind: endpoint, type: back, wait: false } }\nprovides: { api: { kind: endpoint, type: front, workload: front, port: http } }\n',
    'env: { URL: "${requires.back.url}", PASSWORD: "${requires.back.secret}" }',
  );
  const back = appText(
    'back',
    'requires: { front: { kind: endpoint, type: front } }\nsecrets: { shared: { generate: password } }\nprovides: { api: { kind: endpoint, type: back, workload: back, port: http, secret: shared } }\n',
  );
  const specs = { front, back };

  it('finds no cycle if no app waits for the endpoints', () => {
    const { steps } = renderChecked(input('{ front: {}, back: {} }', specs));
    expect(steps.map(({ id, waitsFor }) => `${id} after ${waitsFor.join(', ')}`)).toEqual([
      'secrets after ',
      'front/workload/front after secrets',
      'back/workload/back after front/workload/front',
    ]);
  });

  it('shares the password of an endpoint with its consumers', () => {
    expect(pod('front', '{ front: {}, back: {} }', specs).env).toEqual([
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'back-shared', key: 'password' } } },
      { name: 'URL', value: 'http://back.cloud.svc.cluster.local:80' },
    ]);
  });

  it('pass the external login address to apps that require a user', () => {
    const users = 'users: { kind: identity-user, workload: identity, port: http, path: /v3 }';
    const api =
      'api: { kind: endpoint, type: identity, workload: identity, port: http, path: /v3 }';
    const web = appText(
      'web',
      'requires: { user: { kind: identity-user } }\n',
      'env: { IN: "${requires.user.auth-url}", OUT: "${requires.user.public-url}" }',
    );
    const urls = (hosts: string, provides: string) =>
      pod('web', `{ identity: { ${hosts} }, web: {} }`, {
        identity: appText('identity', `provides: { ${provides} }\n`),
        web,
      }).env.map((variable) => ('value' in variable ? variable.value : ''));
    const inside = 'http://identity.cloud.svc.cluster.local:80/v3';
    expect(urls('hosts: { api: "https://identity.example.org" }', `${users}, ${api}`)).toEqual([
      inside,
      'https://identity.example.org/v3',
    ]);
    expect(urls('', users)).toEqual([inside, inside]);
  });

  it('lists endpoints in the catalogue unless the app spec excludes them', () => {
    const identity = appText(
      'identity',
      'provides: { users: { kind: identity-user, workload: identity, port: http, setup: { command: [register, "${consumer.endpoints}"], resources: {} } } }\n',
    );
    const web = appText(
      'web',
      'requires: { user: { kind: identity-user } }\nprovides: { api: { kind: endpoint, type: web, workload: web, port: http }, console: { kind: endpoint, workload: web, port: http, catalogue: false } }\n',
    );
    const [, endpoints = ''] = pod('web-user-setup', '{ identity: {}, web: {} }', {
      identity,
      web,
    }).command;
    expect((JSON.parse(endpoints) as { type: string }[]).map(({ type }) => type)).toEqual(['web']);
  });
});

describe('members', () => {
  const keeper = appText(
    'keeper',
    'provides: { data: { kind: members, type: data, workload: keeper, port: http, scheme: tcp } }\n',
    'env: { OWN: "${provides.data.servers}" }',
  ).replace('kind: Deployment', 'kind: StatefulSet');
  const web = appText(
    'web',
    'requires: { data: { kind: members, type: data } }\n',
    'env: { DATA: "${requires.data.servers}", PORT: "${requires.data.port}" }',
  );
  const [first, second] = [0, 1].map(
    (ordinal) => `tcp:keeper-${ordinal}.keeper-peers.cloud.svc.cluster.local:80`,
  );

  it('lists all members first for an app that chooses one', () => {
    const [apps, specs] = [
      '{ keeper: { replicas: { keeper: 2 } }, web: {} }',
      { keeper, web },
    ] as const;
    expect(pod('web', apps, specs).env).toEqual([
      { name: 'DATA', value: `${first},${second}` },
      { name: 'PORT', value: '80' },
    ]);
    expect(pod('keeper', apps, specs).env).toEqual([{ name: 'OWN', value: `${first},${second}` }]);
    expect(
      renderChecked(input(apps, specs)).steps.find(({ id }) => id === 'web/workload/web')!.waitsFor,
    ).toEqual(['keeper/workload/keeper']);
  });
});

describe('parts that depend on a requirement', () => {
  const keeper = appText(
    'keeper',
    'provides: { data: { kind: members, type: data, workload: keeper, port: http } }\n',
  );
  const workload = (name: string, when: string) =>
    `  ${name}: { kind: DaemonSet, role: nowhere, when: ${when}, grace: 1, containers: { main: { command: [serve], resources: {} } } }\n`;
  const web = appText(
    'web',
    'requires: { data: { kind: members, type: data, optional: true } }\n',
  ).replace(
    '  web:\n',
    `${workload('with', 'requires.data')}${workload('without', 'not requires.data')}  web:\n    requires: [without]\n`,
  );
  const running = (apps: string) =>
    renderChecked(input(apps, { keeper, web: web.replaceAll('nowhere', 'control-plane') }))
      .steps.filter(({ id }) => id.startsWith('web/'))
      .map(({ id, waitsFor }) => `${id} after ${waitsFor.join(', ')}`);

  it('runs if the requirement is met, or if it is not', () => {
    expect(running('{ web: {} }')).toEqual([
      'web/workload/without after secrets',
      'web/workload/web after web/workload/without',
    ]);
    expect(running('{ keeper: {}, web: {} }')).toEqual([
      'web/workload/web after keeper/workload/keeper',
      'web/workload/with after keeper/workload/keeper',
    ]);
  });

  it('requires nothing of the site if it does not run', () => {
    const only = (name: string) =>
      web
        .replace(workload(name, name === 'with' ? 'requires.data' : 'not requires.data'), '')
        .replace('    requires: [without]\n', '');
    expect(() => renderChecked(input('{ web: {} }', { web: only('without') }))).not.toThrow();
    expect(() => renderChecked(input('{ web: {} }', { web: only('with') }))).toThrow(
      '"web" needs nodes with role "nowhere", which the site does not define',
    );
  });

  it('names an optional requirement, and nothing is provided by it', () => {
    const text =
      web.replace('when: requires.data', 'when: requires.dat') +
      'provides: { api: { kind: node-service, type: web, workload: without } }\n';
    expect(findings(text)).toEqual([
      'app.yaml:5:49 unknown optional requirement "dat"',
      'app.yaml:20:61 the workload of a provision must not have a condition, but "without" has "when"',
    ]);
  });
});

describe("a probe's command", () => {
  const probed = (argument: string) =>
    appText(
      'web',
      'secrets: { key: { generate: password } }\n',
      `probes: { readiness: { exec: [look, "${argument}"] } }`,
    );

  it('may refer to plain text', () => {
    expect(
      pod('web', '{ web: {} }', { web: probed('${instance.name}') }).readinessProbe,
    ).toMatchObject({ exec: { command: ['look', 'web'] } });
  });

  it.each(['${secrets.key.password}', '${pod.name}'])('may not name %s', (reference) => {
    expect(() => renderChecked(input('{ web: {} }', { web: probed(reference) }))).toThrow(
      expect.objectContaining({
        message: `"${reference}" is not allowed in a probe's command, which can contain plain text only`,
      }),
    );
  });
});

it('refuses keys of requirements and provisions of another kind', () => {
  const text = appText(
    'web',
    'requires: { bus: { kind: message-bus, also: [_b], wait: false } }\nprovides: { cache: { kind: cache, workload: web, port: http, catalogue: false, secret: key } }\n',
  );
  expect(findings(text)).toEqual([
    'app.yaml:16:39 only a requirement of kind database can have "also"',
    'app.yaml:16:57 only a requirement of kind endpoint can have "wait: false": the others are created before the app starts',
    'app.yaml:17:73 only a provision of kind endpoint can have "catalogue"',
    'app.yaml:17:88 only a provision of kind endpoint can have "secret"',
    'app.yaml:17:88 unknown password "key"',
  ]);
});
