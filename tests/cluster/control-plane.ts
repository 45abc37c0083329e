import { join } from 'node:path';

/** Where the parts of one control plane are, and the ports they have. */
export interface ControlPlanePlaces {
  readonly pki: string;
  readonly data: string;
  readonly etcdPort: number;
  readonly etcdPeerPort: number;
  readonly apiPort: number;
  readonly controllersPort: number;
  readonly schedulerPort: number;
  /** Where kwok answers for the kubelets of all its nodes. */
  readonly kubeletPort: number;
}

/** Arguments of etcd; its data need not outlive a crash. */
export function etcdArguments({ data, etcdPort, etcdPeerPort }: ControlPlanePlaces): readonly string[] {
  const [client, peer] = [`http://127.0.0.1:${etcdPort}`, `http://127.0.0.1:${etcdPeerPort}`];
  return [
    `--data-dir=${join(data, 'etcd')}`, `--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`,
    `--initial-advertise-peer-urls=${peer}`, `--initial-cluster=default=${peer}`, '--unsafe-no-fsync', '--log-level=warn',
  ];
}

/** Arguments of the API server. Nothing runs that could be a peer of it, so it publishes no address of its own. */
export function apiServerArguments({ pki, etcdPort, apiPort }: ControlPlanePlaces): readonly string[] {
  const file = (name: string) => join(pki, name);
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`, '--bind-address=127.0.0.1', '--endpoint-reconciler-type=none', `--secure-port=${apiPort}`,
    `--client-ca-file=${file('ca.crt')}`, `--tls-cert-file=${file('apiserver.crt')}`, `--tls-private-key-file=${file('apiserver.key')}`,
    '--service-account-issuer=https://kubernetes.default.svc', `--service-account-key-file=${file('accounts.pub')}`, `--service-account-signing-key-file=${file('accounts.key')}`,
    '--authorization-mode=Node,RBAC', '--service-cluster-ip-range=10.96.0.0/16', '--allow-privileged=true', '--profiling=false', '--shutdown-delay-duration=0s',
  ];
}

/** Arguments of the controllers. */
export function controllersArguments({ pki, controllersPort }: ControlPlanePlaces, kubeconfig: string): readonly string[] {
  return [
    ...asClient(kubeconfig), `--secure-port=${controllersPort}`, '--use-service-account-credentials=true', `--service-account-private-key-file=${join(pki, 'accounts.key')}`,
    `--root-ca-file=${join(pki, 'ca.crt')}`, '--allocate-node-cidrs=false', '--concurrent-deployment-syncs=20', '--concurrent-statefulset-syncs=20',
  ];
}

/** Arguments of the scheduler. */
export function schedulerArguments({ schedulerPort }: ControlPlanePlaces, kubeconfig: string): readonly string[] {
  return [...asClient(kubeconfig), `--secure-port=${schedulerPort}`];
}

/** Arguments of kwok: every node is one that it plays, by the stages and logs of `files`. */
export function kwokArguments({ pki, kubeletPort }: ControlPlanePlaces, kubeconfig: string, files: readonly string[]): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`, ...files.map((file) => `--config=${file}`), '--manage-all-nodes=true', '--cidr=10.244.0.0/16', '--node-ip=127.0.0.1',
    '--node-lease-duration-seconds=40', `--node-port=${kubeletPort}`, `--server-address=127.0.0.1:${kubeletPort}`,
    `--tls-cert-file=${join(pki, 'kubelet.crt')}`, `--tls-private-key-file=${join(pki, 'kubelet.key')}`,
  ];
}

function asClient(kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`, `--authentication-kubeconfig=${kubeconfig}`, `--authorization-kubeconfig=${kubeconfig}`, '--bind-address=127.0.0.1',
    '--leader-elect=false', '--profiling=false', '--kube-api-qps=500', '--kube-api-burst=1000',
  ];
}
