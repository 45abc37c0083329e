import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTAINERD_SOCKET } from './containerd.ts';
import type { NodeFolders } from './node-folders.ts';
import { NODE_NAME, type NodeNames } from './node-names.ts';

const DOMAIN = 'cluster.local';
/** Eviction threshold that is never reached, in bytes or percent. */
const NEVER = '0%';

/** Writes the kubelet's configuration; resolves with its arguments. */
export async function kubeletArguments(
  { pki, config, data }: NodeFolders,
  { node, cgroup }: NodeNames,
  kubeconfig: string,
): Promise<readonly string[]> {
  const resolve = join(config, 'resolv.conf');
  await writeFile(resolve, `nameserver ${node}\n`);
  const path = await writeConfig(config, 'kubelet', {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    address: node,
    readOnlyPort: 0,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: join(pki, 'ca.crt') },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: join(pki, 'kubelet-server.crt'),
    tlsPrivateKeyFile: join(pki, 'kubelet-server.key'),
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    failCgroupV1: false,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    makeIPTablesUtilChains: false,
    evictionHard: {
      'memory.available': NEVER,
      'nodefs.available': NEVER,
      'nodefs.inodesFree': NEVER,
      'imagefs.available': NEVER,
      'imagefs.inodesFree': NEVER,
    },
    imageGCHighThresholdPercent: 100,
    clusterDNS: [node],
    clusterDomain: DOMAIN,
    resolvConf: resolve,
    volumePluginDir: join(data, 'volume-plugins'),
    serializeImagePulls: false,
    // Otherwise the kubelet may request an image from its registry although it is present.
    imagePullCredentialsVerificationPolicy: 'NeverVerify',
  });
  return [
    `--config=${path}`,
    `--kubeconfig=${kubeconfig}`,
    `--hostname-override=${NODE_NAME}`,
    `--node-ip=${node}`,
  ];
}

/**
 * Writes kube-proxy's configuration; resolves with its arguments. It changes no machine-wide
 * setting.
 */
export async function proxyArguments(
  { config }: NodeFolders,
  { node, pods }: NodeNames,
  kubeconfig: string,
): Promise<readonly string[]> {
  const path = await writeConfig(config, 'kube-proxy', {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig },
    mode: 'iptables',
    clusterCIDR: pods,
    bindAddress: node,
    healthzBindAddress: '127.0.0.1:10256',
    metricsBindAddress: '127.0.0.1:10249',
    iptables: { localhostNodePorts: false, minSyncPeriod: '0s' },
    conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: '0s', tcpCloseWaitTimeout: '0s' },
  });
  return [`--config=${path}`, `--hostname-override=${NODE_NAME}`];
}

/**
 * Writes the configuration of the name server, which resolves Services and pods only; resolves with
 * its arguments.
 */
export async function dnsArguments(
  { config }: NodeFolders,
  { node }: NodeNames,
  kubeconfig: string,
): Promise<readonly string[]> {
  const path = join(config, 'Corefile');
  await writeFile(
    path,
    `.:53 {\n  bind ${node}\n  errors\n  kubernetes ${DOMAIN} in-addr.arpa {\n    kubeconfig ${JSON.stringify(kubeconfig)}\n    ttl 1\n  }\n  cache 1\n}\n`,
  );
  return ['-conf', path];
}

async function writeConfig(folder: string, name: string, config: object): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, `${name}.json`);
  await writeFile(path, JSON.stringify(config));
  return path;
}
