import type { KubernetesObject } from '#ports';
import { namespace, startNodeCluster, type NodeCluster } from './node-cluster.ts';
import { startTokenClient, type TokenClient } from './token-client.ts';

/** A site with identity on a node with a kubelet, and a client of it. */
export interface IdentityUnderLoad {
  readonly site: string;
  readonly node: NodeCluster;
  readonly client: TokenClient;
  /** URL of the API through its Service. */
  readonly url: string;
  object(kind: string, name: string): Promise<KubernetesObject>;
  /** Data of a Secret, in base64. */
  secret(name: string): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

const SITE = 'identity';

/** Installs a site with `apps` in YAML lines, and starts a client that also validates tokens. */
export async function openIdentity(
  series: string,
  images: readonly string[],
  apps: string,
): Promise<IdentityUnderLoad> {
  const text = `schema: 1.0.0
cluster: { context: ccp }
namespace: ${namespace}
series: "${series}"
registry: ccp.local
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: folder }
apps:
${apps}`;
  const node = await startNodeCluster(
    images,
    SITE,
    (workspace) => workspace.write(`deploy-specs/${SITE}/site.yaml`, text),
    series,
  );
  const object = async (kind: string, name: string): Promise<KubernetesObject> =>
    (await node.cluster.get({ apiVersion: 'v1', kind, namespace, name }))!;
  const secret = async (name: string): Promise<Readonly<Record<string, string>>> =>
    (await object('Secret', name))['data'] as Readonly<Record<string, string>>;
  try {
    await node.done('deploy', 'apply', SITE);
    const { clusterIP } = (await object('Service', 'keystone-api'))['spec'] as {
      readonly clusterIP: string;
    };
    const url = `http://${clusterIP}:5000/v3`;
    const { password = '' } = await secret('keystone-admin');
    const login = Buffer.from(password, 'base64').toString();
    const client = startTokenClient(url, login, { validate: true });
    const stop = async (): Promise<void> => {
      await client.stop();
      await node.stop();
    };
    return { site: SITE, node, client, url, object, secret, stop };
  } catch (thrown) {
    await node.stop();
    throw thrown;
  }
}
