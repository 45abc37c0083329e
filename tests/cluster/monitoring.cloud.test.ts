import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WATCHERS } from '../helpers/watchers.ts';
import { machineLeftovers } from '../helpers/cluster/machine-leftovers.ts';
import {
  namespace,
  startNodeCluster,
  tryPlaces,
  type NodeCluster,
} from '../helpers/cluster/node-cluster.ts';

// Waits with an operator's timing: metrics are scraped every 30 s, and alerts fire after two
// minutes.
const WATCHED = ['keystone', 'mariadb', 'memcached', 'rabbitmq'];
const APPS = [...WATCHED, ...WATCHERS];
const APIS = [
  'alertmanager:9093',
  'blackbox-exporter:9115',
  'keystone-api:5000',
  'victoria-logs:9428',
  'victoria-metrics:8428',
];
const KEYSTONE = `http://keystone-api.${namespace}.svc.cluster.local:5000/`;
const SITE = 'deploy-specs/local/site.yaml';
const GLOBAL = 'req-66666666-2222-3333-4444-555555555555';

const IS_ROOT = process.getuid?.() === 0;

let node: NodeCluster;

interface Target {
  readonly health: string;
  readonly labels: { readonly job: string; readonly instance: string };
}
interface Rule {
  readonly name: string;
  readonly health: string;
  readonly lastError: string;
}
interface Dashboards {
  readonly dashboardsSettings: readonly {
    readonly rows: readonly {
      readonly panels: readonly { readonly title: string; readonly expr: readonly string[] }[];
    }[];
  }[];
}
interface Alert {
  readonly labels: Readonly<Record<string, string>>;
  readonly generatorURL: string;
}

/** Address of a Service of the site; this machine can connect to it. */
async function addressOf(service: string): Promise<string> {
  const { spec } = (await node.cluster.get({
    apiVersion: 'v1',
    kind: 'Service',
    namespace,
    name: service,
  }))!;
  const { clusterIP, ports } = spec as {
    readonly clusterIP: string;
    readonly ports: readonly { readonly port: number }[];
  };
  return `http://${clusterIP}:${ports[0]!.port}`;
}

async function ask(
  service: string,
  path: string,
  parameters: Readonly<Record<string, string>> = {},
): Promise<string> {
  const answer = await fetch(
    `${await addressOf(service)}${path}?${new URLSearchParams(parameters)}`,
  );
  expect(answer.status, path).toBe(200);
  return await answer.text();
}
const askJson = async <T>(...question: Parameters<typeof ask>): Promise<T> =>
  JSON.parse(await ask(...question)) as T;
const findLines = async (query: string): Promise<readonly Readonly<Record<string, string>>[]> =>
  (await ask('victoria-logs', '/select/logsql/query', { query }))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, string>);
const alertsOfKeystone = async (): Promise<readonly Alert[]> =>
  (await askJson<readonly Alert[]>('alertmanager', '/api/v2/alerts')).filter(
    ({ labels }) => labels['instance'] === KEYSTONE,
  );

beforeAll(async () => {
  if (!IS_ROOT) return;
  node = await startNodeCluster(APPS, 'local', (workspace) => {
    const site = readFileSync(join(workspace.root, SITE), 'utf8');
    workspace.write(
      SITE,
      `${site.replace('roles:\n', 'roles:\n  node: [kubernetes.io/os=linux]\n')}${WATCHERS.map((app) => `  ${app}: {}\n`).join('')}`,
    );
  });
  const [, network] = /https:\/\/(\d+\.\d+\.\d+)\.\d+:/.exec(
    readFileSync(join(node.folder, 'kubeconfig'), 'utf8'),
  )!;
  const site = readFileSync(join(node.workspace.root, SITE), 'utf8');
  // This machine's address on the link.
  node.workspace.write(SITE, `${site}watchers: [{ ipBlock: { cidr: ${network}.1/32 } }]\n`);
});
afterAll(async () => {
  await node?.stop();
});

