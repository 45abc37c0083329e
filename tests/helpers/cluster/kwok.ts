import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ProgramModule } from '#cluster';

/** kwok, which simulates nodes and their pods, and its folder `stage` with default stages. */
export const KWOK_MODULE: ProgramModule = {
  name: 'kwok',
  folder: fileURLToPath(new URL('kwok', import.meta.url)),
  programs: { kwok: 'sigs.k8s.io/kwok/cmd/kwok' },
  linkerFlags: [],
  folders: { stage: ['sigs.k8s.io/kwok', 'kustomize/stage'] },
};

/**
 * Arguments of kwok: it simulates all nodes with the stages and logs in `files`, and serves all
 * kubelets on one port.
 */
export function kwokArguments(
  pki: string,
  kubeletPort: number,
  kubeconfig: string,
  files: readonly string[],
): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    ...files.map((file) => `--config=${file}`),
    '--manage-all-nodes=true',
    '--cidr=10.244.0.0/16',
    '--node-ip=127.0.0.1',
    '--node-lease-duration-seconds=240',
    `--node-port=${kubeletPort}`,
    `--server-address=127.0.0.1:${kubeletPort}`,
    `--tls-cert-file=${join(pki, 'kubelet.crt')}`,
    `--tls-private-key-file=${join(pki, 'kubelet.key')}`,
  ];
}
