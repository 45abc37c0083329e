import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LiveObject } from '#ports';
import { openIdentity, type IdentityUnderLoad } from '../helpers/cluster/identity-under-load.ts';
import { namespace } from '../helpers/cluster/node-cluster.ts';
import { nodeProcesses } from '../helpers/cluster/node-processes.ts';

// Token requests through the Service while something dies. Prints the figures of each fault.
const SERIES = process.env['CCP_TEST_SERIES'] ?? '2026.1';
const SECONDS = Number(process.env['CCP_TEST_FAULT_SECONDS'] ?? 40);
const IMAGES = ['openstack-base', 'mariadb', 'memcached', 'rabbitmq', 'keystone'];
const APPS = `  mariadb: { replicas: { mariadb: 3 } }
  memcached: { replicas: { memcached: 2 } }
  rabbitmq: {}
  keystone: { replicas: { api: 2 } }
`;
const IS_ROOT = process.getuid?.() === 0;

describe.runIf(IS_ROOT)(
  'requests while something dies, on a kubelet (skipped without root, which namespaces need)',
  () => {
    let open: IdentityUnderLoad;
    const figures: object[] = [];
    const named = async (app: string): Promise<readonly string[]> =>
      (await open.node.podsOf(app)).map(({ metadata }) => metadata.name).sort();
    const kill = async (app: string, count = 99): Promise<void> => {
      const { kill: killPod } = nodeProcesses(open.node.folder);
      for (const pod of (await named(app)).slice(0, count)) killPod(pod);
    };
    const remove = async (app: string, count = 99): Promise<void> => {
      for (const name of (await named(app)).slice(0, count))
        await open.node.cluster.delete({ apiVersion: 'v1', kind: 'Pod', namespace, name });
    };
    const restarts = async (): Promise<number> =>
      (await open.node.podsOf('keystone')).reduce((sum, pod) => sum + restartsOf(pod), 0);
    const ready = async (): Promise<boolean> =>
      (await open.node.command('deploy', 'wait', open.site, '--timeout', '5')).exitCode === 0;

    beforeAll(async () => {
      open = await openIdentity(SERIES, IMAGES, APPS);
    });
    afterAll(async () => {
      console.log(JSON.stringify({ series: SERIES, figures }));
      await open?.stop();
    });

    /** `failures`: the highest allowed share of failed requests. `killed`: containers that end. */
    it.each<{ fault: string; run: () => Promise<void>; failures: number; killed?: number }>([
      { fault: 'nothing', run: async () => undefined, failures: 0 },
      { fault: 'one keystone pod deleted', run: () => remove('keystone', 1), failures: 0 },
      {
        fault: 'one keystone pod killed',
        run: () => kill('keystone', 1),
        failures: 0.3,
        killed: 1,
      },
      { fault: 'all memcached pods killed', run: () => kill('memcached'), failures: 0 },
      { fault: 'all memcached pods deleted', run: () => remove('memcached'), failures: 0 },
      { fault: 'all RabbitMQ killed', run: () => kill('rabbitmq'), failures: 0 },
      { fault: 'one MariaDB killed', run: () => kill('mariadb', 1), failures: 0.5 },
      { fault: 'all MariaDB killed', run: () => kill('mariadb'), failures: 1 },
    ])('$fault', async ({ fault, run, failures, killed = 0 }) => {
      const before = await restarts();
      open.client.reset();
      await run();
      await delay(SECONDS * 1000);
      const report = open.client.report();
      const [load = 0] = loadavg();
      figures.push({ fault, load: Math.round(load), ...report });
      console.log(JSON.stringify(figures.at(-1)));
      expect(await ready()).toBe(true);
      const failed = Object.values(report.failures).reduce((sum, count) => sum + count, 0);
      expect(failed).toBeLessThanOrEqual(report.requests * failures);
      // No pod restarts because something else is away.
      expect((await restarts()) - before).toBeLessThanOrEqual(killed);
    });
  },
);

function restartsOf({ status }: LiveObject): number {
  const { containerStatuses = [] } = status as {
    readonly containerStatuses?: readonly { readonly restartCount: number }[];
  };
  return containerStatuses.reduce((sum, { restartCount }) => sum + restartCount, 0);
}