describe.runIf(IS_ROOT)(
  'the monitoring apps on a real node (skipped without root, which namespaces need)',
  () => {
    it('starts with the monitored apps', async () => {
      expect(await node.done('deploy', 'apply', 'local')).toBe(
        'local: revision 1 is good, 20 of 20 steps done\n',
      );
    });

    it('collects metrics from every app that has them, and probes every API', async () => {
      const targets = async () =>
        (
          await askJson<{ data: { activeTargets: readonly Target[] } }>(
            'victoria-metrics',
            '/api/v1/targets',
          )
        ).data.activeTargets
          .map(({ health, labels }) => `${labels.job} ${health}`)
          .sort();
      const apps = [...WATCHERS, 'rabbitmq', 'victoria-metrics-vmalert'].map((app) => `${app} up`);
      await expect
        .poll(targets, { timeout: 90_000, interval: 2000 })
        .toEqual([...APIS.map(() => 'apis up'), ...apps].sort());
      const answers = async () =>
        (
          await askJson<{ data: { result: readonly { metric: { instance: string } }[] } }>(
            'victoria-metrics',
            '/api/v1/query',
            { query: 'probe_success == 1' },
          )
        ).data.result
          .map(({ metric }) => metric.instance)
          .sort();
      await expect
        .poll(answers, { timeout: 90_000, interval: 2000 })
        .toEqual(
          APIS.map((api) => `http://${api.replace(':', `.${namespace}.svc.cluster.local:`)}/`),
        );
    });

    it('has data for every panel and every rule', async () => {
      const { dashboardsSettings } = await askJson<Dashboards>(
        'victoria-metrics',
        '/vmui/custom-dashboards',
      );
      const panels = dashboardsSettings.flatMap(({ rows }) => rows.flatMap(({ panels }) => panels));
      const empty = async () => {
        const found = await Promise.all(
          panels.flatMap(({ title, expr }) =>
            expr.map(async (query) => ({
              title,
              ...(
                await askJson<{ data: { result: readonly object[] } }>(
                  'victoria-metrics',
                  '/api/v1/query',
                  { query },
                )
              ).data,
            })),
          ),
        );
        return found.filter(({ result }) => result.length === 0).map(({ title }) => title);
      };
      await expect.poll(empty, { timeout: 120_000, interval: 2000 }).toEqual([]);
      const { data } = await askJson<{
        data: { groups: readonly { readonly rules: readonly Rule[] }[] };
      }>('victoria-metrics-vmalert', '/api/v1/rules');
      const rules = data.groups.flatMap((group) => group.rules);
      expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError !== '')).toEqual(
        [],
      );
      expect(rules.map(({ name }) => name)).toContain('ApiDown');
    });

    it('accepts connections only from its own parts', async () => {
      const places = [
        'alertmanager/9093',
        'blackbox-exporter/9115',
        'mysqld-exporter/9104',
        'otel-collector-peers/8888',
        'rabbitmq/15692',
        'victoria-logs/9428',
        'victoria-metrics/8428',
        'victoria-metrics-vmalert/8880',
      ];
      expect(
        await node.inPod({
          image: `ccp.local/keystone@${node.digest('keystone')}`,
          command: tryPlaces(...places, 'keystone-api/5000'),
        }),
      ).toBe('keystone-api/5000\n');
    });

    it("find keystone's log lines by request id", async () => {
      const identity = {
        methods: ['password'],
        password: { user: { name: 'admin', domain: { id: 'default' }, password: 'wrong' } },
      };
      const refused = await fetch(`${await addressOf('keystone-api')}/v3/auth/tokens`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-OpenStack-Request-ID': GLOBAL },
        body: JSON.stringify({ auth: { identity } }),
      });
      expect(refused.status).toBe(401);
      const query = `request_id:="${refused.headers.get('x-openstack-request-id')}"`;
      const found = async () =>
        (await findLines(query)).map((line) => [
          line['service.name'],
          line['severity'],
          line['global_request_id'],
          line['_msg']!.split('.')[0],
        ]);
      await expect
        .poll(found, { timeout: 30_000, interval: 1000 })
        .toEqual([['keystone-api', 'WARN', GLOBAL, 'Authorization failed']]);
      const services = (await findLines('* | stats by (service.name) count()')).map(
        (line) => line['service.name'],
      );
      expect(services).toEqual(
        expect.arrayContaining([
          'keystone-api',
          'mariadb',
          'node-exporter',
          'rabbitmq',
          'victoria-metrics',
          'victoria-metrics-vmalert',
        ]),
      );
    });

    it('sends an alert only while keystone is down', async () => {
      await node.done('deploy', 'scale', 'local', 'keystone.api=0');
      await expect.poll(alertsOfKeystone, { timeout: 300_000, interval: 2000 }).toMatchObject([
        {
          labels: { alertname: 'ApiDown', severity: 'critical' },
          generatorURL: expect.stringMatching(/^http:\/\/victoria-metrics\..*\/vmui\//),
        },
      ]);
      await node.done('deploy', 'scale', 'local', 'keystone.api=1');
      await expect.poll(alertsOfKeystone, { timeout: 180_000, interval: 2000 }).toEqual([]);
    });

    it('restarts no container', async () => {
      const pods = (await Promise.all(APPS.map(node.podsOf))).flat();
      const restarts = pods.flatMap(({ metadata, status }) =>
        (
          status as { readonly containerStatuses: readonly { readonly restartCount: number }[] }
        ).containerStatuses.map(({ restartCount }) => [metadata.name, restartCount] as const),
      );
      expect(restarts).toHaveLength(APPS.length + 1);
      expect(restarts.filter(([, count]) => count > 0)).toEqual([]);
    });

    it('keeps metrics and logs after `delete`, and nothing after `down`', async () => {
      await node.done('deploy', 'delete', 'local', '--yes');
      const left = await node.left();
      expect(left.filter((name) => !name.startsWith('Secret/'))).toEqual([
        'ConfigMap/kube-root-ca.crt',
        ...['alertmanager', 'mariadb', 'rabbitmq', 'victoria-logs', 'victoria-metrics'].map(
          (name) => `PersistentVolumeClaim/data-${name}-0`,
        ),
        'ServiceAccount/default',
      ]);
      expect(left).toContain('Secret/mysqld-exporter-database');
      await node.done('down');
      expect(machineLeftovers(node.folder)).toEqual(node.before);
    });
  },
);
