import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerFaults } from '../helpers/answer-faults.ts';
import { machineLeftovers } from '../helpers/cluster/machine-leftovers.ts';
import {
  namespace,
  startNodeCluster,
  tryPlaces,
  type NodeCluster,
} from '../helpers/cluster/node-cluster.ts';
import { addBrokenImage } from '../helpers/cluster/broken-image.ts';

const IMAGES = ['keystone', 'mariadb', 'memcached', 'openstackclient', 'rabbitmq'];
const SITE = 'deploy-specs/local/site.yaml';
const BROKEN = "ModuleNotFoundError: No module named 'keystone.broken'";

/**
 * Starts a daemon like neutron's agents do, waits for its exit, and prints all visible processes.
 */
const DAEMON = `
import glob, os, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(0.2)
    os._exit(0)
os.wait()
time.sleep(1)
for path in sorted(glob.glob("/proc/[0-9]*/stat")):
    number, name, state = open(path).read().split()[:3]
    print(name.strip("()"), state)
`;

const IS_ROOT = process.getuid?.() === 0;

let node: NodeCluster;

const done = async (...args: readonly string[]): Promise<string> => await node.done(...args);
const reference = (name: string): string => `ccp.local/${name}@${node.digest(name)}`;
const uids = async (...apps: readonly string[]): Promise<readonly string[]> =>
  (await Promise.all(apps.map(node.podsOf)))
    .flat()
    .map(({ metadata }) => metadata.uid)
    .sort();

/**
 * Output of a command with the administrator's credentials in a new pod that is not part of the
 * site; `more` is added to the pod's spec.
 */
async function inPod(command: readonly string[], more: object): Promise<string> {
  const env = {
    OS_AUTH_URL: `http://keystone-api.${namespace}.svc.cluster.local:5000/v3`,
    OS_USERNAME: 'admin',
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_ID: 'default',
    OS_PROJECT_DOMAIN_ID: 'default',
  };
  const password = {
    name: 'OS_PASSWORD',
    valueFrom: { secretKeyRef: { name: 'keystone-admin', key: 'password' } },
  };
  return node.inPod(
    {
      image: reference('openstackclient'),
      command,
      env: [...Object.entries(env).map(([key, value]) => ({ name: key, value })), password],
    },
    more,
  );
}

const inClient = (...command: readonly string[]): Promise<string> => inPod(command, {});

/** Output of `openstack ARGS -f json`, which connects to keystone through its Service. */
async function openstack(...args: readonly string[]): Promise<unknown> {
  const text = await inClient('openstack', ...args, '-f', 'json');
  return text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text;
}

beforeAll(async () => {
  if (IS_ROOT) node = await startNodeCluster(IMAGES, 'local');
});
afterAll(async () => {
  await node?.stop();
});

