import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { digestOf } from '#core';
import { parseSite, readAppSpecs } from '#definitions/deploy';
import { checkedObjects } from '#site/testing';
import { REPOSITORY } from '../helpers/ccp.ts';
import { WATCHERS } from '../helpers/watchers.ts';

const APPS = ['keystone', 'mariadb', 'memcached', 'rabbitmq', ...WATCHERS];
const SITE = `schema: 1.12.0
cluster: { context: test }
namespace: cloud
series: "2026.1"
registry: registry.test
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled], node: [kubernetes.io/os=linux] }
storage: { default: standard }
expose: { ingress: {} }
operator: { namespace: ccp-operator }
tls: {}
apps: { ${APPS.map((app) => `${app}: {${app === 'keystone' ? ' hosts: { api: "https://identity.example.org" } ' : ''}}`).join(', ')} }
`;

it('collects the metrics of all services, APIs and hosts of a site', () => {
  const images = ['openstack-base', ...APPS].map((name) => ({ name, digest: digestOf(name) }));
  const objects = checkedObjects({
    site: parseSite(SITE, 'site.yaml', 'test'),
    appSpecs: new Map(readAppSpecs(REPOSITORY)),
    imageSet: { series: '2026.1', images } as never,
  });
  const map = objects.find(
    ({ kind, metadata }) =>
      kind === 'ConfigMap' && metadata.name.startsWith('victoria-metrics-scrape'),
  )!;
  const [apps, apis, hosts] = (
    parse((map['data'] as Record<string, string>)['scrape.yaml']!) as {
      scrape_configs: Record<string, any>[];
    }
  ).scrape_configs;
  expect(
    apps!['dns_sd_configs'][0].names.map((name: string) =>
      name.replace('.cloud.svc.cluster.local', '').replace('.svc.cluster.local', ''),
    ),
  ).toEqual([
    '_http._tcp.alertmanager-peers',
    '_http._tcp.blackbox-exporter',
    '_metrics._tcp.mysqld-exporter',
    '_metrics._tcp.node-exporter-peers.cloud-node',
    '_metrics._tcp.otel-collector-peers.cloud-node',
    '_metrics._tcp.rabbitmq-peers',
    '_http._tcp.victoria-logs-peers',
    '_http._tcp.victoria-metrics-peers',
    '_http._tcp.victoria-metrics-vmalert',
    '_metrics._tcp.ccp-operator.ccp-operator',
  ]);
  expect(apis!['static_configs'][0].targets).toContain(
    'http://keystone-api.cloud.svc.cluster.local:5000/',
  );
  expect(hosts!['static_configs'][0].targets).toEqual(['identity.example.org:443']);
});

it('allows connections from monitoring to everything it monitors', () => {
  const closed = [...readAppSpecs(REPOSITORY)].flatMap(([app, { provides = {}, workloads }]) =>
    Object.entries(provides)
      .filter(([, { kind, workload, port }]) => {
        const { from } = Object.values(workloads[workload]!.containers).flatMap(
          ({ ports = {} }) => ports[port ?? ''] ?? [],
        )[0] ?? { from: 'anyone' };
        return (
          ['metrics', 'endpoint'].includes(kind) &&
          ![from].flat().some((peers) => peers === 'watchers' || peers === 'anyone')
        );
      })
      .map(([name]) => `${app}.${name}`),
  );
  expect(closed).toEqual([]);
});

it('has a test of each alert', () => {
  const folder = join(REPOSITORY, 'images/victoria-metrics/files/etc/victoria-metrics/alerts');
  const topics = readdirSync(folder).filter((name) => name.endsWith('.yaml'));
  expect(topics).toHaveLength(7);
  for (const topic of topics) {
    const { groups } = parse(readFileSync(join(folder, topic), 'utf8')) as {
      groups: { rules: { alert: string }[] }[];
    };
    const tests = readFileSync(join(folder, 'tests', topic), 'utf8');
    const alerts = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));
    expect(alerts.filter((alert) => !tests.includes(`alertname: ${alert}`))).toEqual([]);
  }
});
