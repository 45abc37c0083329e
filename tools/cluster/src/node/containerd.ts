import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { CcpError } from '#core';
import type { NodeFolders } from './node-folders.ts';
import type { NodeNames } from './node-names.ts';

/** containerd's socket in the node's mount namespace. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** Name of the image whose container keeps a pod's namespaces. */
export const PAUSE_IMAGE = 'ccp.local/pause:1';

/** Install folders of Debian and of upstream packages. */
const PLUGIN_FOLDERS = ['/usr/lib/cni', '/opt/cni/bin', '/usr/libexec/cni'];

/**
 * Writes containerd's configuration; resolves with its path. All images are pulled from `registry`
 * (`HOST:PORT`, without TLS), regardless of the registry in their names. Throws `machine-tool` if
 * the network plugins are missing.
 */
export async function writeContainerdConfig(
  { data, config }: NodeFolders,
  names: NodeNames,
  registry: string,
): Promise<string> {
  const plugins = findNetworkPlugins();
  if (plugins === undefined)
    throw new CcpError({
      code: 'machine-tool',
      message: `network plugins (CNI) not found in ${PLUGIN_FOLDERS.join(', ')}`,
      hint: 'install the Debian package containernetworking-plugins',
    });
  const [mirrors, networks] = [join(config, 'mirrors'), join(config, 'networks')];
  await mkdir(join(mirrors, '_default'), { recursive: true });
  await mkdir(networks, { recursive: true });
  const server = JSON.stringify(`http://${registry}`);
  await writeFile(
    join(mirrors, '_default', 'hosts.toml'),
    `server = ${server}\n[host.${server}]\n  capabilities = ["pull", "resolve"]\n`,
  );
  await writeFile(join(networks, '10-ccp.conflist'), JSON.stringify(network(names)));
  const path = join(config, 'containerd.toml');
  await writeFile(path, containerdConfig(join(data, 'containerd'), { plugins, mirrors, networks }));
  return path;
}

/** The folder of the network plugins; undefined if not found. */
export function findNetworkPlugins(): string | undefined {
  return PLUGIN_FOLDERS.find((folder) => existsSync(join(folder, 'bridge')));
}

function network({ pods }: NodeNames): object {
  const ipam = { type: 'host-local', ranges: [[{ subnet: pods }]], routes: [{ dst: '0.0.0.0/0' }] };
  return {
    cniVersion: '0.4.0',
    name: 'ccp',
    plugins: [
      {
        type: 'bridge',
        bridge: 'ccp-pods',
        isGateway: true,
        hairpinMode: true,
        ipMasq: false,
        ipam,
      },
    ],
  };
}

/** A configuration of version 2, which containerd 1.6 and later reads. */
function containerdConfig(
  root: string,
  {
    plugins,
    mirrors,
    networks,
  }: { readonly plugins: string; readonly mirrors: string; readonly networks: string },
): string {
  const cri = 'plugins."io.containerd.grpc.v1.cri"';
  return [
    'version = 2',
    `root = ${JSON.stringify(root)}`,
    'state = "/run/containerd"',
    '[grpc]',
    `  address = "${CONTAINERD_SOCKET}"`,
    `[${cri}]`,
    `  sandbox_image = "${PAUSE_IMAGE}"`,
    '  restrict_oom_score_adj = true',
    `[${cri}.cni]`,
    `  bin_dir = ${JSON.stringify(plugins)}`,
    `  conf_dir = ${JSON.stringify(networks)}`,
    `[${cri}.registry]`,
    `  config_path = ${JSON.stringify(mirrors)}`,
    `[${cri}.containerd]`,
    '  default_runtime_name = "runc"',
    `[${cri}.containerd.runtimes.runc]`,
    '  runtime_type = "io.containerd.runc.v2"',
    `[${cri}.containerd.runtimes.runc.options]`,
    '  SystemdCgroup = false',
    '',
  ].join('\n');
}