describe.runIf(IS_ROOT)(
  'the images built here on a real node (skipped without root, which namespaces need)',
  () => {
    it('does not restart with another `up`', async () => {
      const answer = JSON.parse(await done('up', 'local', '--json')) as object;
      expect(answerFaults('ccp up', answer)).toEqual([]);
      expect(answer).toEqual({
        kubeconfig: join(node.folder, 'kubeconfig'),
        context: 'ccp',
        reused: true,
        sites: ['local'],
      });
    });

    it('deploys by digest, and writes nothing in a second apply', async () => {
      expect(await done('deploy', 'apply', 'local')).toBe(
        'local: revision 1 is good, 12 of 12 steps done\n',
      );
      const running = (
        await Promise.all(['keystone', 'mariadb', 'memcached', 'rabbitmq'].map(node.podsOf))
      )
        .flat()
        .map(
          ({ spec }) =>
            (spec as { readonly containers: readonly { readonly image: string }[] }).containers[0]
              ?.image,
        );
      expect(running.sort()).toEqual(
        ['keystone', 'mariadb', 'memcached', 'rabbitmq'].map(reference),
      );
      expect(await done('deploy', 'apply', 'local')).toBe(
        'local: revision 1 is already applied and healthy; nothing was written, 12 of 12 steps done\n',
      );
    });

    it('issues a token to the command line client, through the Service', async () => {
      expect(await openstack('token', 'issue')).toMatchObject({
        id: expect.stringMatching(/^gAAAAA/),
        project_id: expect.any(String),
        user_id: expect.any(String),
      });
      expect(await openstack('catalog', 'list')).toMatchObject([
        { Name: 'keystone', Type: 'identity' },
      ]);
    });

    it('reaps orphaned processes only if the pod shares its process namespace', async () => {
      expect(await inPod(['python3', '-c', DAEMON], { shareProcessNamespace: true })).toBe(
        'pause S\npython3 R\n',
      );
      expect(await inPod(['python3', '-c', DAEMON], {})).toBe('python3 R\npython3 Z\n');
    });

    it('accepts external clients only on public endpoints', async () => {
      expect(
        await inClient(
          ...tryPlaces(
            'keystone-api/5000',
            'mariadb/3306',
            'memcached/11211',
            'rabbitmq/5672',
            'rabbitmq/15692',
          ),
        ),
      ).toBe('keystone-api/5000\n');
    });

    it('replaces only keystone pods when an option of keystone changes', async () => {
      const [others, keystone] = [
        await uids('mariadb', 'memcached', 'rabbitmq'),
        await uids('keystone'),
      ];
      node.workspace.write(
        SITE,
        readFileSync(join(node.workspace.root, SITE), 'utf8').replace(
          '  keystone: {}',
          '  keystone: { config: { keystone.conf: { DEFAULT: { debug: true } } } }',
        ),
      );
      expect(await done('deploy', 'apply', 'local')).toMatch(/^local: revision 2 is good/);
      expect(await uids('mariadb', 'memcached', 'rabbitmq')).toEqual(others);
      expect((await uids('keystone')).filter((uid) => keystone.includes(uid))).toEqual([]);
    });

    it('rolls back from a broken release, and reports the release with its last log lines', async () => {
      const ini =
        '[uwsgi]\nini = /etc/uwsgi/api.ini\nhttp-socket = 0.0.0.0:5000\nmodule = keystone.broken:application\n';
      const brokenImage = await addBrokenImage(
        join(node.workspace.root, '.ccp/store'),
        node.digest('keystone'),
        { path: 'etc/uwsgi/keystone.ini', text: ini },
      );
      node.workspace.write(
        'broken.json',
        JSON.stringify({
          ...node.images,
          images: node.images.images.map((image) =>
            image.name === 'keystone' ? { ...image, digest: brokenImage } : image,
          ),
        }),
      );
      const broken = await node.command(
        'deploy',
        'upgrade',
        'local',
        '--set',
        join(node.workspace.root, 'broken.json'),
      );
      expect(broken.exitCode).toBe(7);
      expect(broken.stdout).toMatch(
        /^x Deployment\/keystone-api .*container "api" exited with code \d+/,
      );
      expect(broken.stdout).toContain(BROKEN);
      expect(await openstack('token', 'issue')).toMatchObject({ id: expect.any(String) });
      expect(await done('deploy', 'rollback', 'local')).toMatch(/local: revision 4 is good/);
      expect(await openstack('token', 'issue')).toMatchObject({ id: expect.any(String) });
    });

    it('continues after deleted Secrets are created again', async () => {
      for (const name of ['keystone-admin', 'keystone-database', 'mariadb-root'])
        await node.cluster.delete({ apiVersion: 'v1', kind: 'Secret', name, namespace });
      expect(await done('deploy', 'plan', 'local')).toContain(
        '  ! Secret/keystone-database is missing and is created again\n',
      );
      expect(await done('deploy', 'apply', 'local')).toMatch(/is good, 12 of 12 steps done\n$/);
      expect(await openstack('token', 'issue')).toMatchObject({ id: expect.any(String) });
    });

    it('keeps claims and generated Secrets after `delete`', async () => {
      await done('deploy', 'delete', 'local', '--yes');
      expect(await node.left()).toEqual([
        'ConfigMap/kube-root-ca.crt',
        'PersistentVolumeClaim/data-mariadb-0',
        'PersistentVolumeClaim/data-rabbitmq-0',
        ...[
          'keystone-admin',
          'keystone-bus',
          'keystone-credential-keys',
          'keystone-database',
          'keystone-fernet-keys',
          'mariadb-backup',
          'mariadb-root',
          'mariadb-setup',
          'rabbitmq-admin',
          'rabbitmq-cookie',
        ].map((name) => `Secret/${name}`),
        'ServiceAccount/default',
      ]);
    });

    it('uses the kept claims and Secrets again', async () => {
      expect(await done('deploy', 'apply', 'local')).toMatch(/is good, 12 of 12 steps done\n$/);
      expect(await openstack('token', 'issue')).toMatchObject({ id: expect.any(String) });
    });

    it('leaves nothing on the machine after `down`, which does not affect another cluster', async () => {
      const other = await startNodeCluster(IMAGES, 'local');
      try {
        expect(await done('down')).toBe('the cluster and all its data were deleted\n');
        const { keeper } = JSON.parse(readFileSync(join(other.folder, 'state.json'), 'utf8')) as {
          readonly keeper: { readonly pid: number };
        };
        expect(readFileSync(`/proc/${keeper.pid}/mountinfo`, 'utf8')).toContain(
          ' /var/lib/kubelet ',
        );
      } finally {
        await other.stop();
      }
      expect(machineLeftovers(node.folder)).toEqual(node.before);
    });
  },
);
