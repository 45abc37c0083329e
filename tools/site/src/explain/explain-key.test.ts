import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { formatPosition } from '#core';
import { readAppSpecs, readSite } from '#definitions/deploy';
import { explainKey } from './explain-key.ts';
import { explanationLines } from './explanation.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const site = readSite(ROOT, 'example');
const appSpecs = readAppSpecs(ROOT);
const explain = (key: string, of = site): string[] =>
  explanationLines(explainKey({ site: of, appSpecs }, key), formatPosition).map((line) =>
    line.replaceAll(/:\d+:\d+/g, ':#'),
  );

describe('explainKey', () => {
  it.each([
    [
      'keystone.replicas.api',
      ['  images/keystone/app.yaml:#: 1', '* deploy-specs/example/site.yaml:#: 3'],
    ],
    [
      'memcached.settings.memory',
      ['  images/memcached/app.yaml:#: 256', '* deploy-specs/example/site.yaml:#: 512'],
    ],
    [
      'keystone.config.keystone.conf.cache.backend',
      ['* images/keystone/app.yaml:#: "oslo_cache.memcache_pool"'],
    ],
    ['mariadb.config.my.cnf.mariadbd.slow_query_log', ['* deploy-specs/example/site.yaml:#: true']],
    [
      'keystone.config.keystone.conf.DEFAULT.nothing',
      ['nothing sets keystone.config.keystone.conf.DEFAULT.nothing'],
    ],
  ])('%s', (key, expected) => {
    expect(explain(key)).toEqual(expected);
  });

  it.each([
    ['rabbitmq.config.rabbitmq.conf.listeners.tcp.default', ['* images/rabbitmq/app.yaml:#: 5672']],
    [
      'keystone.resources.api.api.limits.cpu',
      ['nothing sets keystone.resources.api.api.limits.cpu'],
    ],
    ['namespace', ['* deploy-specs/example/site.yaml:#: "openstack"']],
    ['storage.default', ['* deploy-specs/example/site.yaml:#: "standard"']],
    ['cluster.context', ['* deploy-specs/example/site.yaml:#: "kubernetes-admin@kubernetes"']],
    ['cluster.nodes', ['nothing sets cluster.nodes']],
    ['watchers', ['nothing sets watchers']],
    ['keystone.requires.database', ['* images/mariadb/app.yaml:#: "mariadb"']],
    ['keystone.generations.database', ['* images/keystone/app.yaml:#: 1']],
    ['memcached.schedule', ['nothing sets memcached.schedule']],
    ['memcached.config', ['nothing sets memcached.config']],
    [
      'memcached',
      [
        'memcached.replicas.memcached:',
        '    images/memcached/app.yaml:#: 1',
        '  * deploy-specs/example/site.yaml:#: 3',
        'memcached.settings.memory:',
        '    images/memcached/app.yaml:#: 256',
        '  * deploy-specs/example/site.yaml:#: 512',
        'memcached.settings.connections:',
        '  * images/memcached/app.yaml:#: 4096',
        'memcached.resources.memcached.memcached.requests.cpu:',
        '  * images/memcached/app.yaml:#: "50m"',
        'memcached.resources.memcached.memcached.requests.memory:',
        '    images/memcached/app.yaml:#: "320Mi"',
        '  * deploy-specs/example/site.yaml:#: "576Mi"',
        'memcached.resources.memcached.memcached.limits.memory:',
        '    images/memcached/app.yaml:#: "384Mi"',
        '  * deploy-specs/example/site.yaml:#: "640Mi"',
      ],
    ],
    [
      'mariadb.schedule',
      [
        'mariadb.schedule.nightly.enabled:',
        '  * images/mariadb/app.yaml:#: false',
        'mariadb.schedule.nightly.cron:',
        '  * images/mariadb/app.yaml:#: "15 2 * * *"',
        'mariadb.schedule.verification.enabled:',
        '  * images/mariadb/app.yaml:#: false',
        'mariadb.schedule.verification.cron:',
        '  * images/mariadb/app.yaml:#: "15 4 * * 0"',
      ],
    ],
  ])('%s', (key, expected) => {
    expect(explain(key)).toEqual(expected);
  });

  describe('settings on a node group', () => {
    const cloud = readSite(ROOT, 'cloud');
    const fast = {
      labels: ['nic=fast'],
      config: { 'neutron.conf': { DEFAULT: { debug: true } } },
      resources: { 'openvswitch-agent': { 'openvswitch-agent': { limits: { memory: '4Gi' } } } },
    };
    const neutron = {
      ...cloud.apps['neutron'],
      resources: { 'openvswitch-agent': { 'openvswitch-agent': { requests: { cpu: '1' } } } },
      nodes: { fast },
    };
    const of = { ...cloud, apps: { ...cloud.apps, neutron } };
    const at = 'deploy-specs/cloud/site.yaml:#';

    it.each([
      [
        'neutron.config.neutron.conf.DEFAULT.debug',
        [`* ${at}: true (on nodes of the group "fast")`],
      ],
      ['neutron.nodes.fast.config.neutron.conf.DEFAULT.debug', [`* ${at}: true`]],
      [
        'neutron.nodes',
        [
          'neutron.nodes.fast.labels:',
          `  * ${at}: ["nic=fast"]`,
          'neutron.nodes.fast.config.neutron.conf:',
        ],
      ],
      [
        'neutron.resources.openvswitch-agent.openvswitch-agent.limits.memory',
        ['* images/neutron/app.yaml:#: "1Gi"', `* ${at}: "4Gi" (on nodes of the group "fast")`],
      ],
      [
        'neutron.nodes.fast.resources.openvswitch-agent.openvswitch-agent.requests.cpu',
        [
          '* images/neutron/app.yaml:#: "50m"',
          `  ${at}: "1" (not in effect: nodes.fast.resources replaces it)`,
        ],
      ],
    ])('%s', (key, expected) => {
      expect(explain(key, of).slice(0, key === 'neutron.nodes' ? 3 : undefined)).toEqual(expected);
    });
  });

  it('names the layer without effect', () => {
    const { rabbitmq: _, ...apps } = site.apps;
    expect(
      explain('keystone.config.keystone.conf.oslo_messaging_rabbit.rabbit_quorum_queue', {
        ...site,
        apps,
      }),
    ).toEqual(['  images/keystone/app.yaml:#: true (not in effect: requires.bus is not met)']);
  });

  it('names the image set, and the external image that replaces an image', () => {
    const external = {
      keystone: { reference: 'quay.example.org/keystone@sha256:1', runtime: 'plain' as const },
    };
    const imageSet = { file: 'set.json', images: [{ name: 'keystone', digest: 'sha256:2' }] };
    const lines = explanationLines(
      explainKey({ site: { ...site, external }, appSpecs, imageSet }, 'keystone.image.keystone'),
      formatPosition,
    );
    expect(lines).toEqual([
      `  set.json: "${site.registry}/keystone@sha256:2"`,
      expect.stringMatching(
        /^\* deploy-specs\/example\/site\.yaml\S*: "quay\.example\.org\/keystone@sha256:1"$/,
      ),
    ]);
    expect(
      explainKey({ site, appSpecs, imageSet }, 'rabbitmq.image').parts?.map(({ key }) => key),
    ).toEqual(['rabbitmq.image.rabbitmq', 'rabbitmq.image.openstack-base']);
    expect(() => explainKey({ site, appSpecs, imageSet }, 'keystone.image.nova')).toThrow(
      'unknown image "nova" in "keystone.image.nova"',
    );
  });

  describe('the ingress of an endpoint', () => {
    const cloud = readSite(ROOT, 'cloud');
    const own = { tls: { secret: 'own' }, annotations: { 'example.org/a.b': '1' } };
    const keystone = {
      ...cloud,
      apps: { ...cloud.apps, keystone: { ...cloud.apps['keystone'], expose: { api: own } } },
    };
    const at = 'deploy-specs/cloud/site.yaml:#';

    it.each([
      ['tls.secret', cloud, [`* ${at}: "cloud-tls"`]],
      ['expose.gateway.class', cloud, [`* ${at}: "envoy"`]],
      ['keystone.hosts.api', cloud, [`* ${at}: "https://identity.example.org"`]],
      ['keystone.expose.api.tls.secret', cloud, [`* ${at}: "cloud-tls"`]],
      ['keystone.expose.api.tls.secret', keystone, [`* ${at}: "own"`]],
      ['keystone.expose.api.annotations.example.org/a.b', keystone, [`* ${at}: "1"`]],
      [
        'keystone.expose.api',
        cloud,
        [
          'keystone.expose.api.tls:',
          expect.stringMatching(/^ {2}\* deploy-specs\/cloud\/site.yaml:#: {"secret":"cloud-tls",/),
        ],
      ],
      [
        'keystone.expose',
        keystone,
        [
          'keystone.expose.api.tls:',
          `  * ${at}: {"secret":"own"}`,
          'keystone.expose.api.annotations:',
          `  * ${at}: {"example.org/a.b":"1"}`,
        ],
      ],
      ['keystone.expose.api.listener', cloud, ['nothing sets keystone.expose.api.listener']],
    ])('%s', (key, of, expected) => {
      expect(explain(key, of)).toEqual(expected);
    });
  });

  it.each([
    ['expose.gatewy', 'unknown key "gatewy" in "expose.gatewy"'],
    ['keystone.expose.apo', 'unknown endpoint "apo" in "keystone.expose.apo"'],
    ['keystone.hosts.apo', 'unknown endpoint "apo" in "keystone.hosts.apo"'],
    ['keystone.expose.api.cert', 'unknown key "cert" in "keystone.expose.api.cert"'],
    ['keystone.nodes.fast', 'unknown node group "fast" in "keystone.nodes.fast"'],
    [
      'keystone.resources.api.api.limit',
      'unknown key "limit" in "keystone.resources.api.api.limit"',
    ],
    ['keystone.resources.api.apii', 'unknown container "apii" in "keystone.resources.api.apii"'],
    ['keystone.requires.databse', 'unknown requirement "databse" in "keystone.requires.databse"'],
    ['namespac', 'unknown app "namespac" in "namespac"'],
    ['keystoen.replicas.api', 'unknown app "keystoen" in "keystoen.replicas.api"'],
    ['keystone.replica.api', 'unknown key "replica" in "keystone.replica.api"'],
    [
      'keystone.config.nova.conf.a',
      'unknown configuration file "nova.conf.a" in "keystone.config.nova.conf.a"',
    ],
  ])('refuses %s', (key, message) => {
    expect(() => explain(key)).toThrow(message);
  });
});
