import { namespace, type NodeCluster } from './node-cluster.ts';

/** Images of `IDENTITY_SITE` and of `tokenOf`. */
export const IDENTITY_IMAGES = ['gate', 'keystone', 'mariadb', 'memcached', 'openstackclient'];

/** The smallest site with an API, for the cluster of `ccp up`. */
export const IDENTITY_SITE = `
schema: 1.0.0
cluster: { context: ccp }
namespace: ${namespace}
series: "2026.1"
registry: ccp.local
region: RegionOne
roles: { control-plane: [openstack-control-plane=enabled] }
storage: { default: folder }
apps: { mariadb: {}, memcached: {}, keystone: {} }
`;

/** A token of the administrator, requested through the Service; or the output of the client. */
export async function tokenOf(node: NodeCluster): Promise<string> {
  const env = {
    OS_AUTH_URL: `http://keystone-api.${namespace}.svc.cluster.local:5000/v3`,
    OS_USERNAME: 'admin',
    OS_PROJECT_NAME: 'admin',
    OS_USER_DOMAIN_ID: 'default',
    OS_PROJECT_DOMAIN_ID: 'default',
  };
  return await node.inPod({
    image: `ccp.local/openstackclient@${node.digest('openstackclient')}`,
    command: ['openstack', 'token', 'issue', '-f', 'value', '-c', 'id'],
    env: [
      ...Object.entries(env).map(([name, value]) => ({ name, value })),
      {
        name: 'OS_PASSWORD',
        valueFrom: { secretKeyRef: { name: 'keystone-admin', key: 'password' } },
      },
    ],
  });
}
